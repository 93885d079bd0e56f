package curator

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// view is a text that stands in another one, for those who know how to read it.
type view struct {
	says string // how it is hidden
	text string
}

// What encodings and hidden elements look like. Each is looked for only where a cheaper sign of it stands.
var (
	escapeRun  = regexp.MustCompile(`(?:(?:%[0-9a-fA-F]{2}|\\x[0-9a-fA-F]{2}|\\u00[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2,4};)[A-Za-z0-9+ ._-]{0,12}){6,}`)
	hexEscape  = regexp.MustCompile(`\\x|\\u00`)
	leetWord   = regexp.MustCompile(`\b(?:[a-z]{1,12}[013457@$]|[13457@$]{1,2}[a-z]{2})[a-z013457@$]{0,14}\b`)
	spacedRun  = regexp.MustCompile(`(?:\b[a-z](?:[ .*_-]{1,3}|\b)){10,}`)
	htmlNote   = regexp.MustCompile(`(?s)<!--(.{8,}?)-->`)
	htmlHidden = regexp.MustCompile(`(?s)<[a-z]+ [^<>]{0,200}(?:display: ?none|visibility: ?hidden|font-size: ?0|opacity: ?0\b|color: ?(?:white|#fff|transparent)|\bhidden\b)[^<>]{0,200}>([^<]{8,900})`)
	linkNote   = regexp.MustCompile(`(?m)^\[[^\]\n]{0,40}\]: ?(?:#|<>|//) ?\(([^\n]{8,600})\)`)
)

const (
	// How texts are hidden, as notes say it.
	encoded   = "hides what it says in an encoding"
	concealed = "hides text from people"

	leastEncoded = 24 // bytes of a run that may be text in base64: what 18 characters take
	leastEscapes = 6  // characters that are written as their numbers
	leastLeet    = 3  // words with digits for letters
	leastSpaced  = 10 // letters that stand alone in a row
	mostViews    = 20 // of a kind: a text is 40,000 characters at most
)

// views returns the readable forms of what is encoded or hidden in a text, which is given as it is and in readable form.
func views(text, plain string) []view {
	var found []view
	add := func(says, text string) {
		read, _ := readable(text)
		found = append(found, view{says, read})
	}
	for _, decoded := range decodedRuns(text) {
		add(encoded, decoded)
	}
	escaped := func(escape string) bool { return strings.Count(text, escape) >= leastEscapes }
	if slices.ContainsFunc([]string{"%", `\x`, `\u00`, "&#"}, escaped) {
		for _, run := range escapeRun.FindAllString(text, mostViews) {
			if decoded, err := url.QueryUnescape(html.UnescapeString(hexEscape.ReplaceAllString(run, "%"))); err == nil {
				add(encoded, decoded)
			}
		}
	}
	for _, turn := range turned {
		if slices.ContainsFunc(turn.words, func(word string) bool { return strings.Contains(plain, word) }) {
			add(encoded, turn.back(plain))
		}
	}
	leet, spaced := spelling(plain)
	if leet >= leastLeet {
		add(encoded, leetWord.ReplaceAllStringFunc(plain, fromLeet.Replace))
	}
	if spaced >= leastSpaced {
		for _, run := range spacedRun.FindAllString(plain, mostViews) {
			add(encoded, unspace.Replace(ungap.Replace(run)))
		}
	}
	for literal, pattern := range map[string]*regexp.Regexp{"<!--": htmlNote, "style=": htmlHidden, "hidden": htmlHidden, "]:": linkNote} {
		if strings.Contains(text, literal) {
			for _, parts := range pattern.FindAllStringSubmatch(text, mostViews) {
				add(concealed, parts[1])
			}
		}
	}
	return found
}

// decodedRuns returns what long runs of letters and digits say that are prose in base64 or in hex.
func decodedRuns(text string) []string {
	var found []string
	for from := 0; from < len(text) && len(found) < mostViews; {
		if !isBase64(text[from]) {
			from++
			continue
		}
		to := from
		for to < len(text) && isBase64(text[to]) {
			to++
		}
		if run := text[from:to]; len(run) >= leastEncoded {
			digits := strings.TrimPrefix(run, "0x")
			decoded, err := hex.DecodeString(digits[:len(digits)&^1])
			if err != nil {
				run = fromURL.Replace(run)
				if len(run)%4 == 1 {
					run = run[:len(run)-1]
				}
				decoded, err = base64.RawStdEncoding.DecodeString(run)
			}
			if err == nil && isProse(decoded) {
				found = append(found, string(decoded))
			}
		}
		from = to
	}
	return found
}

var fromURL = strings.NewReplacer("-", "+", "_", "/")

func isBase64(b byte) bool { return isWordByte(b) || b == '+' || b == '/' || b == '-' }

// spelling counts the words that have digits for letters in them, and the most letters in a row that stand alone.
func spelling(plain string) (leet, spaced int) {
	alone, last := 0, 0
	for at := 0; at < len(plain); {
		if !isWordByte(plain[at]) {
			at++
			continue
		}
		end, letter, inside := at, false, false
		for ; end < len(plain) && isWordByte(plain[end]); end++ {
			switch c := plain[end]; {
			case c >= 'a' && c <= 'z':
				inside = inside || letter && isDigit(plain[end-1])
				letter = true
			case c == '2' || c == '6' || c == '8' || c == '9' || c == '_':
				letter, inside = false, false
			}
		}
		if inside && end-at <= 14 && !strings.HasPrefix(plain[at:], "0x") {
			leet++
		}
		if end-at == 1 && !isDigit(plain[at]) {
			if at-last > 4 {
				alone = 0
			}
			alone, last = alone+1, at
			spaced = max(spaced, alone)
		}
		at = end
	}
	return leet, spaced
}

// isProse reports whether bytes are text in words.
func isProse(decoded []byte) bool {
	decoded = bytes.Trim(decoded, "\x00")
	if len(decoded) < 12 || !utf8.Valid(decoded) {
		return false
	}
	letters, spaces := 0, 0
	for _, r := range string(decoded) {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsSpace(r):
			spaces++
		case r < ' ':
			return false
		}
	}
	return spaces > 0 && 10*letters > 6*utf8.RuneCount(decoded)
}

// telling are words of which nearly every text that instructs its reader has one: a text in which one stands turned is read turned.
var telling = []string{
	"previous", "instructions", "instruction", "ignore", "disregard", "system prompt", "private key", "seed phrase", "mnemonic", "assistant", "agents", "transfer",
}

// turned are the ways to turn letters that need no key, each with the telling words turned.
var turned = func() (ways []struct {
	back  func(string) string
	words []string
}) {
	for _, back := range []func(string) string{fromRot13, reversed} {
		var words []string
		for _, word := range telling {
			words = append(words, back(word))
		}
		ways = append(ways, struct {
			back  func(string) string
			words []string
		}{back, words})
	}
	return ways
}()

// unspace parts the telling words, and a few small ones, of letters that were written one by one.
var unspace = func() *strings.Replacer {
	var pairs []string
	for _, word := range append([]string{"your", "all", "the", "reveal", "send", "funds"}, telling...) {
		pairs = append(pairs, strings.ReplaceAll(word, " ", ""), " "+word+" ")
	}
	return strings.NewReplacer(pairs...)
}()

// ungap takes what may stand between such letters.
var ungap = strings.NewReplacer(" ", "", ".", "", "*", "", "_", "", "-", "")

func fromRot13(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return 'a' + (r-'a'+13)%26
		}
		return r
	}, text)
}

func reversed(text string) string {
	runes := []rune(text)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

var fromLeet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s")
