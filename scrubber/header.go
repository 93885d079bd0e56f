package scrubber

import (
	"encoding/base64"
	"strings"
)

// Credentials in HTTP headers and on command lines.
func headerRules() []rule {
	return []rule{{
		name: "authorization header", kind: KindAuthHeader, anchors: []string{"authorization", "bearer ", "basic "}, fold: true, find: findAuthorization,
		removed: []string{"Authorization: Bearer «<u64:32>»", "\"authorization\": \"Bearer «<an:24>.<an:10>»\"", "-H 'Authorization: Basic «<basic>»' \\", "bearer «<an:40>»", "Authorization: Token «<hex:40>»", "authorization=Bearer%20«<an:32>»", "Proxy-Authorization: Basic «<basic>»"},
		kept:    []string{"Authorization: Bearer $API_KEY", "Authorization: Bearer <token>", "bearer token required", "Authorization: Bearer YOUR_TOKEN_HERE_12", "basic understanding of authorization and fees", "Authorization: basic {base64(email:password)}"},
	}, {
		name: "curl user", kind: KindAuthHeader, anchors: []string{"curl "}, find: findCurl,
		removed: []string{"curl -u «<a:6>:<an:10>9x» https://x.io", "curl --user '«<a:3>:<an:9>7y»' x", "curl -s -u \"«<an:14>8z:»\" https://x.io"},
		kept:    []string{"curl -u <user:password> https://x.io", "curl -u username:token", "curl -u \"${U}:${P}\"", "curl --user a:[PASSWORD] http://x", "curl https://x.io/a:b"},
	}}
}

// findAuthorization: a scheme and at least 16 characters that look drawn; Basic is proved by decoding to user:password.
func findAuthorization(sc *scan, lo, hi int) int {
	text := sc.text
	if lo > 0 && is(text[lo-1], clsAlnum) {
		return hi
	}
	at, scheme, header := hi, strings.ToLower(strings.TrimSpace(text[lo:hi])), false
	if scheme == "authorization" {
		header = true
		at = skip(text, at, "\"'`\\ ]")
		if at >= len(text) || text[at] != ':' && text[at] != '=' && text[at] != ',' {
			return hi
		}
		at = skip(text, at+1, "\"'`\\ =:[>\t")
		word := forward(text, at, clsLetter)
		scheme = strings.ToLower(text[at:word])
		if word < len(text) && (text[word] == ' ' || strings.HasPrefix(text[word:], "%20") || strings.HasPrefix(text[word:], "+")) {
			at = word + 1
			if text[word] == '%' {
				at = word + 3
			}
		} else {
			scheme = ""
		}
	}
	at = skip(text, at, " \"'`")
	end := at
	for end < len(text) && (is(text[end], clsURL64|clsBase64|clsPad) || strings.IndexByte("._~|%:", text[end]) >= 0) {
		end++
	}
	for end > at && strings.IndexByte(".:%", text[end-1]) >= 0 {
		end--
	}
	value := text[at:end]
	if scheme == "basic" {
		if !basicPair(value) {
			return hi
		}
	} else if len(value) < 16 || !drawn(value) && !(header && len(value) >= 24 && !placeholder(value) && !slug(value) && !dull(value)) {
		return hi
	}
	sc.emit(KindAuthHeader, at, end)
	return end
}

func skip(s string, i int, chars string) int {
	for i < len(s) && strings.IndexByte(chars, s[i]) >= 0 {
		i++
	}
	return i
}

// basicPair tells whether s is base64 of printable text with a colon in it.
func basicPair(s string) bool {
	if len(s) < 8 || len(s) > 1024 {
		return false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && printable(decoded) == len(decoded) && strings.IndexByte(string(decoded), ':') >= 0
}

// findCurl: the value of -u or --user, if one half of it is no placeholder.
func findCurl(sc *scan, _, hi int) int {
	text := sc.text
	end := min(len(text), hi+1000)
	if n := strings.IndexByte(text[hi:end], '\n'); n >= 0 {
		end = hi + n
	}
	for _, flag := range [...]string{"-u ", "--user ", "-u\"", "-u'", "--user=", "-u="} {
		for at := hi - 1; at < end; {
			n := strings.Index(text[at:end], flag)
			if n < 0 {
				break
			}
			start := skip(text, at+n+len(flag), " \"'=")
			stop := start
			for stop < end && text[stop] > ' ' {
				stop++
			}
			for stop > start && strings.IndexByte("\"'`", text[stop-1]) >= 0 {
				stop--
			}
			if before := at + n; before > 0 && text[before-1] <= ' ' && credentialPair(text[start:stop]) {
				sc.emit(KindAuthHeader, start, stop)
			}
			at += n + len(flag)
		}
	}
	return end
}

// credentialPair: user:password where the password, or a key before a bare colon, is neither a place to be filled in
// nor one lower-case word.
func credentialPair(s string) bool {
	colon := strings.IndexByte(s, ':')
	if colon < 0 || strings.ContainsAny(s, "<>[]()") || strings.Contains(s, "${") || strings.Contains(s, "{{") {
		return false
	}
	secret := strings.Trim(s[colon+1:], "\"'{}")
	if secret == "" {
		secret = strings.Trim(s[:colon], "\"'{}")
	}
	if len(secret) < 6 || template(secret) || placeholder(secret) {
		return false
	}
	return upperLower(secret) || strings.IndexFunc(secret, func(r rune) bool { return r < 'A' || r > 'z' }) >= 0
}
