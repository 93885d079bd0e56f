package scrubber

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// spelling makes what <name:how> of the forms below stands for: a key, a phrase or a token in one of the ways in which people write it.
func (g gen) spelling(name, how string) string {
	key := g.bytes(32)
	key[0] |= 0x10 // a decimal number of 77 digits, and never a constant
	digits := hex.EncodeToString(key)
	named := "PRIVATE_KEY=0x" + digits
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	switch name {
	case "hexbytes": // 4c 08 83, and so on with other signs
		return grouped(digits, 2, map[string]string{"space": " ", "colon": ":", "comma": ", ", "hyphen": "-", "lines": ":"}[how])
	case "hexquads":
		return grouped(digits, 4, map[string]string{"space": " ", "colon": ":", "under": "_", "hyphen": "-"}[how])
	case "hexwords":
		return grouped(digits, 8, " ")
	case "hexlines": // as openssl prints a key
		rows := strings.Split(grouped(digits, 2, ":"), ":")
		return strings.Join(rows[:15], ":") + ":\n    " + strings.Join(rows[15:30], ":") + ":\n    " + strings.Join(rows[30:], ":")
	case "hexints":
		return strings.ReplaceAll(ints(key, "0x%02x"), ",", ", ")
	case "hexrows":
		rows := strings.Split(ints(key, "0x%02x"), ",")
		return strings.Join(rows[:16], ", ") + ",\n    " + strings.Join(rows[16:], ", ")
	case "hexescapes":
		return `\x` + grouped(digits, 2, `\x`)
	case "decimal":
		return new(big.Int).SetBytes(key).String()
	case "base64of":
		switch how {
		case "digits":
			return encode(digits)
		case "threefold":
			return encode(encode(encode(named)))
		case "gzip":
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write([]byte("# deployer\n" + named + "\n"))
			z.Close()
			return base64.StdEncoding.EncodeToString(b.Bytes())
		}
		return base64.StdEncoding.EncodeToString(key)
	case "base32of":
		if how == "text" {
			return base32.StdEncoding.EncodeToString([]byte(named))
		}
		return base32.StdEncoding.EncodeToString(key)
	case "jwtlines":
		return strings.ReplaceAll(g.jwt(), ".", map[string]string{"behind": ".\n", "before": "\n.", "indented": ".\n    ", "quoted": ".\n> "}[how])
	case "jwtwrapped":
		s := g.jwt()
		return s[:40] + "\n" + s[40:80] + "\n" + s[80:]
	case "xaman":
		return layNumbers(g.secretNumbers(), how)
	}
	return ""
}

// grouped writes digits in groups of n.
func grouped(digits string, n int, between string) string {
	var groups []string
	for ; digits != ""; digits = digits[n:] {
		groups = append(groups, digits[:n])
	}
	return strings.Join(groups, between)
}

// layNumbers lays secret numbers out as the app shows them, and as people copy that.
func layNumbers(w []string, how string) (out string) {
	for i, group := range w {
		spaced := strings.Join(strings.Split(group, ""), " ")
		letter := string(rune('A' + i))
		switch how {
		case "rows": // A 4 6 3 4 6 8
			out += letter + " " + spaced + "\n"
		case "boxes":
			out += "| " + letter + " | " + strings.ReplaceAll(spaced, " ", " | ") + " |\n"
		case "digits":
			out += spaced + "\n"
		case "halves":
			out += group[:3] + " " + group[3:] + "\n"
		case "hyphens":
			out += letter + ": " + group[:3] + "-" + group[3:] + "\n"
		case "pairs":
			out += group[:2] + " " + group[2:4] + " " + group[4:] + "  "
		case "lists":
			out += "\"" + letter + "\": [" + strings.ReplaceAll(spaced, " ", ", ") + "], "
		case "parens":
			out += letter + ") " + group + "  "
		}
	}
	return strings.TrimSpace(out)
}

// heads are the first four letters of each word.
func heads(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w[:min(len(w), 4)]
	}
	return out
}

// camel writes words together.
func camel(words []string) (out string) {
	for _, w := range words {
		out += strings.ToUpper(w[:1]) + w[1:]
	}
	return out
}

// indexes are the places of words in their list.
func indexes(words []string, from int) []string {
	out := make([]string, len(words))
	for i, w := range words {
		for k, known := range listWords(listEnglish) {
			if known == w {
				out[i] = fmt.Sprint(k + from)
			}
		}
	}
	return out
}

// places reads numbers.
func places(numbers []string) []int {
	out := make([]int, len(numbers))
	for i, n := range numbers {
		out[i], _ = strconv.Atoi(n)
	}
	return out
}

// hanzi draws a phrase of one character a word, without spaces.
func (g gen) hanzi(list, n int) string { return strings.Join(g.mnemonic(list, n), "") }

// spelledPhrases are seed phrases that are not written as words between signs.
func spelledPhrases(g gen) (all []pasted) {
	add := func(form, text string, secrets []string, words bool) {
		all = append(all, pasted{"phrase", form, text, secrets, words})
	}
	for _, n := range []int{12, 24} {
		w := g.mnemonic(listEnglish, n)
		h := heads(w)
		add(fmt.Sprint("heads ", n), "seed phrase, first four letters: "+strings.Join(h, " "), h, true)
		w = g.mnemonic(listEnglish, n)
		h = heads(w)
		add(fmt.Sprint("heads, numbered ", n), "my recovery phrase on the steel plate:\n"+each(h, "%d. %s\n"), h, true)
		w = g.mnemonic(listEnglish, n)
		h = heads(w)
		add(fmt.Sprint("heads, capitals ", n), "SEED "+strings.ToUpper(strings.Join(h, " ")), []string{strings.ToUpper(strings.Join(h, " "))}, false)
		w = g.mnemonic(listEnglish, n)
		i := indexes(w, 0)
		add(fmt.Sprint("indexes ", n), "mnemonic indexes: "+strings.Join(i, " "), []string{strings.Join(i, " ")}, false)
		w = g.mnemonic(listEnglish, n)
		i = indexes(w, 1)
		add(fmt.Sprint("indexes from 1, ", n), "BIP39 word numbers = ["+strings.Join(i, ", ")+"]", []string{strings.Join(i, ", ")}, false)
		w = g.mnemonic(listEnglish, n)
		i = indexes(w, 0)
		add(fmt.Sprint("indexes, list ", n), "\"seedWordIndexes\": ["+strings.Join(i, ",")+"]", []string{strings.Join(i, ",")}, false)
		c := camel(g.mnemonic(listEnglish, n))
		add(fmt.Sprint("camelCase ", n), "const m = '"+strings.ToLower(c[:1])+c[1:]+"'", []string{c[1:]}, false)
		c = camel(g.mnemonic(listEnglish, n))
		add(fmt.Sprint("PascalCase ", n), "it is "+c+" and works", []string{c}, false)
		for _, between := range []string{" then ", " and ", " + ", " und dann "} {
			w = g.mnemonic(listEnglish, n)
			add(fmt.Sprintf("joined by%s%d", between, n), "the words are "+strings.Join(w, between)+".", w, true)
		}
	}
	for _, n := range []int{12, 24} {
		for list, label := range map[int]string{8: "助记词：", 9: "我的助記詞是"} {
			h := g.hanzi(list, n)
			add(fmt.Sprint("hanzi ", list, " ", n), label+h+"。", []string{h}, false)
			h = g.hanzi(list, n)
			add(fmt.Sprint("hanzi, English label ", list, " ", n), "mnemonic: "+h, []string{h}, false)
		}
	}
	return all
}

// spelledForms are the other forms by class: «» marks what must go.
var spelledForms = []struct {
	class string
	forms []string
}{
	{"name and value apart", []string{
		"env:\n  - name: PRIVATE_KEY\n    value: \"«<hex:64>»\"", "- name: DEPLOYER_PRIVATE_KEY\n  value: «<hex:64>»",
		"- name: DB_PASSWORD\n  value: \"«<an:10>7!k»\"", "- name: ETHERSCAN_API_KEY\n  value: '«<UPD:34>»'",
		"{\"name\": \"PRIVATE_KEY\", \"value\": \"«<hex:64>»\"}", "{\"value\": \"«<hex:64>»\", \"name\": \"PRIVATE_KEY\"}",
		"{\"key\":\"SIGNER_PRIVATE_KEY\",\"value\":\"«<hex:64>»\",\"type\":\"secret\"}", "{\"Name\":\"API_SECRET\",\"Value\":\"«<an:30>7q»\"}",
		"{\"value\":\"«<an:30>7q»\",\"name\":\"API_SECRET\"}", "{\n  \"value\": \"«<an:9>7!q»\",\n  \"name\": \"DB_PASSWORD\"\n}",
		"[{\"name\":\"RPC\",\"value\":\"http://x\"},{\"name\":\"WALLET_PRIVATE_KEY\",\"value\":\"«<hex:64>»\"}]",
		"name  = \"PRIVATE_KEY\"\nvalue = \"«<hex:64>»\"", "- key: AWS_SECRET_ACCESS_KEY\n  value: «<b64:38>7z»",
		"- name: PRIVATE_KEY\n  sensitive: true\n  value: «<hex:64>»", "<add key=\"PrivateKey\" value=\"«<hex:64>»\" />",
		"<property name=\"password\" value=\"«<an:9>7!q»\"/>", "address,private_key\n0x<hex:40>,«<hex:64>»\n0x<hex:40>,«<hex:64>»",
		"name;privateKey;address\nhot;«<hex:64>»;0x<hex:40>", "id\tprivate key\n1\t«<hex:64>»\n2\t«<hex:64>»",
		"| Address | Private Key |\n|---|---|\n| 0x<hex:40> | «<hex:64>» |",
		"| # | Account | Private key | Balance |\n|--|--|--|--|\n| 0 | 0x<hex:40> | `«<hex:64>»` | 10 |\n| 1 | 0x<hex:40> | `«<hex:64>»` | 10 |",
		"user,password\nalice,«<an:9>7!q»\nbob,«<an:9>7!q»", "| user | password |\n|---|---|\n| ops | «<an:9>7!q» |",
		"service,api_key,region\nhelius,«<uuid>»,eu", "|Key|Value|\n|---|---|\n|PRIVATE_KEY|«<hex:64>»|",
		"\"wallet\",\"secret_key\"\n\"hot\",\"«<hex:64>»\"",
	}},
	{"byte arrays", []string{
		"Keypair.fromSeed(new Uint8Array([«<ints:32>»]))", "Keypair.fromSeed(Uint8Array.from([«<ints:32>»]))", "Keypair.from_seed(bytes([«<ints:32>»]))",
		"private_key = bytes([«<ints:32>»])", "privateKey = new Uint8Array([«<ints:32>»])", "const secretKey = Uint8Array.from([«<ints:64>»])",
		"let private_key: [u8; 32] = [«<hexints:32>»];", "const SECRET_KEY: [u8; 32] = [\n    «<hexrows:32>»,\n];", "var privateKey = []byte{«<hexints:32>»}",
		"uint8_t private_key[32] = {«<hexints:32>»};", "byte[] privateKey = new byte[] { «<ints:32>» };", "seed = [«<ints:32>»]",
		"SigningKey::from_bytes(&[«<hexints:32>»])", "PrivateKey.from_bytes(bytes([«<ints:32>»]))", "nacl.sign.keyPair.fromSeed(new Uint8Array([«<ints:32>»]))",
		"Ed25519Keypair.fromSecretKey(Uint8Array.from([«<ints:32>»]))", "\"secretKey\": [«<ints:64>»]", "private_key = b\"«<hexescapes:32>»\"",
		"privateKey: { type: 'Buffer', data: [«<ints:32>»] }", "privateKey: <Buffer «<hexbytes:space>»>", "Account::from_private_key(&hex!(\"«<hex:64>»\"))",
	}},
	{"arguments", []string{
		"cast wallet address «<hex:64>»", "cast wallet sign --private-key «<hex:64>» hello", "cast wallet sign hello --private-key=«<hex:63>»",
		"cast wallet import deployer --interactive <<< «<hex:64>»", "cast wallet import hot --private-key \"«<hex:64>»\"", "geth account import <(echo «<hex:64>»)",
		"echo «<hex:64>» | geth account import /dev/stdin", "geth account import --password p.txt <<< \"«<hex:64>»\"", "echo '«<hex:64>»' > private.key",
		"npx hardhat vars set PRIVATE_KEY\n✔ Enter value: · «<hex:64>»", "npx hardhat vars set PRIVATE_KEY «<hex:64>»",
		"npx hardhat vars set ETHERSCAN_API_KEY\n✔ Enter value: «<UPD:34>»", "vercel env add PRIVATE_KEY\n? What's the value of PRIVATE_KEY? «<hex:64>»",
		"vercel env add PRIVATE_KEY production\n? What’s the value of PRIVATE_KEY? › «<hex:64>»", "vercel env add API_SECRET\n? What's the value of API_SECRET? «<an:30>7q»",
		"echo «<hex:64>» | vercel env add PRIVATE_KEY production", "gh secret set PRIVATE_KEY --body «<hex:64>»", "gh secret set PRIVATE_KEY -b\"«<hex:64>»\"",
		"wrangler secret put PRIVATE_KEY\n✔ Enter a secret value: … «<hex:64>»", "aptos init --private-key «<hex:64>» --network devnet", "forge script D --private-keys «<hex:64>» --broadcast",
		"Available Accounts\n==================\n(0) 0x<hex:40> (10000 ETH)\n\nPrivate Keys\n==================\n(0) «<hex:64>»\n(1) «<hex:64>»\n(2) «<hex:64>»",
		"Private Keys\n==================\n\n(0) «0x<hex:64>»\n(1) «0x<hex:64>»", "brownie accounts new x\nEnter the private key you wish to add: «<hex:64>»",
		"docker run -e PRIVATE_KEY=«<hex:64>» relayer", "starkli signer keystore from-key k.json\nEnter private key: «<hex:63>»",
	}},
	{"errors that quote", []string{
		"Error: invalid hexlify value (argument=\"value\", value=\"«<hex:64>»\", code=INVALID_ARGUMENT, version=bytes/5.7.0)\n    at new SigningKey (x.js:20:65)\n    at new Wallet (x.js:123:36)",
		"TypeError: invalid BytesLike value (argument=\"value\", value=\"«<hex:64>»\", code=INVALID_ARGUMENT, version=6.13.4)\n    at makeError (e.js:1:2)\n    at new Wallet (w.js:1:2)",
		"TypeError: invalid BytesLike value (argument=\"value\", value=\"«0x7g<hex:62>»\", code=INVALID_ARGUMENT, version=6.13.4)\n    at dataLength (d.js:1:2)\n    at new SigningKey (w.js:1:2)",
		"at new Wallet (w.js:1:2) {\n  code: 'INVALID_ARGUMENT',\n  argument: 'value',\n  value: '«<hex:64>»',\n  shortMessage: 'invalid BytesLike value'\n}",
		"reason: 'invalid hexlify value',\n  argument: 'value',\n  value: '«<hex:63>»' } when I call new ethers.Wallet(process.env.KEY)",
		"invalid private key (argument=\"privateKey\", value=\"«<hex:62>»\", code=INVALID_ARGUMENT)", "invalid arrayify value (argument=\"value\", value=\"«<hex:64>»\") in my new Wallet call",
		"Error: invalid private key, expected hex or 32 bytes, got «<hex:62>»", "private key must be 32 bytes, hex or bigint, not string: '«<hex:63>»'",
		"ValueError: The private key must be exactly 32 bytes long, instead of 31 bytes. got '«<hex:62>»'",
		"ValidationError: Unexpected private key format. Expected bytes, got '«<hex:64>»'", "binascii.Error: Non-hexadecimal digit found in private key '«<hex:63>»'",
		"Error: Private key must be 32 bytes long (received «<hex:62>»)", "InvalidPrivateKeyError: Invalid Private Key, Not a valid string or uint8Array: «<hex:63>»",
		"Error: Failed to decode private key: «<hex:63>»", "error: invalid value '«<hex:63>»' for '--private-key <RAW_PRIVATE_KEY>': odd number of digits",
		"Invalid value «<hex:62>» for HardhatConfig.networks.sepolia.accounts - Expected a value of type HttpNetworkAccountsConfig.",
		"vm.envUint: failed parsing $PRIVATE_KEY as type `uint256`: missing hex prefix for hex string \"«<hex:64>»\"",
	}},
	{"split", []string{
		"PRIVATE_KEY = \"«<hex:32>»\" + \"«<hex:32>»\"", "const privateKey = '«<hex:20>»' + '«<hex:20>»' + '«<hex:24>»'", "private_key = (\"«<hex:32>»\"\n    \"«<hex:32>»\")",
		"privateKey: >-\n  «<hex:32>»\n  «<hex:32>»", "private_key: |\n  «<hex:40>»\n  «<hex:24>»", "const privateKey = [\"«<hex:32>»\", \"«<hex:32>»\"].join('')",
		"PRIVATE_KEY = ''.join(['«<hex:16>»', '«<hex:16>»', '«<hex:16>»', '«<hex:16>»'])", "PRIVATE_KEY_PART1=«<hex:32>»\nPRIVATE_KEY_PART2=«<hex:32>»",
		"PRIVATE_KEY_A=«<hex:32>»\nPRIVATE_KEY_B=«<hex:32>»", "private key part 1: «<hex:32>»\nprivate key part 2: «<hex:32>»",
		"first half of the private key is «<hex:32>», second half is «<hex:32>»", "private key (1/2): «<hex:32>»\nprivate key (2/2): «<hex:32>»",
		"privateKey: \"«<hex:32>»\" \\\n  \"«<hex:32>»\"", "PRIVATE_KEY=«<hex:32>»\\\n«<hex:32>»", "new Wallet(\"0x\" + \"«<hex:64>»\")", "privateKey = '0x' + '«<hex:64>»'",
		"{\"privateKey1\": \"«<hex:32>»\", \"privateKey2\": \"«<hex:32>»\"}", "apiKey = \"«<an:14>7q»\" + \"«<an:14>7q»\"",
		"aws_secret_access_key = \"«<b64:18>7z»\" + \"«<b64:18>7z»\"", "DB_PASSWORD=\"«<an:6>7!»\"\"«<an:6>9q»\"", "secret = '«<an:14>7q»' . '«<an:14>7q»';",
	}},
	{"other spellings", []string{
		"private key: «<hexbytes:space>»", "Private key = «<hexbytes:colon>»", "private key: «<hexquads:space>»", "my private key is «<hexwords:space>»", "privateKey: «<hexquads:hyphen>»",
		"Private-Key: (256 bit)\npriv:\n    «<hexlines:x>»\npub:\n    04", "privateKey = 0x«<hexquads:under>»", "private key (decimal): «<decimal:x>»", "privateKey = «<decimal:x>»n",
		"PRIVATE_KEY=«<decimal:x>»", "pk=«<hex:64>»", "export pk=«<hex:64>»", "HOT=«<hex:64>»", "SIGNER=«<hex:64>»", "HOT_WALLET=«<hex:64>»", "export SIGNER='«<hex:64>»'",
		"privateKey = atob(\"«<base64of:digits>»\")", "PRIVATE_KEY=$(echo «<base64of:digits>» | base64 -d)", "privateKey: Buffer.from(\"«<base64of:key>»\", \"base64\")",
		"private_key_b64: «<base64of:key>»", "new Wallet(atob('«<base64of:digits>»'))", "«<base64of:threefold>»", "k8s secret: «<base64of:threefold>»", "«<base64of:gzip>»",
		"echo «<base64of:gzip>» | base64 -d | gunzip", "private key (base32): «<base32of:key>»", "«<base32of:text>»", "privateKey = base32.decode(\"«<base32of:key>»\")",
		"private_key = int('«<hex:64>»', 16)",
	}},
	{"tokens and headers", []string{
		"«<jwtlines:behind>»", "Authorization: Bearer «<jwtlines:before>»", "token:\n    «<jwtlines:indented>»", "> «<jwtlines:quoted>»", "«<jwtwrapped:x>»", "jwt = «<jwtwrapped:x>»",
		"headers: { Authorization: `Bearer ${\"«<an:30>7q»\"}` }", "f\"Bearer {'«<an:30>7q»'}\"", "\"Authorization\": \"Bearer \" + \"«<an:30>7q»\"", "Authorization: `Bearer ${'«<u64:40>7»'}`",
	}},
	{"keys in prose", []string{
		"our Etherscan key is «<UPD:34>»", "the alchemy key «<an:30>7Q» stopped working", "infura project id «<hex:32>» gives 401", "My Helius key is «<uuid>», why 429?",
		"I use the Moralis key «<an:40>7q» for this", "Infura key: «<hex:32>»", "ETHERSCAN_KEY=«<UPD:34>»", "quicknode token is «<hex:40>»", "the CoinGecko key CG-«<an:24>»",
		"pinata_api_key: '«<hex:20>'», pinata_secret_api_key: '«<hex:64>»'", "PINATA_KEY=«<hex:20>»", "PINATA_SECRET=«<hex:64>»", "API Key: «<hex:20>»\nAPI Secret: «<hex:64>»\n(pinata)",
		"new pinataSDK('«<hex:20>»', '«<hex:64>»')", "root password is «<an:6>7Q»", "ssh root@10.0.0.7, root password «<an:7>9!x»", "log in as root with password «<an:8>7K»", "root pw: «<an:8>7K»",
		"the root password of the box was «Tr<dig:1>ub<dig:1>dor&3»", "password for root: «<an:8>7K»", "root's password = «<an:9>8#»",
	}},
	{"addresses", []string{
		"write to «<a:6> [at] <a:7>.com»", "«<a:6>(at)<a:7>.org»", "«<a:6>[at]<a:7>[dot]com» has it", "«<a:5>.<a:4> (at) <a:6> (dot) io»", "contact «<a:6> AT <a:7> DOT com»",
		"mail:«<a:6>@<a:7>.com»:", "mail:«<a:6>@<a:7>.io»: please", "sent by mail:«<a:5>@<a:6>.net»:587",
	}},
	{"secret numbers", []string{
		"«<xaman:rows>»", "Xaman:\n«<xaman:boxes>»", "secret numbers\n«<xaman:digits>»", "«<xaman:halves>»", "«<xaman:hyphens>»", "«<xaman:pairs>»", "{«<xaman:lists>»}", "«<xaman:parens>»",
	}},
}
