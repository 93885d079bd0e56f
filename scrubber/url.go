package scrubber

import (
	"strings"
	"unicode/utf8"
)

// Secrets in URLs: passwords, and the keys of node providers.
func urlRules() []rule {
	return []rule{{
		name: "password in a url", kind: KindURLPassword, anchors: []string{"://"}, find: findURLPassword,
		removed: []string{"postgres://«<a:5>:<an:12>»@db.<a:4>.internal:5432/app", "https://«<a:4>:<an:8>»@<a:6>/x", "amqp://«:<an:12>»@host", "redis://«:<an:9>@<an:3>»@host:6379", "mongodb+srv://«<a:3>:<an:9>»@c0.<a:5>.net"},
		kept:    []string{"https://<a:6>.com/a:b@c", "http://localhost:5000/<%= @v %>", "postgres://${USER}:${PASS}@host/db", "https://user:<password>@host", "https://<a:5>:8000 @else", "ssh://git@<a:5>.com/x", "mongodb://{{ .User }}:{{ .Pass }}@host", "redis://user:***@host"},
	}, {
		name: "key in a query", kind: KindRPCURL, anchors: []string{"?api-key=", "&api-key=", "?apikey=", "&apikey=", "?api_key=", "&api_key=", "?access_token=", "&access_token=", "?key=", "&key=", "?token=", "&token=", "&auth=", "?auth=", "?dkey=", "&dkey="}, fold: true, find: findQueryKey,
		removed: []string{"https://mainnet.helius-rpc.com/?api-key=«<uuid>»", "https://api.etherscan.io/api?module=x&apikey=«<UPD:34>»", "https://x.io/?a=1&access_token=«<u64:40>»&b=2"},
		kept:    []string{"?api-key=YOUR_API_KEY_GOES_HERE", "&apikey=${KEY}", "?token=0x<hex:40>", "?token=So11111111111111111111111111111111111111112", "?key=value", "?token=<b58addr>"},
	}}
}

// findURLPassword: the part before the last at sign of the authority, if it holds a colon and a password that is
// no placeholder.
func findURLPassword(sc *scan, lo, hi int) int {
	const longest = 256
	text := sc.text
	if lo == 0 || !is(text[lo-1], clsAlnum) {
		return hi
	}
	limit := min(len(text), hi+longest)
	end, last := hi, -1
	for end < limit && text[end] > ' ' && !is(text[end], clsURLEnd|clsURLPart) {
		if text[end] == '@' {
			last = end
		}
		end++
	}
	// A password may hold / ? # unescaped; only a host right after the at sign tells.
	if last < 0 {
		stop := end
		for stop < limit && text[stop] > ' ' && !is(text[stop], clsURLEnd) {
			if text[stop] == '@' {
				last = stop
			}
			stop++
		}
		colon := strings.IndexByte(text[hi:end], ':')
		if last < 0 || colon < 0 || forward(text, hi+colon+1, clsDigit) == end { // host:port/path@x
			return hi
		}
	}
	user := text[hi:last]
	colon := strings.IndexByte(user, ':')
	if colon < 0 || last+1 >= len(text) || !is(text[last+1], clsAlnum) && text[last+1] != '[' && text[last+1] < utf8.RuneSelf {
		return end
	}
	if password := user[colon+1:]; password == "" || template(password) {
		return end
	}
	sc.emit(KindURLPassword, hi, last)
	return last
}

// template tells a place to be filled in (${PASS}, <password>, {{ x }}, $PASS, ****) from a value.
func template(s string) bool {
	switch s[0] {
	case '$', '<', '{', '%', '*', '[':
		return len(s) < 2 || s[0] != '$' && s[0] != '%' || s[1] == '{' || s[1] == '(' || is(s[1], clsUpper) && all(strings.Trim(s, "$_%"), clsUpper|clsDigit) || s[0] == '%' && len(s) == 2
	}
	return strings.Trim(s, "*.xX") == "" || isMarkers(s)
}

// findQueryKey: a query parameter whose value has at least 16 drawn characters.
func findQueryKey(sc *scan, _, hi int) int {
	end := forward(sc.text, hi, clsURL64)
	value := sc.text[hi:end]
	if len(value) >= 16 && drawn(value) && !chainName(value) {
		sc.emit(KindRPCURL, hi, end)
	}
	return end
}
