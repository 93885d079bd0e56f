package main

import "testing"

// A name is proven where a program prints it. What is only defined, compared or documented is not printed.
func TestANameIsProvenWhereAProgramPrintsIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, path, code, want string
	}{
		{"ERC20: transfer to the zero address", "a.sol", "f() {\n  require(to != address(0), \"ERC20: transfer to the zero address\");\n}", "a.sol:2"},
		{"InsufficientBalance(uint256)", "a.sol", "error InsufficientBalance(uint256 n);\nfunction f() {\n  revert InsufficientBalance(1);\n}", "a.sol:3"},
		{"InsufficientBalance(uint256)", "a.sol", "error InsufficientBalance(uint256 n);", ""},
		{"NotFound()", "a.sol", "error NotFound();\nfunction f() {\n  if (a == address(0)) revert NotFound();\n}", "a.sol:3"},
		{"nonce too low", "a.go", "var (\n\tErrNonceTooLow = errors.New(\"nonce too low\")\n)\nfunc f() error {\n\treturn ErrNonceTooLow\n}", "a.go:5"},
		{"nonce too low", "a.go", "var (\n\tErrNonceTooLow = errors.New(\"nonce too low\")\n)\nfunc f(err error) bool {\n\treturn errors.Is(err, ErrNonceTooLow)\n}", ""},
		{"intrinsic gas too low: gas {n}, minimum needed {n}", "a.go", "return fmt.Errorf(\"%w: gas %v, minimum needed %v\", core.ErrIntrinsicGas, a, b)", "a.go:1"},
		{"Owner does not match", "a.rs", "pub enum TokenError {\n    #[error(\"Owner does not match\")]\n    OwnerMismatch,\n}\nfn f() {\n    return Err(TokenError::OwnerMismatch.into());\n}", "a.rs:6"},
		{"State is uninitialized", "a.rs", "pub enum TokenError {\n    #[error(\"State is uninitialized\")]\n    UninitializedState,\n}\nfn s() {\n    TokenError::UninitializedState => \"Error\",\n}", ""},
		{"Frozen", "a.rs", "fn f() {\n    Err(crate::error::TokenError::Frozen.into())\n}", "a.rs:2"},
		{"custom program error: 0x1", "a.rs", "pub enum TokenError {\n    NotRentExempt,\n    InsufficientFunds,\n}\nfn f() {\n    Err(TokenError::InsufficientFunds)\n}", "a.rs:6"},
		{"custom program error: 0x7d1", "a.rs", "pub enum TokenError {\n    NotRentExempt = 2_000,\n    InsufficientFunds,\n}\nfn f() {\n    Err(TokenError::InsufficientFunds)\n}", "a.rs:6"},
		{"could not decode {what} of {kind}", "a.ts", "throw new Error(\n  `could not decode ${what} ` +\n    `of ${kind}`,\n);", "a.ts:2"},
		{"No such key", "a.md", "It says `No such key`.", ""},
		{"CVE-2024-54134", "a.md", "# CVE-2024-54134", "a.md:1"},
		{"ConstraintState", "a.ts", "const texts = new Map([\n  [LangErrorCode.ConstraintState, \"Deprecated\"],\n]);", ""},
		{"ConstraintState", "a.ts", "const texts = new Map([\n  [\n    LangErrorCode.ConstraintState,\n    \"Deprecated\",\n  ],\n]);", ""},
		{"ErrorCode::Deprecated", "a.rs", "pub enum ErrorCode {\n    #[msg(\"Deprecated, use another\")]\n    ConstraintState,\n}", ""},
		{"Unknown field", "a.rs", "pub enum QueryError {\n    #[error(\"Unknown field\")]\n    UnknownField,\n}\nmatch e {\n    Other\n    | UnknownField(_)\n    | More => 1,\n}", ""},
		{"TokenError::UninitializedState", "a.rs", "fn try_from(n: u32) -> Result<Self, E> {\n    match n {\n        9 => Ok(TokenError::UninitializedState),\n    }\n}", ""},
		{"NoSuchKey", "a.ts", "export { NoSuchKey, Other } from './error';", ""},
		{"AA25", "a.sol", "revert FailedOp(i, \"AA25 invalid account nonce\");", "a.sol:1"},
		{"execution reverted: TF", "a.sol", "require(ok, 'TF');", "a.sol:1"},
		{"BAL#101", "a.sol", "uint256 internal constant UNSORTED_ARRAY = 101;\nfunction f() {\n  _revert(Errors.UNSORTED_ARRAY);\n}", "a.sol:3"},
		{"AA25", "a.sol", "// AA25 is for nonces", ""},
	} {
		c := newClaim("entry", test.name)
		prove([]*file{newFile(test.path, test.code, test.path == "a.md")}, []*claim{c}, nil)
		if c.proof != test.want {
			t.Errorf("%s in\n%s\nis proven by %q, want %q", test.name, test.code, c.proof, test.want)
		}
	}
}
