package scrubber

import (
	"maps"
	"slices"
	"testing"
)

// resembling are texts that resemble the pasted secrets of spelledForms and hold none, by what they resemble.
var resembling = map[string][]string{
	"name and value apart": {
		"env:\n  - name: MERKLE_ROOT\n    value: \"<hex:64>\"", "- name: PRIVATE_KEY\n  valueFrom:\n    secretKeyRef:\n      name: signer\n      key: <a:8>",
		"{\"name\": \"privateKey\", \"type\": \"string\", \"value\": \"\"}", "{\"name\": \"TX_HASH\", \"value\": \"<hex:64>\"}", "{\"value\": \"<hex:64>\", \"name\": \"blockHash\"}",
		"{\"key\": \"token\", \"value\": \"0x<hex:40>\"}", "<meta name=\"keywords\" value=\"defi-lending-2024\"/>", "address,tx_hash\n0x<hex:40>,<hex:64>",
		"private key,stored in\nhardware,ledger", "| Key | Meaning |\n|---|---|\n| root | <hex:64> |", "| Public key | Balance |\n|---|---|\n| <hex:64> | 10 |",
		"token,amount\nUSDC,1000000000000000000", "user,password\nalice,\nbob,", "| password | required |\n|---|---|\n| minimum | twelve characters |",
	},
	"byte arrays": {
		"let hash: [u8; 32] = [<hexints:32>];", "const root = new Uint8Array([<ints:32>])", "publicKey = bytes([<ints:32>])", "seeds = [b\"vault\", <ints:8>]",
		"PublicKey.fromBytes(Uint8Array.from([<ints:32>]))", "uint8[32] private constant POWERS = [1, 2, 4, 8, 16, 32, 64, 128];", "signature: [<ints:64>]",
		"private_key = bytes([0] * 32)", "privateKey = new Uint8Array(32)", "private values = [<ints:16>]", "sha256(b\"\\x00\\x01\")",
	},
	"arguments": {
		"cast wallet new", "cast keccak <hex:64>", "cast tx <hex:64>", "cast wallet address --keystore ./k --password-file p", "geth account import ./keyfile --password p.txt",
		"echo <hex:64> | sha256sum", "xxd -r -p <<< <hex:64>", "npx hardhat vars set PRIVATE_KEY", "vercel env add NEXT_PUBLIC_ROOT\n? What's the value of NEXT_PUBLIC_ROOT? <hex:64>",
		"gh secret set PRIVATE_KEY < key.txt", "Private Keys\n==================\nhidden\n(0) <hex:64>", "echo <hex:64> > genesis.hash",
	},
	"errors that quote": {
		"invalid BytesLike value (argument=\"value\", value=\"<hex:64>\", code=INVALID_ARGUMENT) at Contract.setRoot", "invalid hexlify value (argument=\"value\", value=\"<hex:40>\")",
		"Error: invalid private key, expected 32 bytes, got 31", "invalid value '<hex:64>' for '--block-hash'", "private key rejected. Tx <hex:64> was sent before",
		"invalid arrayify value (argument=\"value\", value=\"<hex:96>\") in deposit data", "execution reverted: key not found in <hex:64>",
	},
	"split": {
		"root = \"<hex:32>\" + \"<hex:32>\"", "digest: >-\n  <hex:32>\n  <hex:32>", "[\"<hex:32>\", \"<hex:32>\"].join('')", "MD5_A=<hex:32>\nMD5_B=<hex:32>",
		"private key fingerprint: <hexbytes:colon>", "id1: <hex:32>\nid2: <hex:32>", "tokenA = \"0x\" + \"<hex:40>\"", "password = prefix + \"_suffix\"",
	},
	"other spellings": {
		"memory: <hexbytes:space>", "SHA256 <hexbytes:colon>", "amount = <decimal:x>", "?pk=<hex:64>", "SPOT=<hex:64>", "DESIGNER=<hex:64>", "hot wallet 0x<hex:40>",
		"digest: M<b64:42>=", "root = atob(\"M<b64:42>=\")", "CONSTANT_NAME_IN_CAPITALS_THAT_IS_LONG_AND_HAS_NO_SECRET", "bafybei<lo:52>", "integrity sha512-<b64:86>==",
	},
	"phrases": {
		"seed phrase: write the first four letters of each word down", "the mnemonic has 12 or 24 words, from a list of 2048", "mnemonic indexes: 0 1 2 3 4 5 6 7 8 9 10 11",
		"testTransferFromShouldRevertWhenCallerIsNotOwnerAndSpenderHasNoAllowance", "seed [1, 7, 3, 9, 2, 8, 4, 6, 5, 11, 10, 12]",
		"use the token and the key and the vault and the pool and the price and the fee", "助记词一定不能告诉别人，也不要截图保存", "phrase: this that with from have been when will your than then them",
	},
	"tokens and headers": {
		"`Bearer ${token}`", "\"Bearer \" + accessToken", "f\"Bearer {settings.api_token}\"", "Authorization: `Bearer ${process.env.TOKEN_2}`",
	},
	"prose": {
		"our Etherscan key expired in 2024", "the Alchemy key has a limit of 300000000 units", "Infura project id is needed", "the state root is <hex:64>", "root password must be changed every 90days",
		"as root without a password, see 10.0.0.1", "root/Qm<b58:44>", "the scan key is <hex:64>",
	},
	"addresses": {"look at [at] example", "tokens[at].owner", "call(at) block.number", "SWAP DOT AT 10.5", "arr[at]=x.y", "mail:${user}@${host}:25"},
	"numbers":   {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30", "| A | 1 |\n| B | 2 |\n| C | 3 |", "123-456 789-012 345-678 901-234"},
}

// None of them is damaged.
func TestLookalikesStay(t *testing.T) {
	s := newScrubber(t)
	n := 0
	for _, class := range slices.Sorted(maps.Keys(resembling)) {
		for _, form := range resembling[class] {
			n++
			g := newGen(uint64(n))
			for range 20 {
				if text := g.expand(form); s.Text(text) != text {
					t.Errorf("%s: %q became %q", class, text, s.Text(text))
					break
				}
			}
		}
	}
	t.Logf("%d texts", n)
}
