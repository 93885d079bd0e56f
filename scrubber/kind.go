package scrubber

// Kind names a sort of secret. Kinds are stable: they are part of the API's answers and of stored statistics.
type Kind string

// The kinds of the interface specification.
const (
	KindLedgerSeed   Kind = "ledger_seed"   // s + 25..34 base58: an XRPL family seed; also XRPL secret numbers
	KindLedgerKey    Kind = "ledger_key"    // ED + 64 hex digits
	KindEthKey       Kind = "eth_key"       // 0x + 64 hex digits
	KindJWT          Kind = "jwt"           // three parts, beginning eyJ; also JWE with five
	KindServiceToken Kind = "service_token" // this service's own API tokens
	KindEmail        Kind = "email"         // any e-mail address
)

// The kinds this service adds: each needs a checksum, a fixed form, or a keyword before it.
const (
	KindBIP39         Kind = "bip39"          // a seed phrase: BIP-39, Electrum, TON, Algorand, Monero
	KindPEM           Kind = "pem"            // a private key in PEM, DER or a JSON Web Key
	KindSolanaKeypair Kind = "solana_keypair" // 64 bytes whose second half is the public key of the first
	KindProviderKey   Kind = "provider_key"   // a key with its issuer's fixed prefix
	KindRPCURL        Kind = "rpc_url"        // the key part of a node provider's URL
	KindURLPassword   Kind = "url_password"   // scheme://user:password@
	KindAuthHeader    Kind = "auth_header"    // Authorization: Basic or Bearer
	KindContextual    Kind = "contextual"     // a value that its keyword calls a secret
	KindWIF           Kind = "wif"            // a Bitcoin private key in wallet import format
	KindXprv          Kind = "xprv"           // a BIP-32 extended private key
	KindNsec          Kind = "nsec"           // a Nostr private key
	KindSuiKey        Kind = "sui_key"        // suiprivkey1...
	KindAgeKey        Kind = "age_key"        // AGE-SECRET-KEY-1...
	KindStellarSeed   Kind = "stellar_seed"   // S... with a valid CRC
	KindUnscannable   Kind = "unscannable"    // the scan failed, so the whole text was removed
)

// rank orders the kinds: when spans of several kinds are united, the first of them here names the span.
var rank = []Kind{
	KindPEM, KindBIP39, KindSolanaKeypair, KindXprv, KindWIF, KindNsec, KindSuiKey, KindAgeKey, KindStellarSeed,
	KindLedgerSeed, KindLedgerKey, KindEthKey, KindJWT, KindServiceToken, KindProviderKey, KindRPCURL,
	KindURLPassword, KindEmail, KindAuthHeader, KindContextual, KindUnscannable,
}

var rankOf = func() map[Kind]int {
	m := make(map[Kind]int, len(rank))
	for i, k := range rank {
		m[k] = i
	}
	return m
}()

// Note is what helps a submitter who reads the report: what to do about a removal of this kind.
func (k Kind) Note() string {
	switch k {
	case KindEthKey:
		return "32-byte hex; if it was a transaction hash, cite it without 0x; if it was a private key, move the funds"
	case KindLedgerKey:
		return "if it was a private key, rotate it; a public key of this form is removed too, cite the account address"
	case KindLedgerSeed, KindBIP39, KindSolanaKeypair, KindWIF, KindXprv, KindNsec, KindSuiKey, KindAgeKey, KindStellarSeed, KindPEM:
		return "treat it as leaked: move what it guards to a new key"
	case KindEmail:
		return "personal data; name a role or a public handle"
	case KindServiceToken:
		return "rotate it: POST /intake/token/rotate"
	case KindJWT, KindAuthHeader, KindProviderKey, KindRPCURL, KindContextual, KindURLPassword:
		return "rotate it"
	}
	return ""
}
