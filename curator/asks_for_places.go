package curator

import (
	"iter"
	"slices"
	"strings"

	"agentlore/lore"
)

// places finds what a fix names that lies elsewhere: hosts, addresses, people in messengers.
func (r *fixReader) places() {
	for i := range r.words {
		w := &r.words[i]
		w.address = addressIn(w.text)
		if w.address == "" && len(w.low) != len(w.text) {
			w.address = addressIn(w.low) // with characters in it that can't be seen
		}
		if w.address == "" && r.isNameService(i) {
			w.address = shown(strings.TrimSuffix(w.low, "'s"))
		}
		if w.address != "" && !isNobodys(w.address) {
			r.ask(lore.ActNamesAddress, w.address)
		}
		for rest := strings.ToLower(w.text); len(rest) > addressLength; { // 0x.../0x...
			next := strings.Index(rest[2:], "0x")
			if next < 0 {
				break
			}
			rest = rest[2+next:]
			if another := addressIn(rest[:min(len(rest), addressLength+1)]); another != "" && !isNobodys(another) {
				r.ask(lore.ActNamesAddress, another)
			}
		}
		if w.host = r.hostIn(i); w.host != "" {
			w.host = shown(w.host)
			r.ask(lore.ActOpensURL, w.host)
		}
		r.messenger(i)
	}
}

// addressLength is that of an address of an EVM chain.
const addressLength = len("0x") + 40

// addressIn returns the address in a word, "" if there is none.
func addressIn(word string) string {
	const shortest = 25
	if len(word) < shortest {
		return ""
	}
	if at := strings.Index(strings.ToLower(word), "0x"); at >= 0 && len(word) >= at+addressLength {
		address, rest := word[at:at+addressLength], word[at+addressLength:]
		if isHex(address[2:]) && (rest == "" || !isHex(rest[:1])) {
			return strings.ToLower(address)
		}
		return inCalldata(strings.ToLower(word[at:]))
	}
	for _, entity := range lore.Entities(word) {
		if isEncodedAddress(entity) {
			return entity
		}
	}
	if part := word[strings.LastIndexAny(word, ":=/")+1:]; isBech32(part) || isBase58Check(part) {
		return part
	}
	return ""
}

// inCalldata returns the address that is the first argument of an encoded call, "" if it has none.
func inCalldata(data string) string {
	const selector, padding, argument = len("0x") + 8, 24, 64
	if len(data) < selector+2*argument || !isHex(data[2:]) ||
		data[selector:selector+padding] != strings.Repeat("0", padding) {
		return ""
	}
	address := "0x" + data[selector+padding:selector+argument]
	if isNobodys(address) {
		return ""
	}
	return address
}

func isHex(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) && (text[i]|0x20 < 'a' || text[i]|0x20 > 'f') {
			return false
		}
	}
	return text != ""
}

// isEncodedAddress tells the addresses of Solana and XRPL from other entities.
func isEncodedAddress(entity string) bool {
	return isMixed(entity) && len(entity) <= 44 && (len(entity) >= 32 || len(entity) >= 25 && entity[0] == 'r')
}

// isMixed reports whether a word consists of digits and of letters of both cases.
func isMixed(word string) bool {
	digit, small, capital := false, false, false
	for i := range len(word) {
		switch c := word[i]; {
		case isDigit(c):
			digit = true
		case c >= 'a' && c <= 'z':
			small = true
		case c >= 'A' && c <= 'Z':
			capital = true
		default:
			return false
		}
	}
	return digit && small && capital
}

// isBech32 reports whether a word has the form of an address of Cosmos, SegWit or Cardano: letters, 1, and 38
// characters or more.
func isBech32(word string) bool {
	one := strings.LastIndexByte(word, '1')
	return one >= 2 && len(word)-one > 38 && len(word) < 120 && strings.ToLower(word) == word &&
		strings.Trim(word[:one], "abcdefghijklmnopqrstuvwxyz_") == "" &&
		strings.Trim(word[one+1:], "qpzry9x8gf2tvdw0s3jn54khce6mua7l") == ""
}

// isBase58Check reports whether a word has the form of an address of Bitcoin or Tron.
func isBase58Check(word string) bool {
	return len(word) >= 26 && len(word) <= 35 && strings.IndexByte("13T", word[0]) >= 0 && isMixed(word) &&
		!strings.ContainsAny(word, "0OIl")
}

// isNobodys tells addresses that nobody can take: zero, precompiles, the predeploys of the OP Stack, the sign for
// ether, the usual place to
// burn.
func isNobodys(address string) bool {
	return strings.HasPrefix(address, "0x"+strings.Repeat("0", 36)) ||
		strings.HasPrefix(address, "0x42"+strings.Repeat("0", 34)) ||
		address == "0x"+strings.Repeat("e", 40) || strings.HasSuffix(address, "dead") &&
		strings.Contains(address, strings.Repeat("0", 30))
}

// isNameService reports whether a word is a name such as alice.eth. Names that look like files or code count only as
// who gets something.
func (r *fixReader) isNameService(i int) bool {
	low := strings.TrimSuffix(r.words[i].low, "'s")
	dot := strings.LastIndexByte(low, '.')
	if dot < 1 || strings.ContainsAny(low, "/:=()@") {
		return false
	}
	switch ending := low[dot+1:]; {
	case ending == "eth":
		getsSomething := sends | moves | approvals | grants | controls | controlled | allowances
		if !r.is(i-1, beforeRecipient) && r.holds(r.sentenceStart(i, 12), r.sentence(i, 12), getsSomething) < 0 {
			return false
		}
		return low != "web3.eth" && low != "w3.eth" && !strings.HasSuffix(low, "web3.eth")
	case nameEndings[ending]:
		return strings.Count(low, ".") == 1 && low == r.words[i].text && r.is(i-1, beforeRecipient)
	}
	return false
}

var (
	nameEndings     = namesOf("sol bnb crypto lens nft wallet dao stark ton arb apt sui")
	beforeRecipient = setOf("to for approve spender recipient owner delegate address into operator")
)

// hostIn returns the host that a word names, with the account where many share the host. It is "" for hosts of one's
// own machine and for
// what stands for a host of the reader's (https://HOST:PORT, https://$RPC, https://example.org).
func (r *fixReader) hostIn(i int) string {
	w := r.words[i]
	text := w.text
	colon := strings.IndexByte(text, ':')
	if colon > 0 && strings.IndexByte(text[colon:], '/') > 0 {
		for _, git := range gitHosts {
			if _, path, is := strings.Cut(text, git.short); is {
				return withAccount(git.host, path)
			}
		}
	}
	if len(text) < 4 || colon < 0 && strings.IndexByte(text, '.') < 0 {
		return ""
	}
	scheme, rest, isURL := strings.Cut(text, "://")
	if after, is := strings.CutPrefix(text, "https:"); is && !isURL { // browsers read https:host and https:/host too
		rest, isURL = strings.TrimLeft(after, "/"), true
	}
	if !isURL {
		rest = strings.TrimSuffix(text, "'s")
		if _, repository, git := strings.Cut(text, "git@"); git {
			rest, isURL = strings.Replace(repository, ":", "/", 1), true
		} else if at := strings.LastIndexAny(beforeSlash(text),
			"=@"); at > 0 { // registry=host, GOPROXY=host, somebody@host
			rest = text[at+1:]
		}
	} else if strings.HasSuffix(strings.ToLower(scheme), "file") {
		return ""
	} else if rest == "" && w.end < len(r.text) && r.text[w.end] == '[' && i+1 < len(r.words) &&
		r.words[i+1].text != "::1" {
		return "[" + r.words[i+1].text + "]"
	}
	authority, path, _ := strings.Cut(rest, "/")
	authority, _, _ = strings.Cut(authority, "?")
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	name, port, hasPort := strings.Cut(authority, ":")
	if hasPort && port != "" && !isDigit(port[0]) && !isURL {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(name), ".")
	if strings.HasPrefix(scheme, "ipfs") && isURL {
		if name == strings.ToUpper(name) {
			return ""
		}
		return "ipfs:" + name
	}
	if !isURL && !r.isBareHost(i, name, hasPort, path != "") || host == "" || isOwnHost(name, host) {
		return ""
	}
	return withAccount(strings.TrimPrefix(host, "www."), path)
}

// beforeSlash returns what stands before the path.
func beforeSlash(text string) string {
	before, _, _ := strings.Cut(text, "/")
	return before
}

// gitHosts are the hosts that package managers know by a short name, github:owner/repository, and Ubuntu's repositories
// of everybody.
var gitHosts = []struct{ short, host string }{
	{"github:", "github.com"}, {"gitlab:", "gitlab.com"}, {"bitbucket:", "bitbucket.org"}, {"ppa:",
		"ppa.launchpad.net"},
}

// isBareHost reports whether a word without a scheme is a host. Much code has its form (provider.network, tx.to,
// hardhat.config.ts), so that
// only endings that code hardly has count by themselves.
func (r *fixReader) isBareHost(i int, name string, hasPort, hasPath bool) bool {
	dot := strings.LastIndexByte(name, '.')
	if dot < 1 || dot == len(name)-1 || name != strings.ToLower(name) || strings.Contains(name, "..") ||
		strings.ContainsAny(name, "_$*+%'") {
		return false
	}
	end := r.words[i].end
	if end < len(r.text) && r.text[end] == '(' {
		return false // a call
	}
	first, _, several := strings.Cut(name[:dot], ".")
	switch ending := name[dot+1:]; {
	case strings.HasPrefix(name, "www."), strings.HasPrefix(ending, "xn--"), hostEndings[ending]:
		return true
	case wordEndings[ending]:
		return several || hasPath || !codeObjects[first]
	case sharedHosts[name] > 0:
		return true
	case isIPv4(name):
		return hasPath || hasPort || r.is(i-1, beforeHost)
	case hasPath && !fileEndings[ending] && len(ending) >= 2 && isLetters(ending) &&
		r.text[max(0, r.words[i].at-1)] != '/':
		return !codeObjects[first]
	case codeEndings[ending]:
		return several && r.is(i-1, beforeHost)
	}
	return false
}

var (
	hostEndings = namesOf(`com org net xyz io dev co ai gg cc site online click top tech cloud ru cn de uk eu us in
		fr nl ch jp kr br pw icu lol wtf foundation systems digital zone fyi biz fm im vip fund capital ventures
		exchange finance`)
	wordEndings = namesOf(`network app link live page world money cash trade market win fun club space pro host
		website store support help services wallet tools solutions`)
	fileEndings = namesOf(`sol ts js mjs cjs tsx jsx json toml yaml yml rs py go md txt html css lock so wasm abi bin
		log env cfg conf ini sh vy move cairo yul eth sum mod zip gz tgz tar`)
	codeEndings = namesOf("sh me id to info name so is run one ws rs md py tv")
	codeObjects = namesOf(`hre provider client this self wallet signer chain config state options ctx ethers window
		program connection account publicclient walletclient env process network tx block msg event app args params
		settings`)
	beforeHost = setOf("nc ssh scp rsync telnet at visit via from to on using open through use see with curl wget")
)

// isNumber reports whether a host is the address of a machine as one number: http://1572395042.
func isNumber(host string) bool {
	return len(host) > 7 && (strings.Trim(host, "0123456789") == "" || strings.HasPrefix(host, "0x") && isHex(host[2:]))
}

func isLetters(text string) bool {
	for i := range len(text) {
		if text[i] < 'a' || text[i] > 'z' {
			return false
		}
	}
	return true
}

// isIPv4 reports whether a text has the form of an address of a machine.
func isIPv4(text string) bool {
	return strings.Count(text, ".") == 3 && strings.Trim(text, "0123456789.") == "" && !strings.Contains(text, "..")
}

// isOwnHost reports whether a host is the reader's own or stands for one.
func isOwnHost(name, host string) bool {
	if !strings.Contains(host, ".") && !isNumber(host) || strings.ContainsAny(name, "<>{}$*") ||
		strings.HasPrefix(name, "...") {
		return true
	}
	for _, own := range [...]string{"127.", "10.", "192.168.", "0.0.0.0", "172.16.", "172.17.", "172.18.", "169.254."} {
		if strings.HasPrefix(host, own) {
			return true
		}
	}
	ending := host[strings.LastIndexByte(host, '.')+1:]
	if ending == "example" || ending == "local" || ending == "localhost" || ending == "internal" || ending == "test" ||
		ending == "invalid" {
		return true
	}
	for _, domain := range [...]string{"example.com", "example.org", "example.net"} { // RFC 2606
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}

// sharedHosts are hosts on which everybody can put something, each with how many parts of the path name who did.
var sharedHosts = map[string]int{
	"github.com": 1, "gitlab.com": 1, "bitbucket.org": 1, "codeberg.org": 1, "gist.github.com": 1, "huggingface.co": 1,
	"ghcr.io": 1,
	"t.me":    1, "telegram.me": 1, "discord.gg": 1, "discord.com": 2, "x.com": 1, "twitter.com": 1, "medium.com": 1,
	"youtube.com":     1,
	"docs.google.com": 3, "drive.google.com": 3, "sites.google.com": 2, "forms.gle": 1, "dropbox.com": 2,
	"pastebin.com": 1, "hastebin.com": 1,
	"ipfs.io": 2, "dweb.link": 2, "bit.ly": 1, "tinyurl.com": 1, "npmjs.com": 2, "pypi.org": 2, "crates.io": 2,
	"hub.docker.com":         2,
	"storage.googleapis.com": 1, "s3.amazonaws.com": 1, "wa.me": 1, "rentry.co": 1, "transfer.sh": 1, "notion.site": 1,
	"unpkg.com":        1,
	"cdn.jsdelivr.net": 2, "esm.sh": 1, "ppa.launchpad.net": 1,
}

// sharedDomains are domains of which everybody can have a name below.
var sharedDomains = namesOf(`github.io gitlab.io vercel.app netlify.app pages.dev workers.dev herokuapp.com ngrok.io
	ngrok.app ngrok-free.app web.app firebaseapp.com r2.dev amazonaws.com azurewebsites.net cloudfront.net
	notion.site gitbook.io medium.com substack.com blogspot.com readthedocs.io onrender.com fly.dev railway.app
	surge.sh replit.app glitch.me trycloudflare.com loca.lt repl.co googleapis.com sharepoint.com wordpress.com
	wixsite.com webflow.io github.dev githubusercontent.com ipfs.dweb.link eth.limo eth.link sourceforge.net`)

// withAccount returns a host with the part of the path that says whose page it is, where the host alone doesn't.
func withAccount(host, path string) string {
	switch host {
	case "raw.githubusercontent.com", "codeload.github.com":
		host = "github.com"
	case "api.github.com":
		host, path = "github.com", strings.TrimPrefix(path, "repos/")
	}
	parts := sharedHosts[host]
	if parts == 0 {
		return host
	}
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	segments := slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
	if len(segments) == 0 {
		return host
	}
	return host + "/" + strings.ToLower(strings.Join(segments[:min(len(segments), parts)], "/"))
}

// domainsAbove ranges over the domains that a host is in, but for those in which everybody can have a name.
func domainsAbove(host string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if strings.ContainsAny(host, "/:@ ") || !strings.Contains(host, ".") || strings.HasPrefix(host, "0x") {
			return
		}
		for {
			_, above, _ := strings.Cut(host, ".")
			first, last, isDomain := strings.Cut(above, ".")
			if !isDomain || sharedDomains[above] || !strings.Contains(last, ".") && len(last) == 2 &&
				len(first) <= 3 { // co.uk
				return
			}
			if !yield(above) {
				return
			}
			host = above
		}
	}
}

// messenger finds people to be asked for help where nobody knows who answers.
func (r *fixReader) messenger(i int) {
	if !r.is(i, messengers) {
		return
	}
	from, to := max(0, r.sentenceStart(i, 8)), r.sentence(i, 8)
	verb := r.holds(from, to, contacts)
	if r.words[i].begins && !strings.HasPrefix(r.low(i), "disc") && addressed[r.low(i+1)] {
		verb = i // "WhatsApp the operator"
	}
	verb = max(verb, r.handle(from, to))
	if r.low(i) != "discord" {
		verb = max(verb, r.holdsAny(from, to, joins))
	}
	if verb < 0 || r.negated(verb) {
		return
	}
	who := "somebody on " + r.words[i].low
	if handle := r.handle(from, to); handle >= 0 {
		who += ": " + r.words[handle].low
	}
	r.ask(lore.ActOpensURL, shown(who))
}

// handle returns the place of somebody's name, as in @helper, or -1.
func (r *fixReader) handle(from, to int) int {
	for i := max(0, from); i < min(to, len(r.words)); i++ {
		if text := r.words[i].text; len(text) > 2 && text[0] == '@' && strings.IndexByte(text, '/') < 0 {
			return i
		}
	}
	return -1
}

var (
	joins      = namesOf("ask asking asked join joining joined")
	messengers = setOf("telegram whatsapp discord wechat skype signal tg")
	addressed  = namesOf("the him her them me us our a an this")
	contacts   = setOf(`contact contacting contacted message messaging dm dming dmed pm write wrote ping pinged reach
		reached text texted support helpdesk admin chat talk agent`)
)
