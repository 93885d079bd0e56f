package scrubber

import (
	"regexp"
	"strings"
)

// Keys that tools of Ethereum take as arguments, list, or quote in their errors. Rules begin at the key: hex digits of that length are rare,
// the words around them are not.
func commandKeyRules() []rule {
	return []rule{{
		name: "key as an argument", kind: KindContextual, run: 60, find: findArgumentKey,
		removed: []string{
			"cast wallet address «<hex:64>»", "cast wallet import hot --interactive <<< \"«<hex:64>»\"",
			"geth account import <(echo «<hex:64>»)",
			"echo «<hex:64>» | geth account import /dev/stdin", "geth account import k <<< «<hex:64>»",
			"printf '«<hex:64>»' | vercel env add DEPLOYER_PK",
		},
		kept: []string{
			"cast wallet verify --address 0x<hex:40> msg <hex:64>", "cast wallet sign --no-hash <hex:64>",
			"account import failed in <hex:64>",
			"cast wallet address --keystore <hex:40>", "cast wallet list\n<hex:64>", "geth account import ./key",
			"sha256sum <<< <hex:64>",
			"echo <hex:64> | xxd -r -p",
		},
	}, {
		name: "keys of a test node", kind: KindEthKey, find: findListedKeys,
		anchors: []string{"Private Keys\n", "Private Keys:\n", "Private Keys\r\n"},
		removed: []string{
			"Private Keys\n==================\n(0) «<hex:64>»\n(1) «<hex:64>»\n",
			"Private Keys:\n\n(0) «0x<hex:64>»\n(1) «<hex:64>»",
		},
		kept: []string{"Private Keys\n======\nnone\n(0) <hex:64>", "Private Keys\n(0) 0x<hex:40>", "Private Keys\n"},
	}, {
		name: "value that an error quotes", kind: KindContextual, run: 60, find: findQuoted,
		removed: []string{
			"invalid BytesLike value (argument=\"value\", value=\"«<hex:64>»\", code=INVALID_ARGUMENT)\n    at new SigningKey (s.js:1:2)",
			"invalid hexlify value (argument=\"value\", value=\"«<hex:63>»\") from new ethers.Wallet(key)",
			"at new Wallet (w.js:1:2) {\n  argument: 'value',\n  value: '«0x7g<hex:62>»',\n  shortMessage: 'invalid BytesLike value'",
		},
		kept: []string{
			"invalid BytesLike value (argument=\"value\", value=\"<hex:64>\") at Interface.encode",
			"invalid BytesLike value (value=\"0x<hex:40>\") at new Wallet",
			"invalid BytesLike value (argument=\"value\", value=null) at new Wallet, tx <hex:64>",
			"value=\"<hex:64>\" of new Wallet",
		},
	}}
}

// keyCommands are words of which keyCommand has one.
var keyCommands = strings.Fields("cast import clef ethkey keystore account")

var (
	// keyCommand stands between the beginning of a line and a key that is a command's argument, or is fed to it.
	keyCommand = regexp.MustCompile(`cast w(?:allet)? (?:address|a|private-key|pk)(?: -[\w-]+)* ["']?$|` +
		`(?:import|clef|ethkey|keystore)[^\n]*(?:<<< ?["']?|<\((?:echo|printf) (?:-n )?["']?)$|` +
		"[Ii]nvalid account[^\\n]* received [\"'`]?$")
	// keyPrompt stands before a key that a command for secrets asked for.
	keyPrompt = regexp.MustCompile(`(?:vars set|secret (?:put|set)|env add) ([A-Za-z_]\w*)[^\n]*\r?\n[^\n]{0,60}[Vv]alue[^\n]{0,40}$`)
	// keyPipe is what follows a key that is piped to such a command.
	keyPipe = regexp.MustCompile(`^["']? *[|>][^\n|]{0,60}(?:account|wallet) import|` +
		`^["']? *\| *[\w ]{2,30} [A-Z0-9_]{0,40}(?:PRIVATE|_PK|_KEY|MNEMONIC)`)
)

// findArgumentKey looks at the command around a key.
func findArgumentKey(sc *scan, lo, hi int) {
	const longest = 200
	text := sc.text
	if !keyWord(text[lo:hi]) {
		return
	}
	before, after := text[max(0, lo-longest):lo], text[hi:min(len(text), hi+longest)]
	if strings.Contains(before, "alue") {
		if m := keyPrompt.FindStringSubmatch(before); m != nil && !holdsAny(strings.ToLower(m[1]), computedKeys) {
			sc.emit(KindContextual, lo, hi)
		}
	}
	before = before[strings.LastIndexByte(before, '\n')+1:]
	piped := strings.IndexByte("|>", byteAfter(after, skip(after, 0, "\"' "))) >= 0
	if holdsAny(before, keyCommands) && keyCommand.MatchString(before) || piped && keyPipe.MatchString(after) {
		sc.emit(KindContextual, lo, hi)
	}
}

// findListedKeys: numbered keys, a line each, as Hardhat, Ganache and Anvil print them.
func findListedKeys(sc *scan, _, hi int) {
	text := sc.text
	at := skip(text, hi, "=\r\n ")
	for at < len(text) && text[at] == '(' {
		number := forward(text, at+1, clsDigit)
		key := skip(text[:min(len(text), number+4)], number, ") ")
		end := forward(text, key, clsAlnum)
		if number == at+1 || key == number || !keyWord(text[key:end]) {
			return
		}
		sc.emit(KindEthKey, key, end)
		at = skip(text[:min(len(text), end+8)], end, " \r\n")
	}
}

var (
	// quotedBefore is what ethers writes before a value that is no hex.
	quotedBefore = regexp.MustCompile("value[=:] ?[\"'`]$")
	// ofWallet are calls and words of which such an error speaks when the value is a private key.
	ofWallet = []string{"Wallet(", "new Wallet", "SigningKey", "privateKey", "PRIVATE_KEY", "private key"}
	// notHex is what it says of the value.
	notHex = strings.Fields("BytesLike hexlify arrayify")
)

// findQuoted: what an error of ethers says is no hex, if it comes from making a wallet. A digit may be wrong: that is what the error says.
func findQuoted(sc *scan, lo, hi int) {
	const before, after, mostWrong, longest = 400, 1200, 4, 68
	text := sc.text
	if hi-lo > longest || !quotedBefore.MatchString(text[max(0, lo-8):lo]) {
		return
	}
	around := text[max(0, lo-before):min(len(text), hi+after)]
	if !holdsAny(around, notHex) || !holdsAny(around, ofWallet) {
		return
	}
	wrong := 0
	digits := strings.TrimPrefix(text[lo:hi], "0x")
	for i := range len(digits) {
		if !is(digits[i], clsHex) {
			wrong++
		}
	}
	if wrong <= mostWrong && !repetitive(digits) {
		sc.emit(KindContextual, lo, hi)
	}
}
