package scrubber

import "strings"

// Values that a keyword before them calls a secret.
func contextualRules() []rule {
	return []rule{{
		name: "named secret", kind: KindContextual, fold: true, find: findNamed,
		anchors: []string{"password", "passwd", "passphrase", "passwort", "pwd", "secret", "token", "key", "credential", "api_pass"},
		removed: []string{
			"api_key=«<an:20>9a1»", "\"apiKey\": \"«<an:30>1x2»\"", "client_secret: '«<an:24>3k4»'", "api_key=\"«<an:700>3k4»\"", "aws_secret_access_key = «<b64:38>7z»", "ACCESS_TOKEN=«<an:30>1q2»",
			"password: «<a:4>-<dig:4>-<a:6>!»", "export DB_PASSWORD=\"«<an:16>1x»\"", "secret => \"«<hex:32>»\"", "api key: «<hex:32>»", "getEnv(\"api_token\", \"«<uuid>»\")", "HEROKU_KEY = \"«<uuid>»\"", "x-api-key: «<an:24>1z2»",
		},
		kept: []string{
			"token: 0x<hex:40>", "\"RegularKey\": \"r<b58:33>\"", "RegularKey=r<b58:30>", "regular key: r<b58:32>", "token = <b58addr>", "\"tokenId\": \"<dig:30>\"", "secretHash: <hex:64>", "password: getPassword123Value()", "apiKey: process.env.API_KEY_V2", "publicKey: <hex:64>", "key: <hex:64>",
			"api_key=YOUR_API_KEY_123456", "the secret is that it reverts", "tokenURI: ipfs://Qm<b58:44>", "REWARD_TOKEN=<b58addr>", "password = os.environ[\"PASSWORD_1234567\"]", "GuildToken::decrementGaugeWeightL224", "secret: ${{ secrets.API_KEY_12345 }}", "key=value",
		},
	}}
}

// squeeze is a name in lower case without separators.
func squeeze(name string) string {
	out := make([]byte, 0, 64)
	for i := max(0, len(name)-64); i < len(name); i++ {
		if is(name[i], clsAlnum) {
			out = append(out, lower(name[i]))
		}
	}
	return string(out)
}

// strength says how much a name alone proves.
type strength uint8

const (
	noName    strength = iota
	bareName           // token: the value must be long, too
	weakName           // SOME_TOKEN: the value must be of a form that addresses and hashes don't have
	keyName            // api key, secret: 16 characters that look drawn
	loginName          // password: 8 characters
)

var (
	loginEnds  = []string{"password", "passwd", "passphrase", "passwort", "pwd"}
	secretEnds = []string{
		"secret", "apikey", "accesskey", "authkey", "secretkey", "privatekey", "privkey", "signingkey", "encryptionkey", "masterkey", "servicekey", "servicerolekey",
		"licensekey", "accountkey", "applicationkey", "sdkkey", "keysecret", "apitoken", "accesstoken", "authtoken", "refreshtoken", "bearertoken", "bottoken",
		"sessiontoken", "securitytoken", "clienttoken", "usertoken", "personaltoken", "deploytoken", "subscriptiontoken", "managementtoken", "servicetoken",
		"oauthtoken", "privatetoken", "csrftoken", "webhooksecret", "credential", "credentials", "rpckey", "deploykey",
	}
	// publicParts are parts of names whose values everybody may see.
	publicParts = []string{
		"public", "pubkey", "primary", "foreign", "partition", "sort", "cache", "storage", "mapping", "hash", "pool", "reward", "base", "quote", "native", "erc", "nft",
		"collateral", "debt", "asset", "stake", "staking", "payment", "underlying", "address", "mint", "lp", "bridge", "fee", "governance", "vote", "spl", "market", "pair",
		"wrapped", "input", "output", "deposit", "from", "to", "gas", "liquidity", "borrow", "next", "page", "continuation", "cursor", "sync", "idempotency", "account", "program",
	}
)

// findNamed judges the name around a keyword, then the value behind it.
func findNamed(sc *scan, lo, hi int) int {
	text := sc.text
	end := hi
	for end < len(text) && (is(text[end], clsAlnum) || text[end] == '_' || text[end] == '-') {
		end++
	}
	if end-hi > 12 { // a longer word or name: tokenize, keyboardInterrupt
		return end
	}
	at, quoted, ok := separator(text, end)
	if !ok {
		return end
	}
	from := lo
	for from > 0 && lo-from < 64 && (is(text[from-1], clsAlnum) || strings.IndexByte("_-.", text[from-1]) >= 0) {
		from--
	}
	if from > 0 && text[from-1] == ' ' && from == lo { // "api key", "access token": the word before belongs to it
		from = back(text, from-1, clsAlnum)
	}
	power := nameStrength(text[from:end], lo-from)
	if power == noName {
		return end
	}
	stop, cut := valueEnd(text, at, quoted)
	if n := strings.IndexByte(text[at:stop], '&'); n >= 0 && from > 0 && (text[from-1] == '?' || text[from-1] == '&') {
		stop, cut = at+n, false // the next parameter of a query
	}
	value := text[at:stop]
	if ledgerName(text[from:end], value) {
		return end
	}
	if power == loginName && !quoted && text[end] == ' ' { // "password : x" in prose
		power = keyName
	}
	if power == keyName && from > 0 && strings.IndexByte("\"'", text[from-1]) >= 0 && (strings.HasSuffix(text[:from-1], "-H ") || strings.HasSuffix(text[:from-1], "--header ")) {
		power = loginName // a header on a command line
	}
	if !named(value, power, quoted) || !quoted && stop < len(text) && (text[stop] == '(' || text[stop] == '[') {
		return end
	}
	if cut {
		stop = forward(text, stop, clsValue)
	}
	sc.emit(KindContextual, at, stop)
	return stop
}

// ledgerName tells an address of the XRP ledger behind the name of a field that holds one: RegularKey and the like. Documents often
// write one that is made up, so no checksum is asked.
func ledgerName(name, value string) bool {
	if len(value) < 25 || len(value) > 35 || value[0] != 'r' || !all(value, clsBase58) {
		return false
	}
	switch s := squeeze(name); {
	case strings.HasSuffix(s, "regularkey"), strings.HasSuffix(s, "masterkey"):
		return true
	}
	return false
}

// separator finds what parts a name from its value: = : := => , ( with quotes and blanks around. It returns where the value
// begins, and whether in quotes.
func separator(text string, i int) (at int, quoted, ok bool) {
	nameQuote := false
	for i < len(text) && strings.IndexByte("\"'`]\\", text[i]) >= 0 {
		nameQuote = true
		i++
	}
	blanks := i
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') && i-blanks < 12 {
		i++
	}
	signs := i
	for i < len(text) && strings.IndexByte(":=", text[i]) >= 0 && i-signs < 4 {
		i++
	}
	switch {
	case i-signs > 1 && text[i-1] == ':': // Contract::function
		return 0, false, false
	case i > signs:
		if i < len(text) && text[i] == '>' { // => as in Ruby and PHP
			i++
		}
	case nameQuote && i < len(text) && text[i] == ',':
		i++
	default:
		return 0, false, false
	}
	blanks = i
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') && i-blanks < 6 {
		i++
	}
	for i < len(text) && strings.IndexByte("\"'`\\", text[i]) >= 0 {
		quoted = true
		i++
	}
	if text[blanks-1] == ',' && !quoted {
		return 0, false, false
	}
	return i, quoted, i < len(text)
}

// nameStrength judges a name; keyword is where the keyword stands in it.
func nameStrength(name string, keyword int) strength {
	s := strings.TrimRight(squeeze(name), "0123456789")
	for _, end := range loginEnds {
		if strings.HasSuffix(s, end) {
			return loginName
		}
	}
	for _, end := range secretEnds {
		if strings.HasSuffix(s, end) {
			return keyName
		}
	}
	if !strings.HasSuffix(s, "token") && !strings.HasSuffix(s, "key") {
		return noName
	}
	if keyword == 0 {
		return bareName
	}
	head := squeeze(name[:keyword])
	for _, part := range publicParts {
		if len(part) > 4 && strings.Contains(head, part) || strings.HasPrefix(head, part) || strings.HasSuffix(head, part) {
			return noName
		}
	}
	return weakName
}

// valueEnd returns where the value that begins at i ends: at its quote, or at what can't be part of it. cut tells that the
// value goes on: its head is enough to judge it.
func valueEnd(text string, i int, quoted bool) (end int, cut bool) {
	const longest = 160
	end = i
	for end < len(text) && end-i < longest && is(text[end], clsValue) {
		end++
	}
	if end-i == longest {
		return end, true
	}
	if !quoted {
		for end > i && strings.IndexByte(".,:|", text[end-1]) >= 0 {
			end--
		}
	}
	return end, false
}
