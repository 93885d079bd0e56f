package scrubber

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// hidings write a secret in ways in which it was seen to get past scanners. What is returned around « » must come
// back; what is between them must go. Only forms that suit every kind are here.
var hidings = []struct {
	name string
	hide func(g gen, secret string) string
}{
	{"alone", func(_ gen, s string) string { return "«" + s + "»" }},
	{"in a sentence", func(_ gen, s string) string { return "I used «" + s + "», sorry" }},
	{"quoted", func(_ gen, s string) string { return `"«` + s + `»"` }},
	{"backticks", func(_ gen, s string) string { return "`«" + s + "»`" }},
	{"markdown bold", func(_ gen, s string) string { return "**«" + s + "»**" }},
	{"after an equals sign", func(_ gen, s string) string { return "x=«" + s + "»" }},
	{"in json", func(_ gen, s string) string { return `{"a":{"b":"«` + s + `»"}}` }},
	{"as a json key", func(_ gen, s string) string { return `{"«` + s + `»":1}` }},
	{"in json in json", func(_ gen, s string) string { return `{"a":"{\"b\":\"«` + s + `»\"}"}` }},
	{"after a written newline", func(_ gen, s string) string { return `log:\n«` + s + `»\nend` }},
	{"after a written tab", func(_ gen, s string) string { return `a\t«` + s + `»\tb` }},
	{"after %20", func(_ gen, s string) string { return "q=a%20«" + s + "»%20b" }},
	{"after %0A", func(_ gen, s string) string { return "q=a%0A«" + s + "»%0Ab" }},
	{"in an html tag", func(_ gen, s string) string { return "<code>«" + s + "»</code>" }},
	{"beside entities", func(_ gen, s string) string { return "&lt;«" + s + "»&gt;" }},
	{"between han", func(_ gen, s string) string { return "私钥：«" + s + "»。泄露" }},
	{"between emoji", func(_ gen, s string) string { return "🔑«" + s + "»🔥" }},
	{"after a colour code", func(_ gen, s string) string { return "\x1b[31m«" + s + "»\x1b[0m" }},
	{"after a written colour code", func(_ gen, s string) string { return `\u001b[31m«` + s + `»\u001b[0m` }},
	{"behind a byte order mark", func(_ gen, s string) string { return "\ufeff«" + s + "»" }},
	{"behind a broken byte", func(_ gen, s string) string { return "\xff«" + s + "»\xfe" }},
	{"behind a lone surrogate", func(_ gen, s string) string { return "\xed\xa0\x80«" + s + "»\xed" }},
	{"every letter a zero-width space", func(_ gen, s string) string { return "k «" + spaced(s, "\u200b") + "» k" }},
	{"every letter a joiner", func(_ gen, s string) string { return "k «" + spaced(s, "\u200d") + "» k" }},
	{"every letter a soft hyphen", func(_ gen, s string) string { return "k «" + spaced(s, "\u00ad") + "» k" }},
	{"every letter a grapheme joiner", func(_ gen, s string) string { return "k «" + spaced(s, "\u034f") + "» k" }},
	{"every letter a vowel separator", func(_ gen, s string) string { return "k «" + spaced(s, "\u180e") + "» k" }},
	{"every letter a direction mark", func(_ gen, s string) string { return "k «" + spaced(s, "\u200e") + "» k" }},
	{"every letter a variation selector", func(_ gen, s string) string { return "k «" + spaced(s, "\ufe0f") + "» k" }},
	{"every letter a tag character", func(_ gen, s string) string { return "k «" + spaced(s, "\U000e0041") + "» k" }},
	{"every letter a hangul filler", func(_ gen, s string) string { return "k «" + spaced(s, "\u3164") + "» k" }},
	{"every letter a zero byte", func(_ gen, s string) string { return "k «" + spaced(s, "\x00") + "» k" }},
	{"every letter a backspace", func(_ gen, s string) string { return "k «" + spaced(s, "\b") + "» k" }},
	{"every letter a replacement character", func(_ gen, s string) string { return "k «" + spaced(s, "\ufffd") + "» k" }},
	{"every letter an invalid byte", func(_ gen, s string) string { return "k «" + spaced(s, "\xff") + "» k" }},
	{"struck through", func(_ gen, s string) string { return "k «" + spaced(s, "\u0336") + "» k" }},
	{"bidi override", func(_ gen, s string) string { return "k «" + s[:4] + "\u202e\u202c" + s[4:] + "» k" }},
	{"full width", func(_ gen, s string) string { return "k «" + fullwidth(s) + "» k" }},
	{"one letter full width", func(_ gen, s string) string { return "k «" + s[:5] + fullwidth(s[5:6]) + s[6:] + "» k" }},
	{"percent encoded", func(_ gen, s string) string { return "k «" + percent(s) + "» k" }},
	{"percent encoded twice", func(_ gen, s string) string { return "k «" + url.QueryEscape(percent(s)) + "» k" }},
	{"\\u escapes", func(_ gen, s string) string { return "k «" + escaped(s, `\u%04x`) + "» k" }},
	{"\\x escapes", func(_ gen, s string) string { return "k «" + escaped(s, `\x%02X`) + "» k" }},
	{"octal escapes", func(_ gen, s string) string { return "k «" + escaped(s, `\%03o`) + "» k" }},
	{"\\u{} escapes", func(_ gen, s string) string { return "k «" + escaped(s, `\u{%x}`) + "» k" }},
	{"decimal entities", func(_ gen, s string) string { return "k «" + escaped(s, `&#%d;`) + "» k" }},
	{"hex entities", func(_ gen, s string) string { return "k «" + escaped(s, `&#x%x;`) + "» k" }},
	{"escaped entities", func(_ gen, s string) string { return "k «" + escaped(s, `&amp;#%d;`) + "» k" }},
	{"escapes escaped", func(_ gen, s string) string { return "k «" + escaped(s, `\\u%04x`) + "» k" }},
	{"base64", func(_ gen, s string) string { return "k «" + b64("the key is "+s+" ok") + "» k" }},
	{"base64 of json", func(_ gen, s string) string { return `"«` + b64(`{"user":"bot","key":"`+s+`"}`) + `»"` }},
	{"base64 twice", func(_ gen, s string) string { return "k «" + b64(b64("the key is "+s+" ok")) + "» k" }},
	{"base64url", func(_ gen, s string) string {
		return "k «" + base64.RawURLEncoding.EncodeToString([]byte("the key is: "+s+" ???>>>")) + "» k"
	}},
	{"hex of text", func(_ gen, s string) string { return "k «" + hex.EncodeToString([]byte("key "+s+" end")) + "» k" }},
	{"0x hex of text", func(_ gen, s string) string { return "k 0x«" + hex.EncodeToString([]byte("key "+s+" end")) + "» k" }},
	{"escape inside a zero-width", func(_ gen, s string) string {
		return "k «" + strings.ReplaceAll(spaced(s, "!"), "!", `\u200b`) + "» k"
	}},
}

func spaced(s, between string) string { return strings.Join(strings.Split(s, ""), between) }

func fullwidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x20 && r < 0x7f {
			return r + 0xFEE0
		}
		return r
	}, s)
}

func percent(s string) string { return escaped(s, "%%%02X") }

func escaped(s, form string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, form, s[i])
	}
	return b.String()
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// hidden are the kinds that every hiding must not hide.
var hidden = []struct {
	name string
	draw func(g gen) string
}{
	{"ledger seed", func(g gen) string { return g.seed() }},
	{"ledger ed seed", func(g gen) string { return g.edSeed() }},
	{"ledger key", func(g gen) string { return "ED" + g.from(alphabets["HEX"], 64) }},
	{"0x key", func(g gen) string { return "0x" + g.from(alphabets["hex"], 64) }},
	{"jwt", func(g gen) string { return g.jwt() }},
	{"service token", func(g gen) string { return "agl-" + g.from(alphabets["b36"], 40) }},
	{"e-mail", func(g gen) string {
		return g.from(alphabets["lo"], 6) + "." + g.from(alphabets["lo"], 4) + "@" + g.from(alphabets["lo"], 6) + ".com"
	}},
	{"wif", func(g gen) string { return g.value("wifcompressed", 0) }},
	{"xprv", func(g gen) string { return g.value("xprv", 0) }},
	{"solana keypair", func(g gen) string { return g.value("keypair58", 0) }},
	{"github token", func(g gen) string { return "ghp_" + g.from(alphabets["an"], 36) }},
}

// The table: each hiding with each kind.
func TestHiddenSecretsAreFound(t *testing.T) {
	s := newScrubber(t)
	g := newGen(21)
	cases := 0
	for _, h := range hidings {
		for _, kind := range hidden {
			cases++
			t.Run(h.name+"/"+kind.name, func(t *testing.T) {
				text, want := g.cut(h.hide(g, kind.draw(g)))
				if got, _ := s.text(text); got != want {
					t.Errorf("text %q\n  got %q\n want %q", text, got, want)
				}
			})
		}
	}
	t.Logf("%d cases", cases)
}

// Single cases: overlaps, wrapped lines, glued values, proofs.
func TestAdversarialTable(t *testing.T) {
	s := newScrubber(t)
	g := newGen(22)
	key := func() string { return "0x" + g.from(alphabets["hex"], 64) }
	token := func() string { return "agl-" + g.from(alphabets["b36"], 40) }
	wrapped := func(s, with string, n int) string { return s[:n] + with + s[n:] }
	pem := "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AA\n\n" + g.from(alphabets["b64"], 64) + "\n" + g.from(alphabets["b64"], 30) + "\n-----END RSA PRIVATE KEY-----"
	jsonPEM, _ := json.Marshal(pem)
	k1, k2, k3, seed, j := key(), key(), key(), g.seed(), g.jwt()
	words := g.mnemonic(0, 12)
	for name, example := range map[string]string{
		"two keys glued":                    "«" + k1 + k2[2:] + "»",
		"two keys, each with its 0x, glued": "«" + k1 + "»«" + k2 + "»",
		"key glued to a word on the left":   "key«" + k1 + "»",
		"key before a non-hex letter":       "«" + k1 + "»zzz",
		"seed as local part":                "«" + seed + "@example.com»",
		"token as local part":               "«" + token() + "@example.com»",
		"jwt beside a seed":                 "«" + j + "» «" + seed + "»",
		"jwt then comma":                    "«" + j + "», next",
		"jwt then bracket":                  "(«" + j + "»)",
		"jwt in a query":                    "https://x.example/?jwt=«" + j + "»&z=1",
		"e-mail after a colon":              "to:«joe@example.com»;",
		"angle brackets":                    "Joe <«joe@example.com»>",
		"e-mail with tag":                   "«joe+web3@example.co.uk»",
		"e-mail at a sentence's end":        "Write to «joe@example.com».",
		"punycode":                          "«joe@xn--bcher-kva.example»",
		"corp domain":                       "«joe@corp.internal»",
		"git host without a path":           "ask «git@example.com» now",
		"key over two lines":                "«" + wrapped(k3, "\n", 30) + "»",
		"key over two quoted lines":         "> «" + wrapped(k3, "\n> ", 30) + "»",
		"key over two indented lines":       "a «" + wrapped(k3, "\n    ", 30) + "»\n b",
		"key in two literals":               `x = "«` + wrapped(k3, `" + "`, 30) + `»"`,
		"key in two literals on two lines":  "x = \"«" + wrapped(k3, "\" +\n  \"", 30) + "»\"",
		"key over a continuation":           "«" + wrapped(k3, "\\\n", 30) + "»",
		"jwt over three lines":              "«" + wrapped(wrapped(j, "\n", 40), "\n", 80) + "»\nthe end",
		"seed over two lines":               "«" + wrapped(seed, "\n", 10) + "»",
		"token over two lines":              "«" + wrapped(token(), "\n", 20) + "»\nend of it",
		"seed inside a longer run":          "abc0«" + seed + "»0xyz",
		"ed seed inside a longer run":       "abc0«" + g.edSeed() + "»0xyz",
		"seed behind underscores":           "__«" + seed + "»__",
		"seed behind a bare colour code":    "[31m«" + seed + "»[0m",
		"seed behind a zero-width word":     "word\u200b«" + seed + "»",
		"seed across and behind zero width": "word\u200b«" + seed[:9] + "\u200b" + seed[9:] + "»",
		"key behind a zero-width word":      "word\u200b«" + k1 + "»\u200bword",
		"ed key behind a hex word":          "dead\u200b«ED" + g.from(alphabets["HEX"], 64) + "»",
		"pem":                               "«" + pem + "»",
		"pem in json":                       `{"key":"«` + strings.Trim(string(jsonPEM), `"`) + `»"}`,
		"pem with an address header":        "from «joe@example.com»\n«" + pem + "»",
		"mnemonic in lines":                 "«" + strings.Join(words, "\n") + "»",
		"mnemonic with commas":              "«" + strings.Join(words, ", ") + "»",
		"mnemonic with dashes":              "«" + strings.Join(words, "-") + "»",
		"mnemonic as an array":              `["«` + strings.Join(words, `","`) + `»"]`,
		"mnemonic upper case":               "«" + strings.ToUpper(strings.Join(words, " ")) + "»",
		"mnemonic with underscores":         "«" + strings.Join(words, "_") + "»",
		"mnemonic, zero width inside":       "«" + spaced(strings.Join(words, " "), "\u200b") + "»",
		"mnemonic full width":               "«" + fullwidth(strings.Join(words, " ")) + "»",
		"mnemonic in base64":                "«" + b64(strings.Join(words, " ")) + "»",
		"mnemonic in hex":                   "0x«" + hex.EncodeToString([]byte(strings.Join(words, " "))) + "»",
		"the public vector":                 "«" + strings.Repeat("abandon ", 11) + "about»",
		"the hardhat vector":                "«" + strings.Repeat("test ", 11) + "junk»",
		"marker in the input":               Marker + " stays, «" + k1 + "» goes",
		"marker touching a key":             "«" + Marker + k1 + "»",
		"hex without 0x by its name":        "private_key: «" + k1[2:] + "»",
		"hex without 0x in prose":           "my private key is «" + k1[2:] + "».",
		"cyrillic look-alike in a key":      "0x" + "",
		"keypair over lines":                "[\n«" + strings.ReplaceAll(ints(g.keypair(), "%d"), ",", ",\n") + "»\n]",
		"two keypairs":                      "[[«" + ints(g.keypair(), "%d") + "»],[«" + ints(g.keypair(), "%d") + "»]]",
		"rpc url in a command":              "forge test --fork-url https://mainnet.infura.io/v3/«" + g.from(alphabets["hex"], 32) + "» -vvv",
		"ws rpc url":                        "wss://eth-mainnet.g.alchemy.com/v2/«" + g.from(alphabets["an"], 32) + "»",
		"database url":                      "postgres://«app:Sup3rS3cret»@db:5432/x",
		"bearer in a curl":                  `curl -H "Authorization: Bearer «` + g.from(alphabets["an"], 40) + `»" https://x.example`,
		"commat entity":                     "«joe&commat;example.com»",
	} {
		t.Run(name, func(t *testing.T) {
			text, want := g.cut(example)
			want = strings.ReplaceAll(want, Marker+Marker, Marker)
			if got, _ := s.text(text); got != want {
				t.Errorf("text %q\n  got %q\n want %q", text, got, want)
			}
		})
	}
}

// What has to stay, byte for byte.
func TestHarmlessTextComesBack(t *testing.T) {
	s := newScrubber(t)
	g := newGen(23)
	for _, example := range []string{
		"", Marker, Marker + " " + Marker, "[SCRUBBED", "👩‍👩‍👧‍👦 ships", "می\u200cخواهم قیمت را بدانم", "été à la plage", "नमस्ते दुनिया", "Привет, мир: сервер упал", "合约升级失败，因为预言机过期。",
		"0x<hex:40>", "0x<HEX:40>", "0x<hex:8>", "0x<hex:130>", "0x<hex:96>", "<hex:64>", "<HEX:64>", "<hex:40>", "0x<hex:200>", "tx <HEX:64> on the ledger", "0x0", "0x<hex:63>", "0x<hex:65>",
		"<b58:44>", "<b58:88>", "<b58:32>", "So11111111111111111111111111111111111111112", "Sysvar<an:0>Rent111111111111111111111111111111111", "Tokenkeg<b58:35>", "ipfs://Qm<b58:44>", "<uuid>", "bafybei<lo:52>",
		"cosmos1<b32c:38>", "bc1q<b32c:38>", "G<B32:55>", "xpub<b58:107>", "npub1<b32c:58>", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI<b64:43>", "ed25519 ED<HEX:66>",
		"git@github.com:org/repo.git", "ssh://git@github.com/org/repo", "npm i @scope/pkg@1.2.3", "foo@v2.0.1", "icon@3x.png", "@author alice", "function@plt", "user@localhost", "a@b", "price @ 3.50",
		"eyJhbGciOi is the head of a token", "keyJson.value.a", "honeyJar.mint.b", "monkeyJob.x.y", "the agl- prefix", "agl_x", "angle-brackets", "beagle-dog",
		"password must be at least 8 characters", "token: ERC20", "secret sharing over GF(256)", "key: value", "the private key was leaked", "api key rotation", "tokenId: 123456789012345678901234567890",
		"const hash = '<hex:64>'", "salt: <hex:64>", "keccak256(\"Transfer(address,address,uint256)\")", "bytes32 constant X = hex\"<hex:64>\"", "mapping(address => uint256)", "PUBLIC_KEY=<hex:66>",
		"-----BEGIN PUBLIC KEY-----\n<b64:64>\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n<b64:64>\n-----END CERTIFICATE-----", "BEGIN PRIVATE KEY is a PEM header",
		"[1,2,3,4]", "[<ints:32>]", "[<ints:64>]", "https://user@host/x", "https://example.com:8080/a@b", "https://mainnet.infura.io/v3/YOUR-PROJECT-ID", "https://rpc.ankr.com/eth", "https://api.etherscan.io/api?apikey=YourApiKeyToken",
		"Authorization: Bearer <token>", "curl -u user:password https://x", "postgres://user:${PASS}@db/x", "AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}", "AKIA is a prefix", "sk-learn", "ghp_ is a prefix",
		"data:image/png;base64,iVBORw0KGgo<b64:60>", "sha512-<b64:86>==", "\"integrity\": \"sha512-<b64:86>==\"", "sha256:<hex:64>", "@<hex:40>", "<hex:7>..<hex:7>", "%20%41%42", "\\n\\t\\x41", "&lt;b&gt;", "C:\\new\\table",
		"\xff\xfe", "a\x00b", "line\r\nline\r\n", "zoo wrong able about above", "test test test", "Table 25 // Table 26 // Table 27 // Table 28",
		"swap(uint256,uint256,address,bytes)", "getReserves() returned 0", "safeTransferFrom(address,address,uint256)", "0x<hex:40>\n0x<hex:40>\n0x<hex:40>", "<hex:32>\n<hex:32>", "<b58:44>\n<b58:44>",
	} {
		text := g.expand(example)
		if got, hits := s.text(text); got != text {
			t.Errorf("%q\n  got %q %v", text, got, hits)
		}
		if !s.Clean(text) {
			t.Errorf("%q is not clean", text)
		}
	}
}
