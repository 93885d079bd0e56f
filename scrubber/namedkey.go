package scrubber

import "strings"

// Private keys in bare hex digits, which a name, a constructor or a tool's configuration gives away.
func namedKeyRules() []rule {
	return []rule{{
		name: "named private key", kind: KindContextual, fold: true, find: findNamedKey,
		anchors: []string{"private", "priv_key", "privkey", "priv-key", "\"priv\"", "priv=", "priv:", "secretkey", "secret_key", "secret key", "secret-key", "seed", "signing_key", "signingkey", "signer_key", "deployer_key", "mnemonic", "entropy", "master_key", "masterkey", "owner_key", "wallet_key",
			"wallet(", "walletprovider(", "from_key", "fromkey(", "importrawkey", "hextoecdsa", "account.from(", "keypair.from", "wallets"},
		removed: []string{"privateKey: \"«<hex:64>»\"", "PRIVATE_KEY=«<hex:64>»", "private key = «<HEX:64>»", "hexEncPrivkey(\"«<hex:64>»\")", "\"seed\": \"«<hex:128>»\"", "my private key is «<hex:64>»", "secret_key := '«<hex:64>»'", "private key: 0x «<hex:64>»",
			"the private key is «<hex:62>»", "privateKeyHex: «0x<hex:63>»", "PRIVATE_KEY=«<HEX:60>»", "new Wallet(\"«<hex:64>»\")", "new ethers.Wallet('«<hex:64>»', provider)", "Account.from_key('«<hex:64>»')", "from_key: «<hex:63>»", "new HDWalletProvider([\"«<hex:64>»\", \"«<hex:64>»\"], url)",
			"private_keys = [\n  \"«<hex:64>»\",\n  \"«<hex:64>»\",\n]", "ECPair.fromPrivateKey(Buffer.from('«<hex:64>»', 'hex'))", "crypto.HexToECDSA(\"«<hex:64>»\")", "PrivateKeySigner::from_str(\"«<hex:64>»\")", "bytes.fromhex(\"<hex:8>\"); private_key = bytes.fromhex(\"«<hex:64>»\")", "private_keys:\n  - «<hex:64>»\n  - «<hex:64>»",
			"new Wallet(\n  \"«<hex:64>»\",\n)", "<b>Private key</b>: <code>«<hex:62>»</code>"},
		kept: []string{"publicKey: <hex:64>", "sha256: <hex:64>", "block <hex:64>", "seedHash: <hex:64>", "private mempool, tx <hex:64> was not seen", "private commit <hex:40>", "private key 0x<hex:66>", "new Wallet(provider)", "wallet(0x<hex:40>)", "wallets: [\"0x<hex:40>\"]"},
	}, {
		name: "short name of a private key", kind: KindContextual, fold: true, find: findShortName,
		anchors: []string{"_pk", "_sk", "pk=", "pk:", "pk =", "sk=", "sk:", "sk\"", "sk ="},
		removed: []string{"DEPLOYER_PK=«<hex:64>»", "export PK=«<hex:64>»", "OWNER_PK_2: \"«<hex:63>»\"", "deployer_pk = '«<hex:64>»'", "\"sk\": \"«<hex:64>»\"", "ALICE_SK=«<hex:64>»", "sk = «<hex:128>»", "SIGNER_PK=\"«0x<hex:62>»\""},
		kept:    []string{"\"pk\": \"<hex:64>\"", "validator_pk: <hex:64>", "BLS_PK=<hex:96>", "PUB_PK=<hex:64>", "risk: <hex:64>", "task = <hex:64>", "DEPLOYER_PK=$KEY", "USER_PK=17"},
	}, {
		name: "accounts of a tool", kind: KindContextual, fold: true, find: findAccounts,
		anchors: []string{"accounts"},
		removed: []string{"accounts: [\"«<hex:64>»\"]", "accounts: ['«<hex:64>»', '«<hex:64>»'],", "accounts = [\n  \"«<hex:64>»\"\n]", "accounts: [`«0x<hex:63>»`]", "accounts:\n  - «<hex:64>»"},
		kept:    []string{"\"accounts\": [\"<hex:64>\"]", "accounts: [\"0x<hex:40>\"]", "accounts: [process.env.KEY]", "accounts <hex:64>", "accountsRoot: <hex:64>"},
	}}
}

// keyFillers are the words that may stand between a name of a private key and the key.
var keyFillers = map[string]bool{
	"key": true, "keys": true, "is": true, "was": true, "hex": true, "value": true, "of": true, "the": true, "wallet": true, "string": true, "as": true, "bytes": true, "phrase": true, "0x": true, "for": true,
	"account": true, "my": true, "buffer": true, "from": true, "fromhex": true, "str": true, "new": true, "uint8array": true, "unhexlify": true, "binascii": true, "hexbytes": true, "h256": true, "const": true, "b": true, "x": true,
	"secp256k1": true, "privatekey": true, "signingkey": true, "ethers": true, "utils": true, "decode": true,
	"fromstring": true, "fromhexstring": true, "frombytes": true, "code": true, "strong": true, "td": true, "span": true, "pre": true,
}

// findNamedKey: a key close behind the name of a private key, or several in a list.
func findNamedKey(sc *scan, lo, hi int) int {
	const near, far = 24, 160
	text := sc.text
	at := hi
	// The rest of the name, then at most near characters of is, =, :, ( and quotes.
	if is(text[hi-1], clsAlnum) {
		at = forward(text, at, clsAlnum|clsURL64)
	}
	if name := squeeze(text[lo:at]); strings.HasSuffix(name, "hash") || strings.HasSuffix(name, "id") || strings.Contains(name, "public") || strings.HasSuffix(name, "address") {
		return at
	}
	for limit := min(len(text), at+near); at < limit; {
		c := text[at]
		if is(c, clsAlnum) {
			end := forward(text, at, clsAlnum)
			word := text[at:end]
			if keyWord(word) || all(word, clsHex) && (len(word) == 128 || len(word) == 32 && seedName(text[lo:hi]) && !dull(word)) {
				return sc.keyList(at)
			}
			if !keyFillers[strings.ToLower(word)] {
				return hi
			}
			limit = min(len(text), max(limit, end+near), hi+far)
			at = end
			continue
		}
		if c == '\n' && strings.IndexByte("([,=:\n", text[at-1]) < 0 || c == '.' && at+1 < len(text) && text[at+1] == ' ' {
			return hi
		}
		at++
	}
	return hi
}

// keyWord tells 60 to 64 hex digits, as wallets that drop leading zeros write 32 bytes, with or without 0x.
func keyWord(word string) bool {
	if len(word) > 2 && word[0] == '0' && word[1]|0x20 == 'x' {
		word = word[2:]
	}
	return len(word) >= 60 && len(word) <= 64 && all(word, clsHex) && (len(word) == 64 || !dull(word))
}

// keyList emits the key that begins at a place, and those that follow it in a list. It returns the end of the last.
func (sc *scan) keyList(at int) int {
	const between = 16
	text := sc.text
	end := forward(text, at, clsAlnum)
	sc.emit(KindContextual, at, end)
	for {
		next := end
		for next < min(len(text), end+between) && strings.IndexByte(" \t\r\n,\"'`-", text[next]) >= 0 {
			next++
		}
		stop := forward(text, next, clsAlnum)
		if next == end || !keyWord(text[next:stop]) {
			return end
		}
		sc.emit(KindContextual, next, stop)
		end = stop
	}
}

func seedName(s string) bool {
	return strings.EqualFold(s, "entropy") || strings.EqualFold(s, "seed") || strings.EqualFold(s, "mnemonic")
}

// publicRoles and keyRoles are parts of names that end in pk, which is short for a public key as often as for a private one.
var (
	publicRoles = [...]string{"pub", "bls", "valid", "group", "agg", "peer", "node", "verif"}
	keyRoles    = [...]string{"deploy", "owner", "user", "sign", "wallet", "admin", "priv", "eth", "evm", "account", "bot", "relay", "keeper", "mint", "send", "treasury", "fund", "payer", "alice", "bob", "my", "test", "main"}
)

// findShortName: a key behind a name that ends in pk or sk. Names in capitals are variables of an environment and hold private keys; pk in small
// letters needs the role of an owner beside it.
func findShortName(sc *scan, lo, hi int) int {
	text := sc.text
	from := lo
	for from > 0 && lo-from < 48 && (is(text[from-1], clsAlnum) || text[from-1] == '_') {
		from--
	}
	end := lo
	if text[lo] == '_' {
		end++
	}
	end += len("pk")
	name := text[from:end]
	small := strings.ToLower(name)
	kind := small[len(small)-2:]
	for end < len(text) && (is(text[end], clsDigit) || text[end] == '_') {
		end++
	}
	if end < len(text) && is(text[end], clsLetter) || len(name) > 2 && name[len(name)-3] != '_' {
		return hi
	}
	if kind == "pk" {
		for _, role := range publicRoles {
			if strings.Contains(small, role) {
				return hi
			}
		}
		owned := name != small
		for _, role := range keyRoles {
			owned = owned || strings.Contains(small, role)
		}
		if !owned {
			return hi
		}
	}
	at, _, ok := separator(text, end)
	if !ok {
		return hi
	}
	stop := forward(text, at, clsAlnum)
	if word := text[at:stop]; keyWord(word) || kind == "sk" && len(word) == 128 && all(word, clsHex) {
		return sc.keyList(at)
	}
	return hi
}

// findAccounts: keys in an array that a tool's configuration calls accounts. Behind a quoted name they are as likely public: a
// chain's account may be named by its public key.
func findAccounts(sc *scan, lo, hi int) int {
	text := sc.text
	if hi >= len(text) || lo > 0 && (is(text[lo-1], clsAlnum) || strings.IndexByte("\"'", text[lo-1]) >= 0) {
		return hi
	}
	at := skip(text, hi, " \t")
	if at >= len(text) || text[at] != ':' && text[at] != '=' {
		return hi
	}
	at++
	list := at
	for at < min(len(text), list+40) && strings.IndexByte(" \t\r\n[\"'`-", text[at]) >= 0 {
		at++
	}
	if !strings.ContainsAny(text[list:at], "[-") || !keyWord(text[at:forward(text, at, clsAlnum)]) {
		return hi
	}
	return sc.keyList(at)
}
