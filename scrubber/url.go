package scrubber

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Secrets in URLs.
func urlRules() []rule {
	return []rule{{
		name: "password in a url", kind: KindURLPassword, anchors: []string{"://"}, find: findURLPassword,
		removed: []string{
			"postgres://«<a:5>:<an:12>»@db.<a:4>.internal:5432/app", "https://«<a:4>:<an:8>»@<a:6>/x",
			"amqp://«:<an:12>»@host",
			"redis://«:<an:9>@<an:3>»@host:6379", "mongodb+srv://«<a:3>:<an:9>»@c0.<a:5>.net",
		},
		kept: []string{
			"https://<a:6>.com/a:b@c", "http://localhost:5000/<%= @v %>", "postgres://${USER}:${PASS}@host/db",
			"https://user:<password>@host",
			"https://<a:5>:8000 @else", "ssh://git@<a:5>.com/x", "mongodb://{{ .User }}:{{ .Pass }}@host",
			"redis://user:***@host",
		},
	}, {
		name: "key in a query", kind: KindRPCURL, fold: true,
		anchors: []string{
			"?api-key=", "&api-key=", "?apikey=", "&apikey=", "?api_key=", "&api_key=", "?access_token=",
			"&access_token=", "?key=",
			"&key=",
			"?token=", "&token=", "&auth=", "?auth=", "?dkey=", "&dkey=",
		},
		pattern: regexp.MustCompile(`^.[\w-]+=([\w-]{16,})`),
		accept:  func(_ *scan, s string) bool { return looksRandom(s) && !chainName(s) },
		removed: []string{
			"https://mainnet.helius-rpc.com/?api-key=«<uuid>»", "https://api.etherscan.io/api?module=x&apikey=«<UPD:34>»",
			"https://x.io/?a=1&access_token=«<u64:40>»&b=2",
		},
		kept: []string{
			"?api-key=YOUR_API_KEY_GOES_HERE", "&apikey=${KEY}", "?token=0x<hex:40>",
			"?token=So11111111111111111111111111111111111111112",
			"?key=value", "?token=<b58addr>",
		},
	}}
}

// findURLPassword: the part before the last at sign of the authority, if it holds a colon and a password that is
// no placeholder.
func findURLPassword(sc *scan, lo, hi int) {
	const longest = 256
	text := sc.text
	if lo == 0 || !is(text[lo-1], clsAlnum) {
		return
	}
	rest := text[hi:min(len(text), hi+longest)]
	authority := rest[:forward(rest, 0, clsAuthority)]
	last := strings.LastIndexByte(authority, '@')
	if last < 0 {
		// A password may hold / ? # unescaped; only a host right after the at sign tells. host:port/path@x has none.
		if _, port, ok := strings.Cut(authority, ":"); ok && !all(port, clsDigit) {
			last = strings.LastIndexByte(rest[:forward(rest, 0, clsURL)], '@')
		}
	}
	if last < 0 {
		return
	}
	_, password, _ := strings.Cut(rest[:last], ":")
	host := byteAfter(text, hi+last+1)
	if password == "" || template(password) || !is(host, clsAlnum) && host != '[' && host < utf8.RuneSelf {
		return
	}
	sc.emit(KindURLPassword, hi, hi+last)
}

// Credentials in HTTP headers and on command lines.
func headerRules() []rule {
	return []rule{{
		name: "authorization header", kind: KindAuthHeader, anchors: []string{"authorization", "bearer ", "basic "}, fold: true,
		find: findAuthorization,
		removed: []string{
			"Authorization: Bearer «<u64:32>»", "\"authorization\": \"Bearer «<an:24>.<an:10>»\"",
			"-H 'Authorization: Basic «<basic>»' \\",
			"bearer «<an:40>»", "Authorization: Token «<hex:40>»", "authorization=Bearer%20«<an:32>»",
			"Proxy-Authorization: Basic «<basic>»", "`Bearer ${\"«<an:30>7q»\"}`", "f\"Bearer {'«<an:30>7q»'}\"",
			"\"Bearer \" + \"«<an:30>7q»\"",
		},
		kept: []string{
			"Authorization: Bearer $API_KEY", "Authorization: Bearer <token>", "bearer token required",
			"Authorization: Bearer YOUR_TOKEN_HERE_12", "basic understanding of authorization and fees",
			"Authorization: basic {base64(email:password)}", "`Bearer ${process.env.API_TOKEN_V2_KEY}`",
			"\"Bearer \" + config.apiToken2Value",
			"`Bearer ${accessToken1234567890}`",
		},
	}, {
		name: "curl user", kind: KindAuthHeader, anchors: []string{"curl "}, find: findCurl,
		removed: []string{
			"curl -u «<a:6>:<an:10>9x» https://x.io", "curl --user '«<a:3>:<an:9>7y»' x",
			"curl -s -u \"«<an:14>8z:»\" https://x.io",
		},
		kept: []string{
			"curl -u <user:password> https://x.io", "curl -u username:token", "curl -u \"${U}:${P}\"",
			"curl --user a:[PASSWORD] http://x",
			"curl https://x.io/a:b",
		},
	}}
}

// authorization is the name of the header, and a scheme.
var authorization = regexp.MustCompile("(?i)^authorization[\"'`\\\\ \\]]*[:=,][\"'`\\\\ =:\\[>\t]*(?:([a-z]*)(?: |%20|\\+))?")

// findAuthorization: a scheme and at least 16 characters that look random; Basic is proved by decoding to user:password.
func findAuthorization(sc *scan, lo, hi int) {
	text := sc.text
	if is(byteBefore(text, lo), clsAlnum) {
		return
	}
	scheme, at, header := text[lo:hi-1], hi, text[hi-1] != ' '
	if header {
		m := authorization.FindStringSubmatchIndex(text[lo:])
		if m == nil {
			return
		}
		scheme, at = text[lo+max(0, m[2]):lo+max(0, m[3])], lo+m[1]
	}
	at = pastQuotes(text, at)
	end := at
	for end < len(text) && (is(text[end], clsURL64|clsBase64|clsPad) || strings.IndexByte("._~|%:", text[end]) >= 0) {
		end++
	}
	value := strings.TrimRight(text[at:end], ".:%")
	if strings.EqualFold(scheme, "basic") {
		if !basicPair(value) {
			return
		}
	} else if long := header && len(value) >= 24; len(value) < 16 ||
		!looksRandom(value) && !(long && !placeholder(value) && !slug(value) && !repetitive(value)) {
		return
	}
	sc.emit(KindAuthHeader, at, at+len(value))
}

// pastQuotes returns where the value begins behind a scheme: behind quotes, and where a string is put together: "Bearer " + "x", ${"x"}.
func pastQuotes(text string, at int) int {
	from := at
	if at = skip(text, at, " \"'`+<"); strings.Contains(text[from:at], "+") && strings.IndexByte("\"'`", text[at-1]) < 0 {
		return from // what is added is no literal
	}
	if strings.HasPrefix(text[at:], "token=") { // RFC 6750's, as Rails writes it
		return skip(text, at+len("token="), "\"'`")
	}
	if open := skip(text[:min(len(text), at+2)], at, "${"); open > at && open < len(text) && strings.IndexByte("\"'`", text[open]) >= 0 {
		return open + 1
	}
	return at
}

// basicPair reports whether s is base64 of printable text with a colon in it.
func basicPair(s string) bool {
	if len(s) < 8 || len(s) > 1024 {
		return false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && printable(decoded) == len(decoded) && strings.IndexByte(string(decoded), ':') >= 0
}

var curlUser = regexp.MustCompile(`\s(?:-u|--user)[ ="'][ ="']*(\S+)`)

// findCurl: the value of -u or --user, if one half of it is no placeholder.
func findCurl(sc *scan, _, hi int) {
	line, _, _ := strings.Cut(sc.text[hi-1:min(len(sc.text), hi+1000)], "\n")
	for _, m := range curlUser.FindAllStringSubmatchIndex(line, -1) {
		if value := strings.TrimRight(line[m[2]:m[3]], "\"'`"); credentialPair(value) {
			sc.emit(KindAuthHeader, hi-1+m[2], hi-1+m[2]+len(value))
		}
	}
	sc.resume = max(sc.resume, hi-1+len(line))
}

// credentialPair: user:password where the password, or a key before a bare colon, is neither a place to be filled in
// nor one lower-case word.
func credentialPair(s string) bool {
	user, secret, ok := strings.Cut(s, ":")
	if !ok || strings.ContainsAny(s, "<>[]()") || strings.Contains(s, "${") || strings.Contains(s, "{{") {
		return false
	}
	if secret = strings.Trim(secret, "\"'{}"); secret == "" {
		secret = strings.Trim(user, "\"'{}")
	}
	if len(secret) < 6 || template(secret) || placeholder(secret) {
		return false
	}
	return upperLower(secret) || strings.IndexFunc(secret, func(r rune) bool { return r < 'A' || r > 'z' }) >= 0
}

// rpcHosts are the hosts of providers of nodes, indexed data and bundlers whose URLs hold a key in the path or before the host; a key in
// the query goes whatever the host. They were looked up in November 2026: in erpc/erpc's thirdparty/*.go, the providers' own
// pages, and public code that uses them.
var rpcHosts = strings.Fields(`infura.io alchemy.com alchemyapi.io satsuma-prod.com quiknode.pro quicknode.com ankr.com chainstack.com
	p2pify.com drpc.org drpc.live blastapi.io moralis-nodes.com moralis.io getblock.io nownodes.io tenderly.co pokt.network grove.city
	nodies.app rpcpool.com syndica.io hellomoon.io extrnode.com thegraph.com hypersync.xyz blockpi.network onfinality.io nodereal.io
	dwellir.com validationcloud.io chainnodes.org blockdaemon.com thirdweb.com chainbase.online zan.top lavanet.xyz allthatnode.com
	figment.io zerodev.app stackup.sh biconomy.io conduit.xyz rivet.cloud
	api.developer.coinbase.com llamarpc.com`)

func rpcRules() []rule {
	r := rule{
		name: "node provider url", kind: KindRPCURL, find: findRPCURL,
		removed: []string{
			"https://api.g.alchemy.com/data/v1/«<an:32>»/assets", "wss://mainnet.infura.io/ws/v3/«<hex:32>»",
			"https://subgraph.satsuma-prod.com/«<hex:32>»/team/graph/version/v1/api",
			"https://eth-mainnet.blastapi.io/«<uuid>»",
			"https://solana-mainnet.api.syndica.io/api-key/«<b58:88>»", "https://mainnet.gateway.tenderly.co/«<an:22>»",
			"https://gateway.thegraph.com/api/«<hex:32>»/subgraphs/id/<b58:44>", "https://eth.rpc.grove.city/v1/«<hex:7>9»",
			"https://g.w.lavanet.xyz:443/gateway/osmosis/rpc-http/«<hex:32>»",
			"https://svc.blockdaemon.com/ethereum/native/«<an:43>»",
			"https://bundler.biconomy.io/api/v2/80001/«<an:9>.<uuid>»", "https://«<hex:32>».eth.rpc.rivet.cloud/",
			"https://api.developer.coinbase.com/rpc/v1/base/«<an:30>7Q»", "https://eth.llamarpc.com/rpc/«<an:24>7Q»",
		},
		kept: []string{
			"https://eth.llamarpc.com", "https://api.developer.coinbase.com/rpc/v1/base/YOUR_CLIENT_API_KEY",
			"https://mainnet.infura.io/v3/YOUR-PROJECT-ID", "https://eth-mainnet.g.alchemy.com/v2/",
			"https://eth-mainnet.g.alchemy.com/v2/demo", "https://www.alchemy.com/overviews/what-is-a-token-in-web3-2024",
			"https://rpc.ankr.com/eth",
			"https://docs.infura.io/networks/ethereum/how-to/secure-a-project",
			"https://gateway.thegraph.com/api/subgraphs/id/<b58:44>",
			"https://gateway.thegraph.com/api/[api-key]/subgraphs/id/<b58:44>",
			"https://ethereum.blockpi.network/v1/rpc/public",
			"https://eth.rpc.grove.city/v1/mainnet1", "https://dashboard.tenderly.co/tx/mainnet/0x<hex:40>",
			"https://eth.rpc.rivet.cloud/",
			"https://docs.chainstack.com/reference/getting-started-2024",
			"https://starknet-sepolia.public.blastapi.io/rpc/v0_7",
			"https://thegraph.com/explorer/subgraphs/<b58:44>", "https://thirdweb.com/0x<hex:40>",
		},
	}
	for _, host := range rpcHosts {
		// From the letter before its last dot: what hosts begin with, as the graph, stands in every sentence.
		if tail := host[strings.LastIndexByte(host, '.')-1:]; !slices.Contains(r.anchors, tail) {
			r.anchors = append(r.anchors, tail)
		}
		r.removed = append(r.removed, "https://eth."+host+"/v1/«<hex:32>»")
	}
	return []rule{r}
}

// findRPCURL: the first label of the host, or the first segment of the path, that looks random and is no word.
func findRPCURL(sc *scan, lo, hi int) {
	const longestHost, mostSegments, grove = 80, 10, 8
	text := sc.text
	if !endsInAny(text[:hi], rpcHosts) {
		return
	}
	from := lo
	for from > max(0, lo-longestHost) && (is(text[from-1], clsURL64) || text[from-1] == '.') {
		from--
	}
	if end := forward(text, from, clsURL64); end < lo && pathKey(text[from:end]) && !strings.Contains(text[from:end], "-") {
		sc.emit(KindRPCURL, from, end)
	}
	at := hi
	if at < len(text) && text[at] == ':' {
		at = forward(text, at+1, clsDigit)
	}
	for n := 0; n < mostSegments && at < len(text) && text[at] == '/'; n++ {
		end := forward(text, at+1, clsURL64)
		for end+1 < len(text) && text[end] == '.' && is(text[end+1], clsURL64) { // a key of two parts
			end = forward(text, end+1, clsURL64)
		}
		segment := text[at+1 : end]
		switch segment {
		case "subgraphs", "deployments", "tx", "address": // public names follow
			return
		}
		if pathKey(segment) ||
			len(segment) == grove && strings.HasSuffix(text[:hi], "grove.city") && all(segment, clsHex) && has(segment, clsDigit) {
			sc.emit(KindRPCURL, at+1, end)
			return
		}
		at = end
	}
}

// pathKey tells a key from the words of a path.
func pathKey(s string) bool {
	return len(s) >= 20 && !strings.HasPrefix(s, "0x") && !slug(s) &&
		(looksRandom(s) || upperLower(s) && has(s, clsDigit) && !placeholder(s))
}
