package scrubber

import (
	"net/netip"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// E-mail addresses.
func emailRules() []rule {
	return []rule{{
		name: "e-mail", kind: KindEmail, find: findEmails,
		removed: []string{
			"mail «<a:6>@<a:5>.com».", "<«<a:3>.<a:4>+<a:3>@<a:5>.co.uk»>", "«<a:4>@<a:3>.internal»",
			"«<a:4>@xn--<a:5>.xn--<a:4>»",
			"«\"<a:3> <a:4>\"@<a:5>.org»", "«<a:4>@[192.0.2.7]»", "«мир<a:3>@пример.рф»", "«o'<a:5>@<a:5>.net»",
			"mailto:«<a:6>@<a:5>.io»?subject=x", "«git@<a:6>.com»", "«<a:4>+<a:3>=x.org@<a:4>.com»",
			"k=«<a:4>+<a:3>@<a:4>.com»",
			"邮箱«<a:5>@<a:5>.com»是", "«用户@例子.公司»，好", "«<a:5>@163.com»", "«<a:5>@<a:4>.com».1", "«<a:5>@1.2.3.com»",
			"«<a:5>@10.20.30.<a:5>.org»", "«<a:5>@<a:5>.com»:22", "«<a:5>@1688.com»:587", "«<a:5>@192.168.17.40»:22",
			"«<a:5>@<a:5>.com»:<a:5>/<a:3>", "«<a:5>.<a:4>@10.0.0.5»", "«OPS@<a:5>.com»", "mail:«<a:6>@<a:7>.com»:",
			"mail:«<a:5>@<a:6>.com»:«<a:5>Q9<a:3>»", "«PUBKEY1@<a:5>.org»",
		},
		kept: []string{
			"<a:5>@1.2.3", "x@v0.24.0-rc.1", "icon@2x.png", "git@<a:6>.com:<a:4>/<a:5>.git",
			"ssh://git@<a:6>.com/<a:4>/<a:5>", "@<a:5>",
			"@app.route", "<a:5>@localhost", "function@.got.plt", "-.=@[]", "${user}@${host}",
			"@openzeppelin/contracts@4.9.3", "a @ b.com",
			"https://0x<hex:96>@relay.<a:5>.net", "enode://<hex:128>@node.<a:5>.org:30303", "<hex:40>@seed.<a:5>.org:26656",
			"peers = \"<hex:40>@<a:5>.io:26656,<hex:40>@10.1.2.3:26656\"", "<hex:128>@node.<a:5>.org:30303",
			"<a:5>@1.2.3.4",
			"<a:5>@v1.2.3.4-rc1", "https://0xPUBKEY@relay.<a:5>.org", "NODE_ID@seed.<a:5>.org:26656",
			"-relay 0xYOUR_PUBKEY@<a:6>.org",
		},
	}}
}

// findEmails grows an address outwards from each at sign. There is no list of public suffixes: corp.internal counts.
func findEmails(sc *scan, _, _ int) {
	text := sc.text
	for at := 0; ; at++ {
		n := strings.IndexByte(text[at:], '@')
		if n < 0 {
			return
		}
		at += n
		lo, hi := emailLocal(text, at), emailDomain(text, at+1)
		switch {
		case lo == at:
		case hi == at+1:
			sc.emit(KindEmail, lo, hostNumber(text, lo, at))
		case !keptAddress(text, lo, at, hi):
			sc.emit(KindEmail, lo, hi)
			if password := pairPassword(text, hi); password > 0 {
				sc.emit(KindContextual, hi+1, password)
			}
		}
	}
}

// pairPassword returns the end of the password that stands behind an address and a colon, or 0: a port and a path are none.
func pairPassword(text string, hi int) int {
	const shortest, longest = 8, 40
	if byteAfter(text, hi) != ':' {
		return 0
	}
	end := forward(text[:min(len(text), hi+longest)], hi+1, clsValue)
	value := strings.TrimRight(text[hi+1:end], ".,:|?")
	if len(value) < shortest || !has(value, clsDigit) || !upperLower(value) || strings.ContainsAny(value, "/.@") ||
		slug(value) || template(value) || placeholder(value) || chainName(value) {
		return 0
	}
	return hi + 1 + len(value)
}

// localSigns are the signs that a local part may hold here. Quotes, brackets, slashes and the like are left
// out: around an address in running text they delimit it far more often than they belong to it.
const localSigns = ".!#$%&'*+=?^_~-"

// emailLocal returns the start of the local part that ends at at, or at if there is none.
func emailLocal(text string, at int) int {
	if at > 1 && text[at-1] == '"' {
		const longest = 64
		from := max(0, at-2-longest)
		q := from + strings.LastIndexByte(text[from:at-1], '"')
		if q >= from && q+2 < at && !strings.ContainsAny(text[q:at], "\n@") {
			return q
		}
		return at
	}
	lo, latin := at, false
	for lo > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:lo])
		if r < utf8.RuneSelf && !is(byte(r), clsAlnum) && strings.IndexByte(localSigns, byte(r)) < 0 ||
			r >= utf8.RuneSelf && (!wordRune(r) || latin && unspaced(r)) {
			break
		}
		latin = latin || r < utf8.RuneSelf && is(byte(r), clsLetter)
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

var (
	writtenSpace = regexp.MustCompile(`(?i)^.*%(?:20|0[9ad]|2[26c]|3[abcde])`)
	writtenColor = regexp.MustCompile(`(?:\x1b|001[bB]|\\x1[bB]|\\033|\\e)\[\d*m$`)
)

// pastEscape moves the start of a local part after an escape that stands in front of it: \n, %20, a colour code.
func pastEscape(text string, lo, at int) int {
	if m := writtenSpace.FindString(text[lo:max(lo, at-1)]); m != "" {
		lo += len(m)
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
		m := forward(text[:at-1], lo, clsDigit)
		if m < at-1 && text[m] == 'm' && writtenColor.MatchString(text[max(0, lo-8):m+1]) {
			return m + 1
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
	if m := addressLiteral.FindString(text[lo:min(len(text), lo+64)]); m != "" {
		return lo + len(m)
	}
	// valid is the end of the last label so far that can close a domain.
	valid, labels := lo, 0
	for i := lo; i < len(text); i++ {
		from := i
		for i < len(text) {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r < utf8.RuneSelf && !is(text[i], clsURL64) ||
				r >= utf8.RuneSelf && (!wordRune(r) || unspaced(r) && i > from && is(text[i-1], clsLetter)) {
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
		if i < len(text) && text[i] != '.' {
			break
		}
	}
	return valid
}

var (
	// addressLiteral: [192.0.2.7] or [IPv6:2001:db8::1].
	addressLiteral = regexp.MustCompile(`^\[(?:IPv6:)?(?:[0-9a-fA-F]+[.:]|[.:]+[0-9a-fA-F])[0-9a-fA-F.:]*\]`)
	// imageForm: 2x.png, the mark of a denser image.
	imageForm = regexp.MustCompile(`^\d+x\.(?i:png|jpe?g|gif|webp|svg|avif)$`)
	// versionForm: v1.2 at the start, followed by nothing or a pre-release, or 1.2.3 and a word.
	versionForm = regexp.MustCompile(`^v?\d+\.\d+(?:\.\d+)*(?:\.?$|\.?[^0-9A-Za-z.]|\.\.)|^v?\d+\.\d+(?:\.\d+)+\.[A-Za-z]`)
	// publicKey is the key that stands for a user in the URL of a relay or a node: 48 or 64 bytes of hex.
	publicKey = regexp.MustCompile(`^(?:0x)?(?:[0-9a-fA-F]{96}|[0-9a-fA-F]{128})$`)
	// nodeID is the id of a peer, as Tendermint (20 bytes), devp2p (64) and others (32) write it before the host and port.
	nodeID = regexp.MustCompile(`^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{128}|12D3KooW.{44}|Qm.{44})$`)
	// keyPlace is a place to be filled in with such a key: 0xPUBKEY, NODE_ID.
	keyPlace = regexp.MustCompile(`^(?:0x[A-Z_]+|(?:[A-Z]+_)?(?:PUB_?KEY|PUBLIC_KEY|(?:NODE|PEER)_?ID|ENODE))$`)
	// namedHost is one whose labels begin in numbers and that ends in two names, or in one of the best known suffixes:
	// 1.2.3.example.com, 163.1.2.com. A version ends in a number, or in a word after a hyphen.
	namedHost = regexp.MustCompile(`(?:^|\.)[a-z]+\.[a-z]+$|` +
		`\.(?:com|net|org|cn|io|co|ru|de|uk|jp|kr|fr|edu|gov|info|biz|eu|in|br|us|me|xyz)$`)
)

// keptAddress knows the forms that look like an address and are none: package@version, icon@2x.png and
// git@host:path.
func keptAddress(text string, lo, at, hi int) bool {
	local, domain, rest := text[lo:at], text[at+1:hi], text[hi:]
	switch {
	case versionForm.MatchString(text[at+1:min(len(text), hi+2)]) && !namedHost.MatchString(domain), imageForm.MatchString(domain),
		nodeID.MatchString(local) && strings.HasPrefix(rest, ":"), keyPlace.MatchString(local), inUserinfo(text, lo),
		strings.HasSuffix(text[:lo], "://") && (local == "git" || publicKey.MatchString(local)):
		return true
	}
	path := strings.TrimPrefix(rest, ":")
	if path == rest {
		return false
	}
	path = strings.TrimRight(path[:len(path)-len(strings.TrimLeftFunc(path, pathRune))], ".")
	return strings.HasSuffix(path, ".git") || local == "git" && strings.Contains(strings.Trim(path, "/"), "/")
}

func pathRune(r rune) bool {
	return r < utf8.RuneSelf && (is(byte(r), clsURL64) || r == '.' || r == '/' || r == '~')
}

// hostNumber returns the end of an IPv4 address after the at sign, or 0. Four numbers may be a version, too: those whose first is
// below ten are taken for one, and what follows a path or a peer's id.
func hostNumber(text string, lo, at int) int {
	end := at + 1
	for end < len(text) && (is(text[end], clsDigit) || text[end] == '.') {
		end++
	}
	host := strings.TrimRight(text[at+1:end], ".")
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.As4()[0] < 10 {
		return 0
	}
	if end < len(text) && (is(text[end], clsURL64) || text[end] == '+') {
		return 0
	}
	local := text[lo:at]
	if before := byteBefore(text, lo); before == '/' || before == '@' || all(local, clsDigit) || nodeID.MatchString(local) ||
		publicKey.MatchString(local) {
		return 0
	}
	return at + 1 + len(host)
}

// inUserinfo reports whether lo follows scheme://user: so that the URL's rule takes what is before the at
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
