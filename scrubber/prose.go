package scrubber

import (
	"regexp"
	"slices"
	"strings"
)

// Secrets in sentences whose neighbours give them away: the key of a provider, the password of root, an address that is spelled out.
func proseRules() []rule {
	return []rule{{
		name: "key of a named provider", kind: KindProviderKey, fold: true, anchors: providerEnds, find: findProvidersKey,
		removed: []string{
			"our Etherscan key is «<UPD:34>»", "the alchemy key «<an:30>7Q» stopped working",
			"infura project id «<hex:32>» gives 401",
			"Helius' api key was «<uuid>», why?", "quicknode token: «<hex:40>»", "ETHERSCAN_KEY=«<UPD:34>»",
			"CoinGecko key is «CG-<an:24>»",
			"PINATA_KEY=«<hex:20>»", "new pinataSDK('«<hex:20>»', '«<hex:64>»')", "Moralis key we use: `«<an:40>7q»`",
			"infura secret = \"«<hex:32>»\"",
		},
		kept: []string{
			"the Etherscan key is missing", "Infura key: YOUR_INFURA_KEY_GOES_HERE",
			"the alchemy key 0x<hex:40> holds it", "etherscan id <dig:20>",
			"Etherscan token So11111111111111111111111111111111111111112", "infura key rotated in <hex:40>",
			"helius key is <b58addr>",
			"alchemy token page-of-the-token-list-2024", "new pinataSDK(process.env.KEY, process.env.SECRET)",
			"pinata ipfs hash Qm<b58:44>",
			"the scan key is <hex:64>", "escan key <hex:32>", "the Moralis key must be at least 20 characters long",
			"Dune key is dune_query_results_2024",
		},
	}, {
		name: "password of root", kind: KindContextual, fold: true, anchors: []string{"oot"}, find: findRootPassword,
		removed: []string{
			"root password is «<an:6>7Q»", "login root, root password «<an:7>9!x»",
			"log in as root with password «<an:8>7K».",
			"root pw: «<an:8>7K»", "login: root / password: «<an:8>7K»", "as root on the box (password «<an:8>7K»)",
			"password for root: «<an:8>7Kx»", "the root's password was \"«Tr<dig:1>ub<dig:1>dor&3»\"",
			"root / «<an:8>7K!»",
		},
		kept: []string{
			"root password is required", "the state root <hex:64>", "root password must be SHA256-hashed",
			"root: 0x<hex:40>", "root password: $ROOT_PASS1",
			"root = MerkleTree2.root()", "root /home/x2/Data", "as root with password prompt", "root: 7Kx2mQ9z",
			"root password is <password>",
			"root is keccak256(Abi1)", "root/Base58Check7", "the root V2Router03", "root Qm<b58:44>",
			"root password: ROOT_PASSWORD_2",
		},
	}, {
		name: "spelled e-mail", kind: KindEmail, fold: true, find: findSpelledEmail,
		anchors: []string{"[at]", "(at)", "{at}", "<at>", "( at )", "[@]", "(@)"},
		removed: []string{
			"write to «<a:6> [at] <a:7>.com», please", "«<a:6>(at)<a:7>.org»", "«<a:6>[at]<a:7>[dot]com» has it",
			"«<a:5>.<a:4> (AT) <a:6> (dot) io»",
			"«<a:5>+x {at} <a:6> {dot} co {dot} uk»", "«<a:6> [at] <a:7> dot com»",
		},
		kept: []string{
			"tokens[at].value", "x[at] = y.z", "if list[at] > b.c", "call(at)", "index (at) least", "[at] <a:5>.com",
			"meet (at) noon", "s.text(at) ab.cd()",
			"a[at]b", "arr[at] ab.c1",
		},
	}, {
		name: "e-mail spelled in words", kind: KindEmail, anchors: []string{"DOT ", "dot com", "dot org", "dot net", "dot io"},
		find: func(sc *scan, lo, _ int) {
			const near = 80
			from := max(0, lo-near)
			if n := max(strings.LastIndex(sc.text[from:lo], " AT "), strings.LastIndex(sc.text[from:lo], " at ")); n >= 0 {
				findSpelledEmail(sc, from+n+1, from+n+3)
			}
		},
		removed: []string{
			"contact «<a:6> at <a:7> dot com» or", "contact «<a:6> AT <a:7> DOT com»",
			"«<a:6>.<a:3> AT <a:7> DOT co DOT uk»",
		},
		kept: []string{
			"SELECT x AT TIME ZONE", "LOOK AT THIS. Then DOT com", "stake DOT on polkadot", "block AT Foo.sol",
			"SWAP AT DOT PRICE",
		},
	}}
}

// providers are those of nodes, explorers, prices and storage whose keys have no form of their own. A name is looked for by its end
// (the letters behind the dot): its beginning stands in many words.
var providers = strings.Fields(`ether.scan base.scan bsc.scan polygon.scan arbi.scan optimism.scan a.lchemy i.nfura qui.cknode h.elius
	.moralis a.nkr .pinata coin.gecko coinmarke.tcap ge.tblock bloc.kfrost bir.deye .dune`)

// providerEnds are the ends, providerNames the whole names.
var providerEnds, providerNames = func() (ends, names []string) {
	for _, p := range providers {
		head, end, _ := strings.Cut(p, ".")
		names = append(names, head+end)
		if !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	return ends, names
}()

// providersKey leads from a provider's name to its key.
var providersKey = regexp.MustCompile("(?i)^[a-z]+(?:['’]s?)?(?:[ _-]?api)?[ _-]" +
	"(?:(?:key|token)(?:['’]s)?|(?:api[ _-]?)?secret|(?:project|app)[ _-]?(?:id|secret))" +
	"(?: (?:(?:that )?(?:we|i) (?:use|used|have|leaked)|id|here))?(?: (?:is|was))?[ \\t]*[:=]?[ \\t]*[\"'`(]*([\\w-]{20,})")

// keyForProvider is the same for the key for Helius is.
var keyForProvider = regexp.MustCompile("(?i)^[a-z]+(?: api| rpc)?(?: (?:is|was))?[ \t]*[:=]?[ \t]*[\"'`(]*([\\w-]{20,})")

// sdkKeys are the two keys of Pinata's client.
var sdkKeys = regexp.MustCompile("(?i)^pinatasdk\\(\\s*[\"'`]([0-9a-f]{20})[\"'`]\\s*,\\s*[\"'`]([0-9a-f]{64})[\"'`]")

func findProvidersKey(sc *scan, lo, hi int) {
	const far, longestName = 200, 16
	text := sc.text
	from := max(0, lo-longestName)
	from += back(text[from:lo], lo-from, clsLetter)
	if !slices.Contains(providerNames, strings.ToLower(text[from:hi])) {
		return
	}
	rest := text[lo:min(len(text), lo+far)]
	switch c := byteAfter(text, hi); {
	case c|0x20 == 's': // pinataSDK(
		if m := sdkKeys.FindStringSubmatchIndex(rest); m != nil {
			sc.emit(KindProviderKey, lo+m[2], lo+m[3])
			sc.emit(KindProviderKey, lo+m[4], lo+m[5])
		}
		return
	case strings.IndexByte(" _-':=", c) < 0 && c < 0x80:
		return
	}
	form := providersKey
	if endsInAny(strings.ToLower(text[max(0, from-8):from]), []string{"key for ", "key of ", "key to "}) {
		form = keyForProvider
	}
	m := form.FindStringSubmatchIndex(rest)
	if m == nil {
		return
	}
	if value := rest[m[2]:m[3]]; looksRandom(value) && has(value, clsLetter) && has(value, clsDigit) && !chainName(value) && !slug(value) {
		sc.emit(KindProviderKey, lo+m[2], lo+m[3])
	}
}

// rootsPassword leads from root to its password, and loginPair from one to the other with a stroke.
var (
	rootsPassword = regexp.MustCompile("(?i)^root(?:(?:['’]s)?(?: user| account| login)?(?: with| has| uses)?(?: the)?" +
		" (?:password|passwd|pass|pwd|pw)" +
		"(?: (?:of|for|on) (?:the |our |my )?[\\w.-]{1,32})?)?(?:(?: is| was|:|=| =)+:? ?| )[\"'`]?([^\\s\"'`,;]{6,64}?)[\"'`,;.:]*(?:\\s|$)")
	// farPassword is one that is spoken of further on in the line: ssh root@host (password x).
	farPassword = regexp.MustCompile("(?i)^root[^\\n]{0,60}?[^\\w](?:password|passwd|pwd|pw)(?: is| was|:|=| =)*:? ?" +
		"[\"'`]?([^\\s\"'`,;)]{6,64}?)[\"'`,;.:)]*(?:\\s|$)")
	loginPair = regexp.MustCompile("^root ?/ ?([^\\s\"'`,;]{6,64})")
)

// findRootPassword: what stands behind root if a password is spoken of, or a stroke parts the two.
func findRootPassword(sc *scan, lo, hi int) {
	const near, far = 48, 140
	text := sc.text
	if lo--; lo < 0 || text[lo]|0x20 != 'r' || lo > 0 && is(text[lo-1], clsAlnum) {
		return
	}
	around, form := text[max(0, lo-near):min(len(text), hi+near)], rootsPassword
	if !holdsAny(around, []string{"pass", "Pass", " pw", "pwd"}) {
		if form = loginPair; !strings.HasPrefix(strings.TrimLeft(text[hi:min(len(text), hi+2)], " "), "/") {
			return
		}
	}
	m := form.FindStringSubmatchIndex(text[lo:min(len(text), hi+far)])
	if m == nil && form == rootsPassword {
		m = farPassword.FindStringSubmatchIndex(text[lo:min(len(text), hi+far)])
	}
	if m == nil {
		return
	}
	signs := strings.ContainsAny(text[lo+m[2]:lo+m[3]], "!@#%^&*+?~|")
	if s := text[lo+m[2] : lo+m[3]]; has(s, clsDigit) && has(s, clsLetter) && !template(s) && !placeholder(s) && !slug(s) &&
		!strings.ContainsAny(s, "/()") && !chainName(s) && (signs || form != loginPair && (has(s, clsUpper) || varied(s))) {
		sc.emit(KindContextual, lo+m[2], lo+m[3])
	}
}

// spelledDomain is what follows at: labels and a last one of letters, parted by dots that may be spelled.
var spelledDomain = regexp.MustCompile(`^ ?([a-zA-Z0-9][\w-]*(?:` + spelledDot + `[a-zA-Z0-9][\w-]*)*` + spelledDot +
	`[a-z]{2,12})(?:$|[^\w(\[.]|[.]\W|[.]$)`)

const spelledDot = `(?:\.| ?[\[({]dot[\])}] ?| DOT | dot )`

// sourceFiles are the ends of names of files, which no domain has or hardly any.
var sourceFiles = strings.Fields("sol vy js ts jsx tsx mjs py go rs md json yaml yml toml cairo move sh java rb php log txt html")

// findSpelledEmail: a name, at in brackets, a domain. Spaces stand on both sides of it or on none.
func findSpelledEmail(sc *scan, lo, hi int) {
	const longest, far = 64, 120
	text := sc.text
	spaced := lo > 0 && text[lo-1] == ' '
	if spaced != (byteAfter(text, hi) == ' ') {
		return
	}
	end := lo
	if spaced {
		end--
	}
	from := end
	for from > 0 && end-from < longest && (is(text[from-1], clsURL64) || text[from-1] == '.' || text[from-1] == '+') {
		from--
	}
	m := spelledDomain.FindStringSubmatchIndex(text[hi:min(len(text), hi+far)])
	if m == nil || from == end || !has(text[from:end], clsLetter) {
		return
	}
	for from < end && !is(text[from], clsAlnum) {
		from++
	}
	domain := text[hi+m[2] : hi+m[3]]
	if slices.Contains(sourceFiles, domain[strings.LastIndexByte(domain, '.')+1:]) || is(text[lo], clsUpper) && !has(text[from:end], clsLower) {
		return
	}
	sc.emit(KindEmail, from, hi+m[3])
}
