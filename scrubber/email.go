package scrubber

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// E-mail addresses.
func emailRules() []rule {
	return []rule{{
		name: "e-mail", kind: KindEmail, at: true, find: findEmail,
		removed: []string{
			"mail «<a:6>@<a:5>.com».", "<«<a:3>.<a:4>+<a:3>@<a:5>.co.uk»>", "«<a:4>@<a:3>.internal»", "«<a:4>@xn--<a:5>.xn--<a:4>»",
			"«\"<a:3> <a:4>\"@<a:5>.org»", "«<a:4>@[192.0.2.7]»", "«мир<a:3>@пример.рф»", "«o'<a:5>@<a:5>.net»", "mailto:«<a:6>@<a:5>.io»?subject=x",
			"«git@<a:6>.com»", "«<a:4>+<a:3>=x.org@<a:4>.com»", "k=«<a:4>+<a:3>@<a:4>.com»", "邮箱«<a:5>@<a:5>.com»是", "«用户@例子.公司»，好", "«<a:5>@163.com»", "«<a:5>@<a:4>.com».1", "«<a:5>@1.2.3.com»", "«<a:5>@10.20.30.<a:5>.org»", "«<a:5>@<a:5>.com»:22", "«<a:5>@1688.com»:587", "«<a:5>@192.168.17.40»:22", "«<a:5>@<a:5>.com»:<a:5>/<a:3>", "«<a:5>.<a:4>@10.0.0.5»",
		},
		kept: []string{
			"<a:5>@1.2.3", "x@v0.24.0-rc.1", "icon@2x.png", "git@<a:6>.com:<a:4>/<a:5>.git", "ssh://git@<a:6>.com/<a:4>/<a:5>", "@<a:5>", "@app.route",
			"<a:5>@localhost", "function@.got.plt", "-.=@[]", "${user}@${host}", "@openzeppelin/contracts@4.9.3", "a @ b.com", "https://0x<hex:96>@relay.<a:5>.net", "enode://<hex:128>@node.<a:5>.org:30303",
			"<hex:40>@seed.<a:5>.org:26656", "peers = \"<hex:40>@<a:5>.io:26656,<hex:40>@10.1.2.3:26656\"", "<hex:128>@node.<a:5>.org:30303", "<a:5>@1.2.3.4", "<a:5>@v1.2.3.4-rc1",
		},
	}}
}

// localASCII holds the ASCII characters that a local part may hold here. Quotes, brackets, slashes and the like are left
// out: around an address in running text they delimit it far more often than they belong to it.
var localASCII, domainASCII = func() (l, d [128]bool) {
	for c := byte('0'); c <= 'z'; c++ {
		if is(c, clsAlnum) {
			l[c], d[c] = true, true
		}
	}
	for _, c := range ".!#$%&'*+=?^_~-" {
		l[c] = true
	}
	d['-'], d['_'] = true, true
	return l, d
}()

// findEmail grows an address outwards from its at sign. There is no list of public suffixes: corp.internal counts.
func findEmail(sc *scan, at, _ int) int {
	text := sc.text
	lo := emailLocal(text, at)
	if lo == at {
		return at + 1
	}
	hi := emailDomain(text, at+1)
	if hi == at+1 {
		hi = hostNumber(text, lo, at)
		if hi > at+1 {
			sc.emit(KindEmail, lo, hi)
		}
		return max(at+1, hi)
	}
	if keptAddress(text, lo, at, hi) {
		return at + 1
	}
	sc.emit(KindEmail, lo, hi)
	return hi
}

// emailLocal returns the start of the local part that ends at at, or at if there is none.
func emailLocal(text string, at int) int {
	if at > 1 && text[at-1] == '"' {
		const longest = 64
		from := max(0, at-2-longest)
		if q := strings.LastIndexByte(text[from:at-1], '"'); q >= 0 && !strings.ContainsAny(text[from+q:at], "\n@") && q+1 < at-1-from {
			return from + q
		}
		return at
	}
	lo, latin := at, false
	for lo > 0 {
		c := text[lo-1]
		if c < utf8.RuneSelf {
			if !localASCII[c] {
				break
			}
			latin = latin || is(c, clsLetter)
			lo--
			continue
		}
		r, size := utf8.DecodeLastRuneInString(text[:lo])
		if !wordRune(r) || latin && unspaced(r) {
			break
		}
		lo -= size
	}
	// name=a@b.c is an assignment, list+name=host@b.c a bounce address.
	if eq := strings.LastIndexByte(text[lo:at], '='); eq >= 0 && !strings.Contains(text[lo:lo+eq], "+") {
		lo += eq + 1
	}
	lo = pastEscape(text, lo, at)
	for lo < at && text[lo] < utf8.RuneSelf && !is(text[lo], clsAlnum) && text[lo] != '_' {
		lo++
	}
	if lo < at && (text[at-1] == '\'' || text[at-1] == '.') {
		return at
	}
	return lo
}

// pastEscape moves the start of a local part behind an escape that stands in front of it: \n, %20, a colour code.
func pastEscape(text string, lo, at int) int {
	for i := at - 3; i >= lo; i-- {
		if b, ok := hexByte(text[i+1:]); ok && text[i] == '%' && strings.IndexByte(" \n\r\t\"<>=&:,;", b) >= 0 && i+3 < at {
			lo = i + 3
			break
		}
	}
	if lo == 0 || lo+1 >= at {
		return lo
	}
	switch text[lo-1] {
	case '\\':
		if strings.IndexByte("nrtbfv", text[lo]) >= 0 {
			return lo + 1
		}
	case '[':
		before := text[:lo-1]
		for _, escape := range [...]string{"\x1b", "001b", "001B", `\x1b`, `\x1B`, `\033`, `\e`} {
			m := forward(text, lo, clsDigit)
			if strings.HasSuffix(before, escape) && m+1 < at && text[m] == 'm' {
				return m + 1
			}
		}
	}
	return lo
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// unspaced holds for the scripts that put no space between an address and the words around it.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// emailDomain returns the end of the domain that begins at lo, or lo if there is none.
func emailDomain(text string, lo int) int {
	if lo < len(text) && text[lo] == '[' {
		end := strings.IndexByte(text[lo:min(len(text), lo+64)], ']')
		if end < 0 {
			return lo
		}
		inside := text[lo+1 : lo+end]
		inside = strings.TrimPrefix(inside, "IPv6:")
		if !strings.ContainsAny(inside, ".:") || !strings.ContainsAny(inside, "0123456789abcdefABCDEF") ||
			strings.Trim(inside, "0123456789abcdefABCDEF.:") != "" {
			return lo
		}
		return lo + end + 1
	}
	// valid is the end of the last label so far that can close a domain.
	valid, labels, i := lo, 0, lo
	for i < len(text) {
		from := i
		for i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				if !domainASCII[c] {
					break
				}
				i++
				continue
			}
			r, size := utf8.DecodeRuneInString(text[i:])
			if !wordRune(r) || unspaced(r) && i > from && is(text[i-1], clsLetter) {
				break
			}
			i += size
		}
		label := strings.TrimRight(text[from:i], "-_")
		if label == "" {
			break
		}
		labels++
		if labels > 1 && utf8.RuneCountInString(label) >= 2 && !is(label[0], clsDigit) {
			valid = from + len(label)
		}
		if i >= len(text) || text[i] != '.' {
			break
		}
		i++
	}
	return valid
}

// keptAddress knows the forms that look like an address and are none: package@version, icon@2x.png and
// git@host:path.
func keptAddress(text string, lo, at, hi int) bool {
	domain := text[at+1 : hi]
	if versionForm(text[at+1:]) && !namedHost(domain) || imageForm(domain) || nodeID(text[lo:at]) && len(text) > hi && text[hi] == ':' {
		return true
	}
	rest := text[hi:]
	if inUserinfo(text, lo) {
		return true
	}
	if strings.HasSuffix(text[:lo], "://") && (text[lo:at] == "git" || publicKey(text[lo:at])) {
		return true
	}
	if len(rest) < 3 || rest[0] != ':' {
		return false
	}
	path := rest[1:]
	end := 0
	for end < len(path) && (is(path[end], clsURL64) || strings.IndexByte("./~", path[end]) >= 0) {
		end++
	}
	path = strings.TrimRight(path[:end], ".")
	if strings.HasSuffix(path, ".git") {
		return true
	}
	return text[lo:at] == "git" && strings.Contains(strings.Trim(path, "/"), "/")
}

// versionForm: v1.2 or 1.2.3 at the start, followed by nothing, a pre-release or a further number.
func versionForm(s string) bool {
	if len(s) > 0 && s[0] == 'v' {
		s = s[1:]
	}
	numbers := 0
	for {
		n := forward(s, 0, clsDigit)
		if n == 0 {
			return numbers >= 3
		}
		numbers++
		s = s[n:]
		if len(s) < 2 || s[0] != '.' || !is(s[1], clsAlnum) {
			return numbers >= 2 && (s == "" || !is(s[0], clsAlnum))
		}
		s = s[1:]
	}
}

// hostNumber returns the end of an IPv4 address behind the at sign, or 0. Four numbers may be a version, too: those whose first is
// below ten are taken for one, and what stands behind a path or a peer's id.
func hostNumber(text string, lo, at int) int {
	i := at + 1
	for part := range 4 {
		end := forward(text, i, clsDigit)
		n := 0
		for _, c := range []byte(text[i:min(end, i+4)]) {
			n = n*10 + int(c-'0')
		}
		if end == i || end-i > 3 || n > 255 || part == 0 && n < 10 || part < 3 && (end >= len(text) || text[end] != '.') {
			return 0
		}
		i = end + 1
	}
	i--
	if i < len(text) && (is(text[i], clsURL64) || text[i] == '+' || text[i] == '.' && i+1 < len(text) && is(text[i+1], clsAlnum)) {
		return 0
	}
	if lo > 0 && strings.IndexByte("/@", text[lo-1]) >= 0 || all(text[lo:at], clsDigit) || nodeID(text[lo:at]) || publicKey(text[lo:at]) {
		return 0
	}
	return i
}

// namedHost tells a host whose labels begin in numbers and that ends in two names, or in one of the best known suffixes: 1.2.3.example.com,
// 163.1.2.com. A version ends in a number, or in a word behind a hyphen.
func namedHost(domain string) bool {
	last := strings.LastIndexByte(domain, '.')
	if last < 0 || !all(domain[last+1:], clsLower) {
		return false
	}
	switch domain[last+1:] {
	case "com", "net", "org", "cn", "io", "co", "ru", "de", "uk", "jp", "kr", "fr", "edu", "gov", "info", "biz", "eu", "in", "br", "us", "me", "xyz":
		return true
	}
	before := strings.LastIndexByte(domain[:last], '.')
	return all(domain[before+1:last], clsLower)
}

// nodeID tells the hexadecimal id of a peer, as Tendermint (20 bytes), devp2p (64) and others (32) write it before the host and port.
func nodeID(s string) bool {
	return (len(s) == 40 || len(s) == 64 || len(s) == 128) && all(s, clsHex) || len(s) == 52 && strings.HasPrefix(s, "12D3KooW") || len(s) == 46 && strings.HasPrefix(s, "Qm")
}

// imageForm: 2x.png, the mark of a denser image.
func imageForm(domain string) bool {
	n := forward(domain, 0, clsDigit)
	if n == 0 || n >= len(domain) || domain[n] != 'x' {
		return false
	}
	switch strings.ToLower(domain[n+1:]) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif":
		return true
	}
	return false
}

// publicKey tells the key that stands for a user in the URL of a relay or a node: 48 or 64 bytes of hex.
func publicKey(s string) bool {
	s = strings.TrimPrefix(s, "0x")
	return (len(s) == 96 || len(s) == 128) && all(s, clsHex)
}

// inUserinfo tells whether lo stands behind scheme://user: so that the URL's rule takes what is before the at
// sign, and its host can stay.
func inUserinfo(text string, lo int) bool {
	const longest = 512
	if lo == 0 || text[lo-1] != ':' {
		return false
	}
	from := max(0, lo-longest)
	scheme := strings.LastIndex(text[from:lo], "://")
	if scheme < 0 {
		return false
	}
	user := text[from+scheme+3 : lo-1]
	return !strings.ContainsAny(user, "/?#@:\"'`<> \n\t") && !template(text[lo:])
}
