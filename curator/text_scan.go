package curator

import "strings"

// Reading a report means looking for the same shapes in it again and again. These are found by hand: regular expressions for
// them were 40 % of all that a pass computes. text_scan_test.go holds the expressions that they must agree with.

const (
	leastHexAddress  = 2 + 8 // 0x and digits: shorter ones are selectors' neighbours and plain numbers
	leastPlaceholder = 2 + 4
	leastHash        = 32
	longestBase58    = 88
)

// wordByte, base58Byte and hexByte say what an ASCII character may be part of.
var wordByte, base58Byte, hexByte = byteSet("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"),
	byteSet("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"), byteSet("0123456789abcdefABCDEF")

func byteSet(members string) (set [256]bool) {
	for i := range len(members) {
		set[members[i]] = true
	}
	return set
}

func all(text string, set *[256]bool) bool {
	for i := range len(text) {
		if !set[text[i]] {
			return false
		}
	}
	return true
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

// cutter copies a text with a space in place of what is cut out; a text of which nothing is cut isn't copied.
type cutter struct {
	text string
	from int // of what is not copied yet
	out  strings.Builder
}

func (c *cutter) cut(from, to int) {
	if c.out.Cap() == 0 {
		c.out.Grow(len(c.text))
	}
	c.out.WriteString(c.text[c.from:from])
	c.out.WriteByte(' ')
	c.from = to
}

func (c *cutter) result() string {
	if c.from == 0 {
		return c.text
	}
	c.out.WriteString(c.text[c.from:])
	return c.out.String()
}

// scrubbedEnd returns where a marker of the scrubber that may begin at a place ends, or -1.
func scrubbedEnd(text string, at int) int {
	if !strings.HasPrefix(text[at:], "[SCRUBBED") {
		return -1
	}
	end := strings.IndexByte(text[at:], ']')
	if end < 0 {
		return -1
	}
	return at + end + 1
}

// runEnd returns where the run of letters, digits and underscores that begins at a place ends.
func runEnd(text string, at int) int {
	for at < len(text) && wordByte[text[at]] {
		at++
	}
	return at
}

// hexNumber reports whether a word is 0x with hex digits, so long at least in all.
func hexNumber(word string, least int) bool {
	return len(word) >= least && word[0] == '0' && (word[1] == 'x' || word[1] == 'X') && all(word[2:], &hexByte)
}

// withoutMachineValues puts a space in place of what only machines read: the scrubber's markers, addresses, hashes and keys.
func withoutMachineValues(text string) string {
	c := cutter{text: text}
	for i := 0; i < len(text); {
		switch {
		case wordByte[text[i]]:
			end := runEnd(text, i)
			if word := text[i:end]; hexNumber(word, leastHexAddress) || len(word) >= leastHash && (all(word, &hexByte) || base58Value(word)) {
				c.cut(i, end)
			}
			i = end
		case text[i] == '[':
			if end := scrubbedEnd(text, i); end > 0 {
				c.cut(i, end)
				i = end
				continue
			}
			i++
		default:
			i++
		}
	}
	return c.result()
}

// base58Value reports whether a word is data in base58: a digit and 31 characters behind it tell it from a long name.
func base58Value(word string) bool {
	return all(word, &base58Byte) && strings.ContainsAny(word[:len(word)-leastHash+1], "123456789")
}

// withoutPlaceholders puts a space in place of what differs between reports of one thing: the scrubber's markers,
// addresses, hashes, keys in base58, numbers and amounts.
func withoutPlaceholders(text string) string {
	c := cutter{text: text}
	for i := 0; i < len(text); {
		end := -1
		switch {
		case wordByte[text[i]]:
			word := text[i:runEnd(text, i)]
			long := len(word) >= leastHash && (all(word, &hexByte) || len(word) <= longestBase58 && all(word, &base58Byte))
			switch {
			case long || hexNumber(word, leastPlaceholder):
				end = i + len(word)
			case digit(word[0]):
				end = amountEnd(text, i)
			default:
				i += len(word)
				continue
			}
			c.cut(i, end)
			if i = end; wordByte[text[i-1]] {
				i = runEnd(text, i) // what is left of the word begins nothing
			}
			continue
		case text[i] == '[':
			end = scrubbedEnd(text, i)
		}
		if end < 0 {
			i++
			continue
		}
		c.cut(i, end)
		i = end
	}
	return c.result()
}

// amountEnd returns where the number that begins at a place ends, with separators and exponent.
func amountEnd(text string, at int) int {
	end := digitsEnd(text, at)
	exponent := end
	if exponent < len(text) && (text[exponent] == 'e' || text[exponent] == 'E') {
		exponent++
		if exponent < len(text) && (text[exponent] == '+' || text[exponent] == '-') {
			exponent++
		}
		if exponent < len(text) && digit(text[exponent]) {
			for exponent < len(text) && digit(text[exponent]) {
				exponent++
			}
			return exponent
		}
	}
	return end
}

// digitsEnd returns where the run of digits and their separators that begins at a place ends.
func digitsEnd(text string, at int) int {
	for at < len(text) && (digit(text[at]) || text[at] == '_' || text[at] == ',' || text[at] == '.') {
		at++
	}
	return at
}

// eachNumber visits the numbers of a text: digits with separators and an exponent, where they are no part of a word.
func eachNumber(text string, visit func(string)) {
	for i := 0; i < len(text); {
		if !wordByte[text[i]] {
			i++
			continue
		}
		if !digit(text[i]) {
			i = runEnd(text, i)
			continue
		}
		end := numberEnd(text, i)
		if end < 0 {
			i = runEnd(text, i)
			continue
		}
		visit(text[i:end])
		if i = end; wordByte[text[i-1]] {
			i = runEnd(text, i)
		}
	}
}

// numberEnd returns where the number that begins at a place ends: the last place that begins or ends a word, or -1.
func numberEnd(text string, at int) int {
	end := digitsEnd(text, at)
	if end+1 < len(text) && text[end] == 'e' && digit(text[end+1]) {
		exponent := end + 1
		for exponent < len(text) && digit(text[exponent]) {
			exponent++
		}
		if exponent == len(text) || !wordByte[text[exponent]] {
			return exponent
		}
	}
	for ; end > at; end-- {
		if wordByte[text[end-1]] != (end < len(text) && wordByte[text[end]]) {
			return end
		}
	}
	return -1
}

// noLink are the characters that end a web address.
var noLink = byteSet(" \t\n\f\r<>()[]\"'`")

// withoutLinks puts a space in place of web addresses.
func withoutLinks(text string) string {
	c := cutter{text: text}
	for i := 0; ; {
		colon := strings.Index(text[i:], "://")
		if colon < 0 {
			return c.result()
		}
		colon += i
		end := colon + len("://")
		i = end
		start := -1
		for _, scheme := range []string{"https", "http", "ipfs"} {
			if strings.HasSuffix(text[c.from:colon], scheme) {
				start = colon - len(scheme)
				break
			}
		}
		for end < len(text) && !noLink[text[end]] {
			end++
		}
		if start >= 0 && end > i {
			c.cut(start, end)
			i = end
		}
	}
}

// eachVersion visits the version numbers of a text: 1.2.3, v1.2, v2.
func eachVersion(text string, visit func(string)) {
	for i := 0; i < len(text); {
		if !wordByte[text[i]] {
			i++
			continue
		}
		end := versionEnd(text, i)
		if end < 0 {
			i = runEnd(text, i)
			continue
		}
		visit(text[i:end])
		i = end
	}
}

// versionEnd returns where the version number that begins at a place ends, or -1.
func versionEnd(text string, at int) int {
	digits := at
	if text[at] == 'v' {
		digits++
	}
	end, parts := -1, 0
	for i := digits; i < len(text) && digit(text[i]); {
		for i < len(text) && digit(text[i]) {
			i++
		}
		if i < len(text) && wordByte[text[i]] {
			break
		}
		if end, parts = i, parts+1; i == len(text) || text[i] != '.' {
			break
		}
		i++
	}
	if parts >= 3 || parts >= 1 && digits > at {
		return end
	}
	return -1
}
