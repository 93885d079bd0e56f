package scrubber

import (
	"encoding/json"
	"fmt"
	"strings"
)

// pasted is a text as people paste them, made at run time, and what of it must go.
type pasted struct {
	class, form, text string
	secrets           []string
	words             bool // secrets are words of a phrase: one of them may stay, beside a mistyped one or at an end
}

// layouts write a phrase in the ways in which wallets, tools and people lay it out.
var layouts = []struct {
	name  string
	write func(w []string) string
}{
	{"markdown table", func(w []string) string { return "| # | Word |\n|---|------|\n" + each(w, "| %d | %s |\n") }},
	{"markdown table, padded", func(w []string) string {
		return "| No  | Seed       |\n|-----|------------|\n" + each(w, "| %-3d | %-10s |\n")
	}},
	{"markdown table, two columns", func(w []string) string { return rowsOf(w, 2, false, "| %d | %s ", "|\n") }},
	{"markdown table, by columns", func(w []string) string { return rowsOf(w, 2, true, "| %d | %s ", "|\n") }},
	{"markdown table, four columns without numbers", func(w []string) string { return rowsOf(w, 4, true, "| %[2]s ", "|\n") }},
	{"object word1", func(w []string) string { return "{" + strings.TrimSuffix(each(w, `"word%d": "%s", `), ", ") + "}" }},
	{"object 1", func(w []string) string { return "{" + strings.TrimSuffix(each(w, `"%d":"%s",`), ",") + "}" }},
	{"object word_01, pretty", func(w []string) string {
		return "{\n" + strings.TrimSuffix(each(w, "  \"word_%02d\": \"%s\",\n"), ",\n") + "\n}"
	}},
	{"list of strings", func(w []string) string { b, _ := json.Marshal(w); return string(b) }},
	{"list of strings, pretty", func(w []string) string { b, _ := json.MarshalIndent(w, "", "    "); return string(b) }},
	{"list of objects", func(w []string) string {
		return "[" + strings.TrimSuffix(each(w, `{"index": %d, "word": "%s"}, `), ", ") + "]"
	}},
	{"list of objects, word first", func(w []string) string {
		return "[" + strings.TrimSuffix(each(w, `{"value":"%[2]s","position":%[1]d,"checked":true},`), ",") + "]"
	}},
	{"list of objects, pretty", func(w []string) string {
		return "[\n" + each(w, "  {\n    \"id\": %d,\n    \"text\": \"%s\",\n    \"visible\": false\n  },\n") + "]"
	}},
	{"object in a string", func(w []string) string {
		b, _ := json.Marshal(map[string]any{"wallet": map[string]any{"backup": w}})
		c, _ := json.Marshal(string(b))
		return string(c)
	}},
	{"html list", func(w []string) string { return "<ul>\n" + each(w, "  <li>%[2]s</li>\n") + "</ul>" }},
	{"html list with classes", func(w []string) string {
		return "<ol class=\"grid\">" + each(w, "<li class=\"cell-%d\"><span>%s</span></li>") + "</ol>"
	}},
	{"html table", func(w []string) string { return "<table>" + each(w, "<tr><td>%d</td><td>%s</td></tr>") + "</table>" }},
	{"html table, three columns", func(w []string) string {
		return "<table>" + rowsOf(w, 3, false, "<td>%d. %s</td>", "</tr><tr>") + "</table>"
	}},
	{"html inputs", func(w []string) string { return each(w, "<input name=\"w%d\" value=\"%s\" readonly>\n") }},
	{"html divisions", func(w []string) string { return each(w, "<div><b>%d</b> %s</div>\n") }},
	{"check list", func(w []string) string { return each(w, "- [ ] %[2]s\n") }},
	{"check list, ticked", func(w []string) string { return each(w, "* [x] %d. %s\n") }},
	{"bullets", func(w []string) string { return each(w, "* %[2]s\n") }},
	{"numbered", func(w []string) string { return each(w, "%d. %s\n") }},
	{"numbered on one line", func(w []string) string { return each(w, "%d) %s  ") }},
	{"word n:", func(w []string) string { return each(w, "Word %d: %s\n") }},
	{"word #n is", func(w []string) string { return each(w, "Word #%d is %s\n") }},
	{"columns by spaces", func(w []string) string { return rowsOf(w, 3, false, "%2d. %-12s", "\n") }},
	{"columns downwards", func(w []string) string { return rowsOf(w, 3, true, "%2d. %-12s", "\n") }},
	{"columns downwards without numbers", func(w []string) string { return rowsOf(w, 3, true, "%[2]s\t", "\n") }},
	{"log", func(w []string) string { return each(w, "2026-11-24T10:00:%02dZ INFO backup: entry=%s\n") }},
	{"log with levels", func(w []string) string {
		return each(w, "[10:21:%02d.113] [debug] (wallet.go:88) mnemonic part %[1]d: %[2]s\n")
	}},
	{"log of objects", func(w []string) string {
		return each(w, `{"ts":17000000%02d,"lvl":"info","msg":"phrase","idx":%[1]d,"part":"%[2]s"}`+"\n")
	}},
	{"csv", func(w []string) string { return "position,word\n" + each(w, "%d,%s\n") }},
	{"tsv", func(w []string) string { return each(w, "%d\t%s\n") }},
	{"yaml list", func(w []string) string { return "phrase:\n" + each(w, "  - %[2]s\n") }},
	{"yaml objects", func(w []string) string { return "backup:\n" + each(w, "  - n: %d\n    w: %s\n") }},
	{"toml", func(w []string) string { return "phrase = [\n" + each(w, "  '%[2]s',\n") + "]" }},
	{"environment", func(w []string) string { return each(w, "WALLET_WORD_%d=%s\n") }},
	{"python", func(w []string) string { return "w = ['" + strings.Join(w, "', '") + "']" }},
	{"go", func(w []string) string { return "w := []string{\"" + strings.Join(w, `", "`) + "\"}" }},
	{"rust", func(w []string) string {
		return "let w = vec![" + strings.TrimSuffix(each(w, "String::from(\"%[2]s\"), "), ", ") + "];"
	}},
	{"shuffled with numbers", func(w []string) string {
		out := ""
		for i := range w {
			k := i * 5 % len(w)
			out += fmt.Sprintf("%d: %s\n", k+1, w[k])
		}
		return out
	}},
	{"arrows", func(w []string) string { return each(w, "%d → %s\n") }},
	{"tree", func(w []string) string { return each(w, "├── %[2]s\n") }},
	{"latex", func(w []string) string {
		return "\\begin{enumerate}\n" + each(w, "\\item %[2]s\n") + "\\end{enumerate}"
	}},
	{"sql", func(w []string) string { return "INSERT INTO w VALUES " + each(w, "(%d,'%s'),") }},
	{"xml", func(w []string) string { return "<phrase>" + each(w, "<word index=\"%d\">%s</word>") + "</phrase>" }},
	{"quoted reply", func(w []string) string { return each(w, "> %d. %s\n") }},
	{"slashes", func(w []string) string { return strings.Join(w, " / ") }},
	{"emoji", func(w []string) string { return each(w, "🔑 %[2]s\n") }},
	{"ordinals", func(w []string) string {
		out := "{"
		for i, x := range w {
			out += fmt.Sprintf(`"%s": "%s", `, [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"}[i%12], x)
		}
		return out + "}"
	}},
	{"one a paragraph", func(w []string) string { return strings.Join(w, "\n\n") }},
	{"bold", func(w []string) string { return "**" + strings.Join(w, "** **") + "**" }},
	{"array of objects in javascript", func(w []string) string { return "const w = [\n" + each(w, "  { n: %d, w: '%s' },\n") + "]" }},
}

func each(w []string, format string) (out string) {
	for i, x := range w {
		line := fmt.Sprintf(format, i+1, x)
		if at := strings.Index(line, "%!(EXTRA"); at >= 0 {
			line = line[:at]
		}
		out += line
	}
	return out
}

// rowsOf writes so many words a row; downwards, the first words make the first column.
func rowsOf(w []string, columns int, down bool, cell, end string) (out string) {
	rows := len(w) / columns
	for r := range rows {
		for c := range columns {
			k := r*columns + c
			if down {
				k = c*rows + r
			}
			out += fmt.Sprintf(cell, k+1, w[k])
		}
		out += end
	}
	return out
}

// pastedSecrets is the battery.
func pastedSecrets(seed uint64) (all []pasted) {
	g := newGen(seed)
	phrase := func(class, form string, w []string, text string) {
		all = append(all, pasted{class, form, text, w, true})
	}
	for i, l := range layouts {
		n := 12
		if i%3 == 2 {
			n = 24
		}
		w := g.mnemonic(0, n)
		phrase("layout", l.name, w, "restore it:\n"+l.write(w)+"\nthanks")
	}
	for _, damage := range []string{"mistyped", "missing", "swapped"} {
		broken := func(n int) []string {
			w := g.mnemonic(0, n)
			i := 2 + g.IntN(n-4)
			switch damage {
			case "mistyped":
				w[i] = w[i][:1] + "q" + w[i][1:]
			case "missing":
				w = append(w[:i:i], w[i+1:]...)
			default:
				w[i], w[i+1] = w[i+1], w[i]
			}
			return w
		}
		for _, f := range []struct {
			name, before, after string
			n                   int
			join                string
		}{
			{"labelled", "my seed phrase: ", "", 12, " "}, {"environment", "MNEMONIC=\"", "\"", 12, " "}, {"object", "{\"mnemonic\":\"", "\"}", 24, " "}, {"named behind", "", " <- that is my recovery phrase", 12, " "},
			{"hardhat", "accounts: { mnemonic: '", "', count: 3 }", 12, " "}, {"commas", "wallet backup = ", "", 24, ", "}, {"lines", "", "", 12, "\n"}, {"quoted list", "[\"", "\"]", 12, "\", \""},
		} {
			w := broken(f.n)
			phrase(damage, f.name, w, f.before+strings.Join(w, f.join)+f.after)
		}
		w := broken(12)
		phrase(damage, "numbered", w, each(w, "%d. %s\n"))
		w = broken(12)
		phrase(damage, "table", w, each(w, "| %d | %s |\n"))
		w = broken(12)
		phrase(damage, "objects", w, each(w, "{\"i\": %d, \"w\": \"%s\"}, "))
		w = broken(12)
		phrase(damage, "unnamed sentence", w, "so it was "+strings.Join(w, " ")+" and nothing else")
	}
	for _, list := range []struct {
		name string
		draw func() []string
	}{
		{"electrum", func() []string { return g.phrase(listEnglish, 12) }},
		{"electrum old", func() []string { return g.phrase(listElectrumOld, 12) }},
		{"ton", func() []string { return g.phrase(listEnglish, 24) }},
		{"algorand", g.algorand},
		{"monero", func() []string { return g.monero(24) }},
		{"mymonero", func() []string { return g.monero(12) }},
	} {
		for _, f := range []struct {
			name  string
			write func(w []string) string
		}{
			{"plain", func(w []string) string { return "use " + strings.Join(w, " ") + "." }},
			{"named", func(w []string) string { return "Seed: " + strings.Join(w, " ") }},
			{"numbered", func(w []string) string { return each(w, "%d. %s\n") }},
			{"table", func(w []string) string { return each(w, "| %d | %s |\n") }},
			{"objects", func(w []string) string { return each(w, "{\"n\":%d,\"w\":\"%s\"},") }},
		} {
			w := list.draw()
			phrase(list.name, f.name, w, f.write(w))
		}
	}
	// Everything else is a template: «» marks what must go.
	for _, c := range []struct {
		class string
		forms []string
	}{
		{"hex key", []string{
			"PRIVATE_KEY=«<hex:60>»", "private key: «<hex:61>»", "the private key is «<hex:62>»", "\"privateKey\": \"«0x<hex:63>»\"", "privateKeyHex = '«<hex:63>»'", "--private-key «<hex:63>»", "--private-key=«0x<hex:62>»", "my wallet's private key was «0x<hex:61>»", "Private Key (hex): «<HEX:62>»", "secretKey: «<hex:63>»",
			"| private key | «<hex:63>» |", "<b>Private key</b>: <code>«<hex:62>»</code>", "privkey=«<hex:60>»", "signing_key: \"«<hex:61>»\"",
		}},
		{"named in code", []string{
			"DEPLOYER_PK=«<hex:64>»", "export ALICE_PK='«<hex:64>»'", "PK=«<hex:64>»", "OWNER_PK: «<hex:64>»", "const deployerWallet = new Wallet(\"«<hex:64>»\", provider)", "new ethers.Wallet(`«<hex:64>»`)", "ethers.Wallet('«0x<hex:63>»')", "acct = Account.from_key('«<hex:64>»')", "w3.eth.account.from_key(\"«<hex:64>»\").address",
			"LocalAccount.from_key('«<hex:63>»')", "privateKeyToAccount('«<hex:64>»')", "PrivateKey.fromString(\"«<hex:64>»\")", "personal.importRawKey(\"«<hex:64>»\", \"pw\")", "crypto.HexToECDSA(\"«<hex:64>»\")", "new SigningKey('«<hex:64>»')", "Keypair.fromSecretKey(Buffer.from('«<hex:128>»', 'hex'))", "let w: LocalWallet = \"«<hex:64>»\".parse()?;",
			"cast wallet import d --private-key «<hex:64>»", "TEST_SK = \"«<hex:64>»\"", "new Wallet(\n  \"«<hex:64>»\",\n)", "ECPair.fromPrivateKey(Buffer.from(\"«<hex:64>»\", \"hex\"))",
		}},
		{"accounts of tools", []string{
			"accounts: [\"«<hex:64>»\"]", "sepolia: { url: u, accounts: ['«<hex:64>»', '«<hex:64>»'] }", "accounts: [\n  `«0x<hex:63>»`,\n]", "accounts = [\"«<hex:64>»\"]", "new HDWalletProvider([\"«<hex:64>»\", \"«<hex:64>»\"], url)", "new HDWalletProvider({ privateKeys: ['«<hex:64>»'], providerOrUrl: u })", "private_keys = [\"«<hex:64>»\", \"«<hex:64>»\"]",
			"wallets:\n  from_key: «<hex:64>»", "private_keys:\n  - «<hex:64>»\n  - «<hex:64>»", "accounts:\n  - «<hex:64>»", "accounts: [{ privateKey: '«<hex:64>»', balance: '1' }]", "\"accounts\": [\"«<hex:64>»\"]", "module.exports = { wallets: [\"«<hex:64>»\"] }",
		}},
		{"secret numbers", []string{
			"«<numbers: >»", "«<numbers:->»", "«<numbers:glued>»", "«<numbers:lettered>»", "| «<numbers:table>» |", "[\"«<numbers:quoted>»\"]", "«<numbers:lines>»", "«<numbers:members>»", "«<numbers:columns>»", "secret numbers (Xaman): «<numbers: >»",
		}},
		{"jwk", []string{
			"{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"«<u64:43>»\",\"x\":\"<u64:43>\"}", "{\"d\":\"«<u64:43>»\",\"crv\":\"Ed25519\",\"kty\":\"OKP\"}", "{'kty': 'OKP', 'd': '«<u64:43>»'}", "\"{\\\"kty\\\":\\\"EC\\\",\\\"d\\\":\\\"«<u64:43>»\\\"}\"", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"«<u64:86>»\"}]}", "{ kty: \"RSA\", e: \"AQAB\", d: \"«<u64:342>»\" }",
			"kty: EC\ncrv: secp256k1\nd: «<u64:43>»", "{\"key_ops\":[\"sign\"],\"ext\":true,\"kty\":\"EC\",\"x\":\"<u64:43>\",\"y\":\"<u64:43>\",\"crv\":\"P-256\",\"d\":\"«<u64:43>»\"}",
		}},
		{"der", []string{
			"«<der:pkcs8>»", "«<der:ed25519>»", "«<der:sec1>»", "«<der:rsa>»", "key=\"«<der:pkcs8>»\"", "«<derlines:pkcs8>»", "> «<derquoted:pkcs8>»", "302… «<derhex:ed25519>»", "operator key: «<derhex:ed25519>»", "0x«<derhex:pkcs8>»",
		}},
		{"node url", []string{
			"export ETH_RPC_URL=https://mainnet.infura.io/v3/«<hex:32>»", "wss://polygon-mainnet.g.alchemy.com/v2/«<an:16>-<an:15>»", "[node](https://x-y.base-mainnet.quiknode.pro/«<hex:40>»/)", "curl https://rpc.ankr.com/multichain/«<hex:64>» -d '{}'", "rpc: 'https://arbitrum-mainnet.core.chainstack.com/«<hex:32>»'", "wss://ethereum-mainnet.core.chainstack.com/ws/«<hex:32>»",
			"https://lb.drpc.live/base/«<an:20>3f7<an:21>»", "https://base-mainnet.blastapi.io/«<uuid>»", "https://site2.moralis-nodes.com/bsc/«<hex:32>»", "https://sol.nownodes.io/«<uuid>»", "https://eth.rpc.grove.city/v1/«0<hex:6>9»", "https://solana-mainnet.api.syndica.io/access-token/«<an:40>3f7<an:41>»/rpc", "https://gateway.thegraph.com/api/«<hex:32>»/deployments/id/Qm<b58:44>",
			"https://polygon.blockpi.network/v1/rpc/«<hex:40>»", "https://mainnet.optimism.validationcloud.io/v1/«<an:20>3f7<an:20>»", "https://10.rpc.thirdweb.com/«<hex:32>»", "https://«<hex:32>».goerli.rpc.rivet.cloud/", "https://lb.nodies.app/v1/«<hex:32>»", "https://rpc.zerodev.app/api/v2/bundler/«<uuid>»", "https://api.zan.top/node/ws/v1/eth/mainnet/«<hex:32>»",
			"https://programs.shyft.to/v0/graphql/?api_key=«<an:6>7q3<an:7>»", "https://optimism.api.onfinality.io/rpc?apikey=«<uuid>»", "https://my-node.example.com/rpc/«<hex:32>»",
		}},
		{"e-mail", []string{
			"«<a:6>@163.com»", "mail «<a:6>@126.com»:25", "«<a:6>@1.2.3.com»", "«<a:5>@4399.com»: hello", "«<a:6>@<a:6>.com»:22", "smtp «<a:4>@<a:5>.io»:587", "ssh «<a:5>@192.168.10.20»", "«<a:5>@10.0.0.12»:22", "«<a:5>@51.la»", "user=«<a:6>@12306.cn»:pw", "«<a:5>@1.1.1.1»",
		}},
	} {
		all = append(all, g.templates(c.class, c.forms)...)
	}
	return all
}

// templates fills forms in: «» marks what must go.
func (g gen) templates(class string, forms []string) (all []pasted) {
	for _, form := range forms {
		full := g.expand(form)
		p := pasted{class: class, form: form, text: strings.NewReplacer("«", "", "»", "").Replace(full)}
		for _, part := range strings.Split(full, "«")[1:] {
			p.secrets = append(p.secrets, part[:strings.Index(part, "»")])
		}
		all = append(all, p)
	}
	return all
}

// spelledSecrets is the second battery: secrets that are written in unusual ways.
func spelledSecrets(seed uint64) []pasted {
	g := newGen(seed)
	all := spelledPhrases(g)
	for _, c := range append(spelledForms, freshForms...) {
		all = append(all, g.templates(c.class, c.forms)...)
	}
	return all
}
