package scrubber

import (
	"regexp"
	"slices"
	"strings"
)

// Private keys in bare hex digits, which a name, a constructor or a tool's configuration gives away.
func namedKeyRules() []rule {
	return []rule{{
		name: "named private key", kind: KindContextual, fold: true, spread: true, find: findNamedKey,
		anchors: []string{
			"private", "priv_key", "privkey", "priv-key", "\"priv\"", "priv=", "priv:", "secretkey", "secret_key",
			"secret key",
			"secret-key", "seed", "signing_key", "signingkey", "signer_key", "deployer_key", "mnemonic", "entropy",
			"master_key",
			"masterkey", "owner_key", "wallet_key", "wallet(", "walletprovider(", "from_key", "fromkey(",
			"importrawkey", "hextoecdsa",
			"account.from(", "keypair.from", "wallets", "accounts", "priv =", "secret exponent",
		},
		removed: []string{ // more are in TestPastedSecrets
			"privateKey: \"«<hex:64>»\"", "PRIVATE_KEY=«<hex:64>»", "hexEncPrivkey(\"«<hex:64>»\")",
			"\"seed\": \"«<hex:128>»\"",
			"my private key is «<hex:64>»", "private key: 0x «<hex:64>»", "privateKeyHex: «0x<hex:63>»",
			"new Wallet(\"«<hex:64>»\")",
			"PrivateKeySigner::from_str(\"«<hex:64>»\")",
			"bytes.fromhex(\"<hex:8>\"); private_key = bytes.fromhex(\"«<hex:64>»\")",
			"accounts: ['«<hex:64>»', '«<hex:64>»'],", "accounts = [\n  \"«<hex:64>»\"\n]",
		},
		kept: []string{
			"\"accounts\": [\"<hex:64>\"]", "accounts: [\"0x<hex:40>\"]", "accounts: [process.env.KEY]",
			"accounts <hex:64>",
			"accountsRoot: <hex:64>",
			"publicKey: <hex:64>", "sha256: <hex:64>", "block <hex:64>", "seedHash: <hex:64>",
			"private mempool, tx <hex:64> was not seen",
			"private commit <hex:40>", "private key 0x<hex:66>", "new Wallet(provider)", "wallet(0x<hex:40>)",
			"wallets: [\"0x<hex:40>\"]",
		},
	}, {
		name: "short name of a private key", kind: KindContextual, fold: true, find: findShortName,
		anchors: []string{"_pk", "_sk", "pk=", "pk:", "pk =", "--pk", "sk=", "sk:", "sk\"", "sk ="},
		removed: []string{
			"DEPLOYER_PK=«<hex:64>»", "export PK=«<hex:64>»", "OWNER_PK_2: \"«<hex:63>»\"", "deployer_pk = '«<hex:64>»'",
			"pk=«<hex:64>»", "--pk «<hex:64>» x", "export pk=\"«<hex:64>»\"", "\"sk\": \"«<hex:64>»\"",
			"ALICE_SK=«<hex:64>»", "sk = «<hex:128>»", "SIGNER_PK=\"«0x<hex:62>»\"",
		},
		kept: []string{
			"\"pk\": \"<hex:64>\"", "pk: <hex:64>", "?pk=<hex:64>", "validator_pk: <hex:64>", "BLS_PK=<hex:96>",
			"PUB_PK=<hex:64>", "risk: <hex:64>", "task = <hex:64>",
			"DEPLOYER_PK=$KEY", "USER_PK=17",
		},
	}, {
		name: "key of a role", kind: KindContextual, run: 60, find: findRoleKey,
		removed: []string{
			"deployer key is «<hex:64>»", "relayer's key: «<hex:64>»", "the hot wallet key was `«<hex:64>»`",
			"here's the key i used for deployer: «<hex:64>»", "that is the key we use to deploy:\n«<hex:64>»",
			"my key for the mainnet relayer is «<hex:64>»",
			"key of the keeper bot: «<hex:64>»", "DEPLOYER_KEY=«<hex:64>»",
			"export MAINNET_KEY='«<hex:64>»'", "BASE_SEPOLIA_KEY=«<hex:63>»", "KEEPER_KEY_2=\"«<hex:64>»\"",
			"BOT_KEY: «<hex:64>»",
			"HOT=«<hex:64>»", "export SIGNER='«<hex:64>»'", "BASE_HOT_WALLET=«<hex:64>»",
			"private key of the relayer is «<hex:64>»", "Private key we used for our mainnet deployer: «<hex:64>»",
			"my key is «<hex:64>»", "our key: «<hex:64>»", "signing key «<hex:64>»", "the signer's key «<hex:64>»",
			"it leaked, deployer key «<hex:64>»", "KEY=«<hex:64>»", "export KEY='«<hex:64>»'",
		},
		kept: []string{
			"the key is <hex:64>", "my storage key is <hex:64>", "cache key <hex:64>", "KEY: <hex:64>", "DEPLOYER=<hex:64>", "SIGNER: <hex:64>", "SIGNERS=<hex:64>", "SHOT=<hex:64>",
			"storage key for the wallet: <hex:64>", "deployer public key is <hex:64>",
			"public key of the deployer: <hex:64>", "STORAGE_KEY=<hex:64>", "NODE_PUBLIC_KEY=<hex:64>",
			"VERIFYING_KEY=<hex:64>",
			"POSITION_KEY=<hex:64>", "ORDER_KEY = \"<hex:64>\"", "DEPLOYER_KEY_HASH=<hex:64>",
			"deployer key rotated in tx <hex:64>",
			"the hash of the deployer key is <hex:64>", "the private key was used in <hex:64>", "DEPLOYER_KEY=<hex:40>",
			"kept private for the owner <hex:64>", "the relayer key is missing, see <hex:64>",
			"data key for the wallet: <hex:64>",
			"seed used for the user <hex:64>", "the key was used to deploy. tx: <hex:64>", "key: deployer, tx: <hex:64>",
		},
	}}
}

const roles = "(?:deploy(?:er|ment)?|relay(?:er)?|keeper|admin|treasury|bot|faucet|funder|minter|wallet|mainnet|testnet|sepolia|sign(?:er|ing))"

var (
	// roleKey: deployer key is, relayer's key:, my key is, the key i used for the deployer:
	roleKey = regexp.MustCompile("(?:(?:^|[^a-z_-])" + roles + "(?:['’]s)?[ _-]key|(?:^|[^a-z])(?:my|our) key|" +
		"(?:^|(?:^|[^a-z])(?:the|a|my|our|this|that|private) )key " +
		"(?:(?:i|we|that|which|was|is|used|use|using|to|for|of|the|my|our|on|in) ){1,6}(?:" + roles + " ?){1,3})" +
		"(?: ?(?:is|was)|[\"'`]? ?[:=])[:\\s\"'`*]*$")
	// besideKey is a role's key right before the digits: the signer's key 4c08...
	besideKey = regexp.MustCompile("(?:^|[^a-z_-])" + roles + "(?:['’]s)?[ _-]key[\"'`]?$")
	// environmentKey: MAINNET_KEY=, HOT_WALLET=, SIGNER=
	environmentKey = regexp.MustCompile("(?:^|[^\\w-])((?:[A-Z0-9]+_)*KEY|(?:[A-Z0-9]+_)*(?:HOT|HOT_?WALLET|SIGNER))" +
		"(?:_?\\d+|_HEX|_MAINNET|_TESTNET|_PROD|_DEV)?" +
		"(=[\"'`]?|\\s*[:=]\\s*[\"'`]?)$")
	// computedKeys are parts of names of keys that are hashes, or public.
	computedKeys = strings.Fields(`pub primary foreign partition sort cache storage mapping idempotency verif consensus peer node valid bls
		slot state topic event order request job role config position lookup index dedup record row hash`)
)

// findRoleKey: a bare key that a clause or a variable right before it calls one. What has another name is a hash, as often as not.
func findRoleKey(sc *scan, lo, hi int) {
	const near = 96
	before := sc.text[max(0, lo-near):lo]
	if !keyWord(sc.text[lo:hi]) || !holdsAny(before, []string{"key", "KEY", "HOT", "SIGNER"}) {
		return
	}
	if m := environmentKey.FindStringSubmatch(before); m != nil {
		name := strings.ToLower(m[1])
		if m[2][0] != '=' && (name == "key" || !holdsAny(name, keyRoles) || !strings.HasSuffix(name, "key")) || holdsAny(name, computedKeys) {
			return
		}
		sc.emit(KindContextual, lo, hi)
		return
	}
	clause := strings.ToLower(strings.TrimSpace(before))
	clause = strings.TrimSpace(clause[strings.LastIndexAny(clause, "\n;,.")+1:])
	if (roleKey.MatchString(clause) || besideKey.MatchString(clause)) && !holdsAny(clause, []string{"public", "hash", "digest"}) {
		sc.emit(KindContextual, lo, hi)
	}
}

var (
	// keyFillers are the words that may stand between a name of a private key and the key.
	keyFillers = strings.Fields(`key keys is was hex value of the wallet string as bytes phrase 0x for account my buffer from fromhex str
		new uint8array unhexlify binascii hexbytes h256 const b x secp256k1 privatekey signingkey ethers utils
		decode fromstring fromhexstring frombytes code strong td span pre byte u8 array data type join int atob echo base32 base64 b64
		decimal dec part half first second 1 2 slice bytearray vec secretkey h`)
	// errorFillers are the words of errors that say what is wrong with a private key, and quote it.
	errorFillers = strings.Fields(`must be exactly 32 31 33 bytes long instead expected got received format not a valid string or bigint invalid
		unexpected failed to parsing uint256 missing prefix you wish add enter set given but length`)
	// ownerFillers may stand there, too, behind private key.
	ownerFillers = strings.Fields(`our this that i we used use deployer relayer owner keeper admin treasury bot minter faucet operator signer
		sender user mainnet testnet sepolia main test hot cold`)
	// publicName is a name whose value is public, though the name begins like that of a private key.
	publicName = regexp.MustCompile(`public|(?:hash|id|address)$`)
)

// findNamedKey: a key soon after the name of a private key, or several in a list.
func findNamedKey(sc *scan, lo, hi int) {
	const near, far, longestName = 24, 160, 64
	text := sc.text
	name := strings.ToLower(text[lo:hi])
	seed := name == "entropy" || name == "seed" || name == "mnemonic"
	// The rest of the name, then at most near characters of is, =, :, ( and quotes.
	at := hi
	if is(text[hi-1], clsAlnum) {
		if at = forward(text[:min(len(text), at+longestName)], at, clsURL64); at == hi+longestName { // no name, but a run of names
			sc.resume = at
			return
		}
	}
	sc.keyBefore(lo)
	if publicName.MatchString(squeezed(text[lo:at])) || name == "accounts" && (strings.IndexByte("\"'", byteBefore(text, lo)) >= 0 ||
		!accountList.MatchString(text[hi:min(len(text), hi+16)])) {
		sc.resume = at
		return
	}
	if value := apart(text, lo, at); value > 0 {
		at = value
	} else if end := cellEnd(text, at); end > 0 {
		sc.elsewhere(lo, end, keyWord)
	}
	for limit := min(len(text), at+near); at < limit; {
		c := text[at]
		if !is(c, clsAlnum) && (c != '\\' || byteAfter(text, at+1) != 'x') {
			if c == '\n' && !sc.goesOn(at) || c == '.' && at+1 < len(text) && text[at+1] == ' ' && !quotedNext(text, at+2) {
				return
			}
			at++
			continue
		}
		// the name of one key, which may be spelled in any way
		sure := !slices.Contains(listNames, name) && (name != "private" || strings.Contains(squeezed(text[lo:at]), "key"))
		end := forward(text, at, clsAlnum)
		word := text[at:end]
		if keyWord(word) || all(word, clsHex) && (len(word) == 128 || seed && len(word) == 32 && !repetitive(word)) {
			sc.keyList(at)
			return
		}
		// A digit, or many characters: most words are no key in any spelling.
		if long := forward(text[:min(len(text), at+near+far)], at, clsBase64|clsURL64)-at > 40; (sure || seed && name != "mnemonic") &&
			(c == '\\' || has(word, clsDigit) || all(word, clsHex) || long) {
			if parts := sc.spelledKey(at); parts != nil {
				for _, p := range parts {
					sc.emit(KindContextual, p.lo, p.hi)
				}
				return
			}
		}
		filler := slices.Contains(keyFillers, strings.ToLower(word)) || arrayLength(text, at, end)
		if sure {
			filler = filler || slices.Contains(errorFillers, strings.ToLower(word)) || evmAddress(word) ||
				name == "private" && slices.Contains(ownerFillers, strings.ToLower(word))
		}
		if c == '\\' || !filler {
			return
		}
		limit = min(len(text), max(limit, end+near), hi+far)
		at = end
	}
}

// listNames are the names of several keys, or of what is a key seldom: only hex digits behind them are.
var listNames = strings.Fields("wallets accounts seed mnemonic entropy")

// cellEnd returns where the name of a private key ends that may be the head of a column, or 0: private key, private_key (hex).
func cellEnd(text string, at int) int {
	end := skip(text[:min(len(text), at+1)], at, " ")
	if end = forward(text[:min(len(text), end+16)], end, clsURL64); end == at {
		end = at
	}
	name := strings.TrimRight(text[max(0, end-8):end], "s")
	if c := byteOr(text, end, '\n'); strings.IndexByte(cellSigns+"|,;\t\r\n", c) < 0 || !strings.EqualFold(name[max(0, len(name)-3):], "key") {
		return 0
	}
	if strings.HasPrefix(text[end:], " (") {
		end += len(cellRemark.FindString(text[end:min(len(text), end+16)]))
	}
	return end
}

var cellRemark = regexp.MustCompile(`^ \((?:hex|raw|0x)\)`)

// goesOn reports whether a line break may stand between a name and its key.
func (sc *scan) goesOn(at int) bool {
	return strings.IndexByte("([{,=:|>-\n\\", byteBefore(sc.text, at)) >= 0 || keyWord(sc.lineAfter(at))
}

// lineAfter is the line behind a line break: the next field, where sc.crosses.
func (sc *scan) lineAfter(at int) string {
	return strings.Trim(sc.text[at+1:lineEnd(sc.text, at+1)], "\"'` ")
}

// quotedNext reports whether an error goes on, behind a full stop, with what it was given.
func quotedNext(text string, at int) bool {
	next := strings.ToLower(text[at:min(len(text), at+8)])
	for _, word := range [...]string{"got ", "given ", "expected", "received"} {
		if strings.HasPrefix(next, word) {
			return true
		}
	}
	return false
}

// evmAddress tells the address of an account: the private key for 0x...
func evmAddress(word string) bool {
	return len(word) == 42 && word[:2] == "0x" && all(word[2:], clsHex)
}

// arrayLength reports whether a number says how many bytes an array has: [u8; 32].
func arrayLength(text string, at, end int) bool {
	return (text[at:end] == "32" || text[at:end] == "64") && strings.IndexByte("])", byteAfter(text, end)) >= 0
}

// valueBefore is a key in front of what names it: echo 4c08... > private.key, invalid value '4c08...' for '--private-key.
var valueBefore = regexp.MustCompile("((?:0x)?[0-9a-fA-F]{60,64})[\"'`]? *(?:\\| *[a-z][\\w -]{2,40}|> *[\\w./~-]{0,40}|" +
	"for [\"'`]?[\\w.-]{0,48}|while (?:reading|parsing) [$\"'`]?)$")

// keyIs leads from a key in a sentence to what calls it one, keyCalled is that.
var (
	keyIs = regexp.MustCompile("((?:0x)?[0-9a-fA-F]{60,64})(?:[\"'`] *|[\"'`]? *(?:<-+|←|<=+|is|was|\\() *)" +
		"(?:(?:my|the|our|an?|not|valid|invalid|deployer|wallet) )*$")
	keyCalled = regexp.MustCompile("(?i)^(?:private|secret|signing)[ _-]?key")
)

// keyBefore emits a key that stands in front of its name.
func (sc *scan) keyBefore(lo int) {
	const near = 140
	before := sc.text[max(0, lo-near):lo]
	digits := false
	for range stretches(before, clsHex, 60) {
		digits = true
	}
	if !digits {
		return
	}
	m := valueBefore.FindStringSubmatchIndex(before)
	if m == nil && keyCalled.MatchString(sc.text[lo:min(len(sc.text), lo+12)]) {
		m = keyIs.FindStringSubmatchIndex(before)
	}
	if m != nil && keyWord(before[m[2]:m[3]]) {
		from := lo - len(before)
		sc.emit(KindContextual, from+m[2], from+m[3])
	}
}

// keyWord tells 60 to 64 hex digits, as wallets that drop leading zeros write 32 bytes, with or without 0x.
func keyWord(word string) bool {
	if len(word) > 2 && word[0] == '0' && word[1]|0x20 == 'x' {
		word = word[2:]
	}
	return len(word) >= 60 && len(word) <= 64 && all(word, clsHex) && (len(word) == 64 && !noKey(word) || len(word) < 64 && !repetitive(word))
}

// keyList emits the key that begins at a place, and those that follow it in a list.
func (sc *scan) keyList(at int) {
	const between = 16
	for {
		end := forward(sc.text, at, clsAlnum)
		sc.emit(KindContextual, at, end)
		at = skip(sc.text[:min(len(sc.text), end+between)], end, " \t\r\n,\"'`-")
		if at == end || !keyWord(sc.text[at:forward(sc.text, at, clsAlnum)]) {
			return
		}
	}
}

// findShortName: a key after a name that ends in pk or sk. Names in capitals are variables of an environment and hold private keys;
// pk in small letters needs the role of an owner beside it, as it is short for a public key as often.
func findShortName(sc *scan, lo, hi int) {
	text := sc.text
	lo = skip(text, lo, "-")
	from := lo
	for from > 0 && lo-from < 48 && (is(text[from-1], clsAlnum) || text[from-1] == '_') {
		from--
	}
	end := lo + len("pk")
	if text[lo] == '_' {
		end++
	}
	name := text[from:end]
	if end = skip(text, end, "0123456789_"); end < len(text) && is(text[end], clsLetter) || len(name) > 2 && name[len(name)-3] != '_' {
		return
	}
	small := strings.ToLower(name)
	public := strings.HasSuffix(small, "pk")
	if public && (holdsAny(small, publicRoles) || name == small && !holdsAny(small, keyRoles) && !assigned(text, from, end)) {
		return
	}
	at, _, ok := separator(text, end)
	if strings.HasSuffix(text[:from], "--") || strings.HasSuffix(text[:from], ".") && !ok {
		at, ok = skip(text, end, "= \"'"), true // an option
	}
	if !ok {
		return
	}
	if word := text[at:forward(text, at, clsAlnum)]; keyWord(word) || !public && len(word) == 128 && all(word, clsHex) {
		sc.keyList(at)
	}
}

// assigned reports whether a variable called pk is set, as in a shell: pk=, or an option: --pk.
func assigned(text string, from, end int) bool {
	return text[from:end] == "pk" && (strings.HasSuffix(text[:from], "--") ||
		byteAfter(text, end) == '=' && strings.IndexByte(" \n\t;`(.", byteBefore(text, from)) >= 0)
}

// publicRoles and keyRoles are parts of names that end in pk.
var (
	publicRoles = strings.Fields("pub bls valid group agg peer node verif")
	keyRoles    = strings.Fields(`deploy owner user sign wallet admin priv eth evm account bot relay keeper mint send treasury fund payer
		alice bob my test main`)
)

// holdsAny reports whether a text holds one of these.
func holdsAny(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// accountList begins an array that a tool's configuration calls accounts. Behind a quoted name keys are as likely public: a chain's
// account may be named by its public key.
var accountList = regexp.MustCompile("^[ \t]*[:=][ \t\r\n]*[\\[-]")
