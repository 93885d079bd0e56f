package scrubber

import (
	"regexp"
	"strings"
)

// Keys that tools of Ethereum take as arguments, ask for, list, or quote in their errors.
func commandKeyRules() []rule {
	return []rule{{
		name: "key as an argument", kind: KindContextual, anchors: []string{"cast wallet ", "cast w ", "account import"}, find: findArgumentKey,
		removed: []string{
			"cast wallet address «<hex:64>»", "cast wallet import hot --interactive <<< \"«<hex:64>»\"", "geth account import <(echo «<hex:64>»)",
			"echo «<hex:64>» | geth account import /dev/stdin", "geth account import k <<< «<hex:64>»",
		},
		kept: []string{
			"cast wallet verify --address 0x<hex:40> msg <hex:64>", "cast wallet sign --no-hash <hex:64>", "account import failed in <hex:64>",
			"cast wallet address --keystore <hex:40>", "cast wallet list\n<hex:64>", "geth account import ./key",
		},
	}, {
		name: "value that a tool asks for", kind: KindContextual, anchors: []string{"vars set ", "env add ", "secret put ", "secret set ", "secrets set "},
		find: findPrompt,
		removed: []string{
			"npx hardhat vars set PRIVATE_KEY\n✔ Enter value: · «<hex:64>»", "vercel env add API_SECRET\n? What's the value of API_SECRET? › «<an:30>7q»",
			"gh secret set DB_PASSWORD --body \"«<an:9>7!q»\"", "npx hardhat vars set ETHERSCAN_API_KEY «<UPD:34>»",
			"wrangler secret put SIGNER_PK\n✔ Enter a secret value: … «<hex:64>»", "vercel env add DEPLOYER_KEY production\nvalue of DEPLOYER_KEY? «0x<hex:63>»",
		},
		kept: []string{
			"npx hardhat vars set PRIVATE_KEY\nthen deploy; tx <hex:64>", "vercel env add ROOT_HASH\n? What's the value of ROOT_HASH? <hex:64>",
			"vercel env add PRIVATE_KEY\n? What's the value of PRIVATE_KEY? ********", "gh secret set PRIVATE_KEY < key.txt",
			"gh secret set DB_PASSWORD --body \"$DB_PASSWORD1\"", "vars set CONTRACT <hex:40>",
		},
	}, {
		name: "keys of a test node", kind: KindEthKey, anchors: []string{"Private Keys\n", "Private Keys:\n", "Private Keys\r\n"}, find: findListedKeys,
		removed: []string{"Private Keys\n==================\n(0) «<hex:64>»\n(1) «<hex:64>»\n", "Private Keys:\n\n(0) «0x<hex:64>»\n(1) «<hex:64>»"},
		kept:    []string{"Private Keys\n======\nnone\n(0) <hex:64>", "Private Keys\n(0) 0x<hex:40>", "Private Keys\n"},
	}, {
		name: "value that an error quotes", kind: KindContextual, find: findQuoted,
		anchors: []string{"invalid BytesLike", "invalid hexlify", "invalid arrayify"},
		removed: []string{
			"invalid BytesLike value (argument=\"value\", value=\"«<hex:64>»\", code=INVALID_ARGUMENT)\n    at new SigningKey (s.js:1:2)",
			"invalid hexlify value (argument=\"value\", value=\"«<hex:63>»\") from new ethers.Wallet(key)",
			"at new Wallet (w.js:1:2) {\n  argument: 'value',\n  value: '«0x7g<hex:62>»',\n  shortMessage: 'invalid BytesLike value'",
		},
		kept: []string{
			"invalid BytesLike value (argument=\"value\", value=\"<hex:64>\") at Interface.encode", "invalid BytesLike value (value=\"0x<hex:40>\") at new Wallet",
			"invalid BytesLike value (argument=\"value\", value=null) at new Wallet, tx <hex:64>", "invalid hexlify value (argument=\"value\", value=\"0x\")",
		},
	}}
}

// bareKey is a key between characters of other words.
var bareKey = regexp.MustCompile(`(?:^|[^0-9A-Za-z])((?:0x)?[0-9a-fA-F]{60,64})(?:$|[^0-9A-Za-z])`)

// argumentKey stands between the name of a command and its key.
var argumentKey = regexp.MustCompile(`^cast w(?:allet)? (?:address|a|private-key|pk)(?: -[\w-]+)* ["']?$|<<< ?["']?$|<\((?:echo|printf) (?:-n )?["']?$`)

// findArgumentKey looks at the line of a command: at its last argument, what is fed to it, and what an echo before it pipes.
func findArgumentKey(sc *scan, lo, hi int) {
	const longest = 300
	text := sc.text
	begin := max(0, lo-longest)
	begin += strings.LastIndexByte(text[begin:lo], '\n') + 1
	end := min(lineEnd(text, lo), lo+longest)
	for at := begin; at < end; {
		m := bareKey.FindStringSubmatchIndex(text[at:end])
		if m == nil {
			break
		}
		key, stop := at+m[2], at+m[3]
		before := strings.HasSuffix(text[lo:hi], "import") && strings.Contains(text[stop:max(stop, lo)], "|")
		if keyWord(text[key:stop]) && (before || key > lo && argumentKey.MatchString(text[lo:key])) {
			sc.emit(KindContextual, key, stop)
		}
		at = stop
	}
	sc.resume = max(sc.resume, end)
}

// prompted is the name that a command sets, and the value behind it or behind what the command asks for it.
var prompted = regexp.MustCompile("^[a-z ]+ ([A-Za-z_][A-Za-z0-9_]{2,48})(?:[ \t]+[a-z]{0,16})?(?:" +
	"(?:[ \t]+(?:--body|-b|--value)[ =]?|[ \t]+)[\"']?([^\\s\"'<>|&;$-][^\\s\"']{5,160})" +
	"|[ \t]*\r?\n[^\n]{0,24}(?:[Ee]nter (?:a |the )?(?:secret )?value|value of \\w+)[ :?]*(?:[›»·…>]\\s*)?[\"']?([^\\s\"']{6,160}))")

// findPrompt: the value of a variable whose name calls it a secret.
func findPrompt(sc *scan, lo, _ int) {
	const far = 400
	text := sc.text
	m := prompted.FindStringSubmatchIndex(text[lo:min(len(text), lo+far)])
	if m == nil {
		return
	}
	name, at, stop := text[lo+m[2]:lo+m[3]], lo+max(m[4], m[6]), lo+max(m[5], m[7])
	if sc.secretOf(name, text[at:stop]) {
		sc.emit(KindContextual, at, stop)
	}
}

// secretOf reports whether a value that stands apart from its name is a secret: a variable's, say.
func (sc *scan) secretOf(name, value string) bool {
	small := strings.ToLower(name)
	if keyWord(value) {
		return !holdsAny(small, computedKeys) && (strings.HasSuffix(small, "key") || strings.HasSuffix(small, "_pk") || strings.HasSuffix(small, "secret"))
	}
	for _, keyword := range secretWords {
		if n := strings.LastIndex(small, keyword); n >= 0 {
			power := nameStrength(name, n)
			return power > bareName && !ledgerName(name, value) && named(value, power, true, false)
		}
	}
	return false
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
	// quotedValue is a value as ethers quotes it.
	quotedValue = regexp.MustCompile("value[=:] ?[\"'`]((?:0x)?([0-9A-Za-z]{60,66}))[\"'`]")
	// ofWallet are calls and words of which such an error speaks when the value is a private key.
	ofWallet = strings.Fields("Wallet( SigningKey privateKey PRIVATE_KEY")
)

// findQuoted: what an error of ethers says is no hex, if it comes from making a wallet. A digit may be wrong: that is what the error says.
func findQuoted(sc *scan, lo, hi int) {
	const before, after, mostWrong = 400, 1200, 4
	text := sc.text
	begin, end := max(0, lo-before), min(len(text), hi+after)
	if around := text[begin:end]; !holdsAny(around, ofWallet) && !strings.Contains(around, "private key") && !strings.Contains(around, "new Wallet") {
		return
	}
	for _, m := range quotedValue.FindAllStringSubmatchIndex(text[begin:end], -1) {
		digits, wrong := text[begin+m[4]:begin+m[5]], 0
		for i := range len(digits) {
			if !is(digits[i], clsHex) {
				wrong++
			}
		}
		if wrong <= mostWrong && !repetitive(digits) {
			sc.emit(KindContextual, begin+m[2], begin+m[3])
		}
	}
	sc.resume = max(sc.resume, end)
}
