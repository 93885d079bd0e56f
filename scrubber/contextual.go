package scrubber

import (
	"regexp"
	"slices"
	"strings"
)

// Values that a keyword before them calls a secret.
func contextualRules() []rule {
	return []rule{{
		name: "named secret", kind: KindContextual, fold: true, spread: true, find: findNamed,
		anchors: secretWords,
		removed: []string{
			"api_key=«<an:20>9a1»", "\"apiKey\": \"«<an:30>1x2»\"", "client_secret: '«<an:24>3k4»'",
			"api_key=\"«<an:700>3k4»\"",
			"aws_secret_access_key = «<b64:38>7z»", "ACCESS_TOKEN=«<an:30>1q2»", "password: «<a:4>-<dig:4>-<a:6>!»",
			"export DB_PASSWORD=\"«<an:16>1x»\"", "secret => \"«<hex:32>»\"", "api key: «<hex:32>»",
			"getEnv(\"api_token\", \"«<uuid>»\")",
			"HEROKU_KEY = \"«<uuid>»\"", "x-api-key: «<an:24>1z2»",
			"DB_PASS=«<an:10>9!kk»", "SMTP_PASS='«<an:16>7z»'", "export MYSQL_ROOT_PASS=«<an:5>4<an:4>8K2p»",
			"db_pass: \"«<an:12>7x»\"",
			"the password is «<an:6>7q<an:6>4Z»", "my keystore password is «<a:3>0<a:2>4<a:3>&3».",
			"password for the db was «<an:9>!7a»",
			"password of our keystore is \"«<an:9>!7a»\"", "the api key is «<hex:30>9f»",
			"--password «<a:3>0<a:2>4<a:3>3» -x",
			"--password «<a:8>9» run", "SMTP_PASS=«aBcDe<an:2>KfGhZ»", "DB_PASSWORD=«Q<a:9>77», then",
			"the password is «aB<a:1>D<a:1>F<a:1>HkLm<dig:1>»",
			"--api-key «<an:30>7q3»", "host=db port=5432 user=app password=«<a:7>2<a:5>» dbname=x",
			"password=«<a:6>2<a:5>» host=db.internal",
			"SOLANA_SECRET_B64=«<b64:85>9==»", "API_KEY_HEX=«<hex:48>»",
		},
		kept: []string{
			"token: 0x<hex:40>", "\"RegularKey\": \"r<b58:33>\"", "RegularKey=r<b58:30>", "regular key: r<b58:32>",
			"token = <b58addr>",
			"\"tokenId\": \"<dig:30>\"", "secretHash: <hex:64>", "password: getPassword123Value()",
			"apiKey: process.env.API_KEY_V2",
			"publicKey: <hex:64>", "key: <hex:64>", "api_key=YOUR_API_KEY_123456", "the secret is that it reverts",
			"tokenURI: ipfs://Qm<b58:44>", "REWARD_TOKEN=<b58addr>", "password = os.environ[\"PASSWORD_1234567\"]",
			"GuildToken::decrementGaugeWeightL224",
			"secret: ${{ secrets.API_KEY_12345 }}", "key=value",
			"the password is wrong", "the password is SHA-256-hashed", "the password is sha256 of it",
			"the password is hunter2",
			"the key is missing", "the password is checked2times", "password is base64-encoded",
			"password is at least 12 characters",
			"the password for the vault is never checked", "the password is PleaseDoItNowToo",
			"PASSWORD=DB_PASSWORD_2", "PASSWORD=SomePassword",
			"the secret is <hex:64>", "the secret key is <hex:40>", "password is getPassword12()",
			"--password ./secrets/pw1.txt",
			"--password $DB_PASSWORD1", "--password-file /run/secrets/pw1", "render_pass = FirstPass2",
			"first_pass: 0x<hex:40>",
			"DB_PASS=${DB_PASS_1}", "--token <b58addr>", "the token is <b58addr>", "password as utf8mb4 text",
			"connect(host=h, password=password1)",
			"the key is <hex:64>", "--key <hex:64>", "the user token is <b58addr>",
			"the master key is nHU<b58:49>", "password was reset in v2.3.1-rc1", "password is argon2id-hashed",
			"pwd is /home/x/app2x3",
			"the hash of the password is <hex:64>", "the password is base58check2", "password is argon2id$v=19",
			"the secret is keccak256(x1234567890abcdef)",
		},
	}}
}

// secretWords are the keywords.
var secretWords = []string{"password", "passwd", "passphrase", "passwort", "pwd", "secret", "token", "key", "credential", "_pass"}

// strength says how much a name alone proves.
type strength uint8

const (
	noName    strength = iota
	bareName           // token: the value must be long, too
	weakName           // SOME_TOKEN: the value must be of a form that addresses and hashes don't have
	keyName            // api key, secret: 16 characters that look random
	loginName          // password: 8 characters
)

var (
	loginEnds  = strings.Fields("password passwd passphrase passwort pwd")
	secretEnds = strings.Fields(`secret apikey accesskey authkey secretkey privatekey privkey signingkey encryptionkey masterkey
		servicekey servicerolekey licensekey accountkey applicationkey sdkkey keysecret apitoken accesstoken authtoken refreshtoken
		bearertoken bottoken sessiontoken securitytoken clienttoken usertoken personaltoken deploytoken subscriptiontoken
		managementtoken servicetoken oauthtoken privatetoken csrftoken webhooksecret credential credentials rpckey deploykey`)
	// publicParts are parts of names whose values are public.
	publicParts = strings.Fields(`public pubkey primary foreign partition sort cache storage mapping hash pool reward base quote native erc
		nft collateral debt asset stake staking payment underlying address mint lp bridge fee governance vote spl
		market pair wrapped input output deposit from to gas liquidity borrow next page continuation cursor sync
		idempotency account program`)
)

// findNamed judges the name around a keyword, then the value after it, or in a member or a column of its own.
func findNamed(sc *scan, lo, hi int) {
	text := sc.text
	end := forward(text, hi, clsURL64)
	sc.resume = end
	if end-hi > 12 { // a longer word or name: tokenize, keyboardInterrupt
		return
	}
	from := lo
	for from > 0 && lo-from < 64 && (is(text[from-1], clsURL64) || text[from-1] == '.') {
		from--
	}
	aside := mayBeApart(text, from)
	if from > 0 && text[from-1] == ' ' && from == lo { // "api key", "access token": the word before belongs to it
		from = back(text, from-1, clsAlnum)
	}
	value := 0
	if aside {
		value = apart(text, lo, end)
	}
	if value > 0 {
		if !has(text[from:end], clsLower) || nameStrength(text[from:end], lo-from) > weakName { // BOT_TOKEN, not an input called so
			sc.findValue(from, lo, end, value, true, true)
		}
		return
	}
	if sc.crosses {
		sc.nextField(from, lo, end)
	}
	at, quoted, ok := separator(text, end)
	if ok || end < len(text) && text[end] == ' ' && (spokenStart(text[end+1:]) || option(text, lo)) {
		if sc.findValue(from, lo, end, at, quoted, ok) {
			return
		}
	}
	sc.elsewhere(from, end, func(value string) bool {
		power := nameStrength(text[from:end], lo-from)
		return power > bareName && !ledgerName(text[from:end], value) && named(value, power, true, false)
	})
}

// findValue judges the value at a place, after the name text[from:end] whose keyword is at lo, and reports whether it is a secret. Without a
// sign between (ok), it looks for what a sentence says.
func (sc *scan) findValue(from, lo, end, at int, quoted, ok bool) bool {
	text := sc.text
	power := nameStrength(text[from:end], lo-from)
	if power == noName {
		return false
	}
	spoken := false
	if !ok {
		if at, quoted, spoken = afterBlank(text, lo, end, power); at == 0 {
			return false
		}
	}
	stop, cut := valueEnd(text, at, quoted)
	if n := strings.IndexByte(text[at:stop], '&'); n >= 0 && from > 0 && (text[from-1] == '?' || text[from-1] == '&') {
		stop, cut = at+n, false // the next parameter of a query
	}
	if rest := awsRest(text, from, end, at, stop); rest.hi > 0 {
		sc.emit(KindContextual, at, stop)
		sc.emit(KindContextual, rest.lo, rest.hi)
		return true
	}
	value := text[at:stop]
	if quoted && !cut {
		value, stop = joined(text, at, stop)
	}
	if ledgerName(text[from:end], value) {
		return false
	}
	if power == keyName && from > 0 && strings.IndexByte("\"'", text[from-1]) >= 0 {
		if option := text[:from-1]; strings.HasSuffix(option, "-H ") || strings.HasSuffix(option, "--header ") {
			power = loginName // a header on a command line
		}
	}
	variable := byteAfter(text, end) == '=' && !has(text[from:end], clsLower) // of an environment: what follows is no code
	// what stands there is no name of something in a program
	loose := !spoken && (quoted || !ok) || variable && power == loginName && has(value, clsLower) || connection(text, lo, end, stop)
	drawn := power == loginName && len(value) >= 12 && varied(value) &&
		(variable || spoken && len(value) <= 32 && has(value, clsDigit) && all(value, clsAlnum))
	if spoken && !drawn && (power == loginName && !saidPassword(value) || power == keyName && !saidSecret(text[from:end], value)) ||
		!named(value, power, loose, drawn) || !quoted && stop < len(text) && (text[stop] == '(' || text[stop] == '[') {
		return false
	}
	if cut {
		stop = forward(text, stop, clsValue)
	}
	sc.emit(KindContextual, at, stop)
	return true
}

// nextField emits the field after one that ends in the name of a secret, if all of it looks like one.
func (sc *scan) nextField(from, lo, end int) {
	text := sc.text
	at := skip(text, end, "\"'`:= ")
	power := nameStrength(text[from:end], lo-from)
	if power < keyName || byteAfter(text, at) != '\n' {
		return
	}
	if value := sc.lineAfter(at); value != "" && all(value, clsValue) && named(value, power, false, false) && !keyWord(value) {
		at += 1 + strings.Index(text[at+1:], value)
		sc.emit(KindContextual, at, at+len(value))
	}
}

// awsSecret is how long a secret access key of AWS is, in base64.
const awsSecret = 40

// awsRest returns what makes the beginning of such a key, which its name stands before, whole: on the next line, or in the next field.
func awsRest(text string, from, end, at, stop int) (rest part) {
	const least = 6
	n := stop - at
	if n < least || n > awsSecret-least || !all(text[at:stop], clsBase64) || !endsInAny(squeezed(text[from:end]), awsNames) {
		return rest
	}
	next := skip(text[:min(len(text), stop+pieceGap)], stop, "\"'` \t\r\n\\+,")
	if hi := forward(text, next, clsBase64); next > stop && hi-next == awsSecret-n && has(text[at:stop]+text[next:hi], clsDigit) {
		return part{next, hi}
	}
	return rest
}

var awsNames = []string{"secretaccesskey", "awssecretkey", "awssecret"}

// joint of two string literals, side by side or with a sign between: "4c08" + "83af".
var literalJoint = regexp.MustCompile("^([\"'`])[ \t]*(?:\\\\?\r?\n[ \t]*)?[+.&]?[ \t]*(?:\\\\?\r?\n[ \t]*)?([\"'`])")

// joined reads a quoted value on over the string literals that it goes on in.
func joined(text string, at, stop int) (value string, end int) {
	const most = 6
	value = text[at:stop]
	for range most {
		m := literalJoint.FindStringSubmatchIndex(text[stop:min(len(text), stop+pieceGap)])
		if m == nil || text[stop+m[2]] != text[stop+m[4]] {
			break
		}
		next := stop + m[1]
		end := forward(text[:min(len(text), next+longestWrapped)], next, clsValue)
		if end == next || byteAfter(text, end) != text[stop+m[2]] {
			break
		}
		value, stop = value+text[next:end], end
	}
	return value, stop
}

// ledgerName tells an address of the XRP ledger after the name of a field that holds one: RegularKey and the like. Documents often
// write one that is made up, so no checksum is asked.
func ledgerName(name, value string) bool {
	return len(value) >= 25 && len(value) <= 35 && value[0] == 'r' && all(value, clsBase58) &&
		endsInAny(squeezed(name), []string{"regularkey", "masterkey"})
}

// squeezed is a name in lower case without separators.
func squeezed(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 || !is(byte(r), clsAlnum) {
			return -1
		}
		return r
	}, strings.ToLower(name[max(0, len(name)-64):]))
}

// endsInAny reports whether a text ends in one of these.
func endsInAny(s string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) })
}

// separator finds what parts a name from its value: = : := => , ( with quotes and blanks around. It returns where the value
// begins, and whether in quotes.
func separator(text string, i int) (at int, quoted, ok bool) {
	const nameEnd, valueStart, blank = "\"'`]\\", "\"'`\\", " \t"
	nameQuote := skip(text, i, nameEnd)
	blanks := skip(text[:min(len(text), nameQuote+12)], nameQuote, blank)
	signs := skip(text[:min(len(text), blanks+4)], blanks, ":=")
	listed := false
	switch at = signs; {
	case signs-blanks > 1 && text[signs-1] == ':': // Contract::function
		return 0, false, false
	case signs > blanks:
		if at < len(text) && text[at] == '>' { // => as in Ruby and PHP
			at++
		}
	case nameQuote > i && at < len(text) && text[at] == ',':
		listed = true
		at++
	default:
		return 0, false, false
	}
	at = skip(text[:min(len(text), at+6)], at, blank)
	if n := len(blockScalar.FindString(text[at:min(len(text), at+pieceGap)])); n > 0 {
		return at + n, true, at+n < len(text)
	}
	begin := skip(text, at, valueStart)
	quoted = begin > at
	return begin, quoted, begin < len(text) && (quoted || !listed)
}

// blockScalar begins a text of YAML on the next line: >- and |.
var blockScalar = regexp.MustCompile(`^[>|][+-]?[ \t]*\r?\n[ \t]+`)

// encodings may stand behind the name of a secret.
var encodings = []string{"base64", "b64", "base58", "b58", "hex"}

// nameStrength judges a name; keyword is where the keyword stands in it.
func nameStrength(name string, keyword int) strength {
	s := squeezed(name)
	for _, encoding := range encodings {
		s = strings.TrimSuffix(s, encoding)
	}
	s = strings.TrimRight(s, "0123456789")
	switch {
	case strings.EqualFold(strings.TrimRight(name[keyword:], "0123456789"), "_pass"):
		return loginName
	case endsInAny(s, loginEnds):
		return loginName
	case endsInAny(s, secretEnds):
		return keyName
	case !strings.HasSuffix(s, "token") && !strings.HasSuffix(s, "key"):
		return noName
	case keyword == 0:
		return bareName
	}
	head := squeezed(name[:keyword])
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
	end = forward(text[:min(len(text), i+longest)], i, clsValue)
	if end-i == longest {
		return end, true
	}
	if !quoted {
		end = i + len(strings.TrimRight(text[i:end], ".,:|"))
	}
	return end, false
}

// named reports whether a value is a secret under a name of that strength. drawn tells that a password looks drawn at random, loose
// that it is no name in a program.
func named(value string, power strength, loose, drawn bool) bool {
	if value == "" || !has(value, clsDigit) && power != weakName && !drawn || template(value) ||
		placeholder(value) || public(value, power) || strings.Contains(value, "://") || code(value) {
		return false
	}
	switch power {
	case loginName:
		return len(value) >= 8 && has(value, clsLetter) && !repetitive(value) && (loose || drawn || !identifier(value))
	case keyName:
		return len(value) >= 16 && (looksRandom(value) || loose && len(value) >= 32 && !repetitive(value) && !slug(value))
	case bareName:
		// Digests are written in plain base64, tokens in the URL's.
		return len(value) >= 64 && looksRandom(value) && upperLower(value) && strings.ContainsAny(value, "-_") &&
			!identifier(value) && !slug(value)
	case weakName:
		if uuidForm.MatchString(value) {
			return !repetitive(value)
		}
		return len(value) >= 24 && looksRandom(value) && !all(value, clsHex) && upperLower(value) &&
			!(all(value, clsAlnum) && identifier(value))
	}
	return false
}

// public tells a chain's public identifier. Behind a strong name only a proven address counts as one.
func public(value string, power strength) bool {
	if power <= weakName {
		return chainName(value)
	}
	return strings.HasPrefix(value, "0x") && all(value[2:], clsHex) || checkedAddress(value)
}
