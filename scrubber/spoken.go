package scrubber

import (
	"regexp"
	"strings"
)

// Values that stand behind their name without a sign between: in sentences, and behind the options of commands.

// spokenStart tells most words after a keyword from those that spokenValue begins with.
func spokenStart(s string) bool {
	return strings.HasPrefix(s, "is") || strings.HasPrefix(s, "was") || strings.HasPrefix(s, "of ") || strings.HasPrefix(s, "for ")
}

var spokenValue = regexp.MustCompile("^ (?:(?:of|for) (?:(?:the|my|our|this) )?[\\w.-]+ (?:[\\w.-]+ )?)?(?:is|was):? [\"'`]?")

// afterBlank finds the value that a sentence gives a strong name (is X, of the vault was X), or the argument of an option. Without one
// at is 0.
func afterBlank(text string, lo, end int, power strength) (at int, quoted, spoken bool) {
	if option(text, lo) {
		at = skip(text, end, " ")
		begin := skip(text, at, "\"'")
		if begin < len(text) && strings.IndexByte("-./~$", text[begin]) < 0 { // another option, a path, a variable
			return begin, begin > at, false
		}
		return 0, false, false
	}
	if power < keyName {
		return 0, false, false
	}
	if at = end + len(spokenValue.FindString(text[end:min(len(text), end+64)])); at == end || at == len(text) {
		return 0, false, false
	}
	return at, text[at-1] != ' ', true
}

// saidPassword tells a password in a sentence from words about one (SHA-256-hashed, argon2id) and paths.
func saidPassword(value string) bool {
	return (upperLower(value) || strings.ContainsAny(value, "!@#%^&*+?~|")) && !slug(value) && !strings.Contains(value, "/")
}

// saidSecret reports whether a sentence that gives a name this value gives a secret away: bare digits in hex are as often hashes, and other
// keys and tokens have public names.
func saidSecret(name, value string) bool {
	name = squeezed(name)
	return endsInAny(name, saidEnds) && !chainName(value) && (!all(value, clsHex) || strings.HasSuffix(name, "apikey"))
}

var saidEnds = strings.Fields("secret apikey accesskey secretkey apitoken accesstoken authtoken refreshtoken bearertoken bottoken")

// option reports whether the name around a keyword is a long option of a command.
func option(text string, lo int) bool {
	from := back(text[:lo], lo, clsURL64)
	return strings.HasPrefix(text[from:], "--") && (from == 0 || strings.IndexByte(" \t\n\"'`[", text[from-1]) >= 0)
}

// connection reports whether a password stands in a connection string of libpq: host=... password=... dbname=...
func connection(text string, lo, end, stop int) bool {
	const near = 160
	if text[lo:end] != "password" || byteAfter(text, end) != '=' || strings.HasSuffix(text[:lo], ", ") {
		return false
	}
	before, after := text[max(0, lo-near):lo], text[stop:min(len(text), stop+len(" dbname="))]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return !strings.ContainsAny(before, ",(") && holdsAny(before, connectionParts) || holdsAny(after, connectionParts)
}

var connectionParts = []string{"host=", "user=", "dbname="}
