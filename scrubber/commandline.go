package scrubber

import (
	"regexp"
	"strings"
)

// Passwords in the short options of commands, and what a browser or client sends to stay logged in.
func commandLineRules() []rule {
	return []rule{{
		name: "password of a command", kind: KindContextual, anchors: []string{"sshpass -p", "redis-cli ", "mysql ", "mysqldump ", "mysqladmin "},
		pattern: regexp.MustCompile(`^(?:sshpass -p *|redis-cli [^\n|;]{0,120}?-a +|mysql\w* (?:[^\n|;]{0,120}? )?-p)["']?([^\s"']{6,})`),
		accept:  func(_ *scan, s string) bool { return s[0] != '$' && credentialPair(":"+s) },
		removed: []string{
			"sshpass -p «<an:12>9x» ssh root@host", "sshpass -p'«<an:9>!7»' scp a b:", "mysql -u root -p«<an:12>7Q» app",
			"mysqldump -p«<an:16>3z» x", "redis-cli -h 10.0.0.1 -a «<an:24>5k» ping", "redis-cli -a \"«<an:9>#8»\"",
		},
		kept: []string{
			"sshpass -p \"$PASS\" ssh x", "mysql -p app", "mysql -u root -p${PASS}", "mysql --port=<dig:8>", "redis-cli -a $REDIS_PASS",
			"redis-cli -p <dig:8>", "mysql -ppassword", "redis-cli --scan --pattern a-a", "sshpass -p <password> ssh",
		},
	}, {
		name: "cookie of a session", kind: KindAuthHeader, anchors: []string{"cookie:", "cookie\": \""}, fold: true, find: findCookie,
		removed: []string{
			"Cookie: session=«<an:38>7q»", "Set-Cookie: connect.sid=«s%3A<an:32>.<an:43>»; Path=/", "-H 'cookie: a=1; auth_token=«<hex:40>»'",
			"\"Cookie\": \"sid=«<u64:22>»; JSESSIONID=«<HEX:32>»\"",
		},
		kept: []string{
			"Cookie: session=<token>", "Cookie: theme=dark; lang=en", "Set-Cookie: session=; Path=/", "cookie: session=$SESSION",
			"cookie: sid=abc123", "Cookie: session=YOUR_SESSION_COOKIE_1", "Cookie: tx=<hex:64>",
		},
	}, {
		name: "signed cookie", kind: KindAuthHeader, anchors: []string{"connect.sid="},
		pattern: regexp.MustCompile(`^connect\.sid=(s(?:%3A|:)[\w-]{16,}\.[\w%+/-]{20,})`),
		removed: []string{"connect.sid=«s%3A<u64:32>.<an:43>»", "document.cookie = \"connect.sid=«s:<u64:32>.<an:43>»\""},
		kept:    []string{"connect.sid=", "connect.sid=s%3A<sid>"},
	}}
}

// sessionName matches session cookies by their names, and captures their values.
var sessionName = regexp.MustCompile(`(?i)(?:sess|sid|token|auth|jwt|login)[\w.-]*=([\w%.+/~-]{16,})`)

// findCookie: each value of a Cookie header that belongs to a session and looks random.
func findCookie(sc *scan, _, hi int) {
	const longest = 2000
	line, _, _ := strings.Cut(sc.text[hi:min(len(sc.text), hi+longest)], "\n")
	for _, m := range sessionName.FindAllStringSubmatchIndex(line, -1) {
		if value := line[m[2]:m[3]]; looksRandom(value) && !chainName(value) {
			sc.emit(KindAuthHeader, hi+m[2], hi+m[3])
		}
	}
	sc.resume = max(sc.resume, hi+len(line))
}
