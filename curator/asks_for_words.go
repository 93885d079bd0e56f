package curator

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fixWord is a word of a fix: what stands between spaces, brackets and quotes, without the signs of punctuation around
// it.
type fixWord struct {
	text string // as it stands
	low  string // in small letters, with Latin ones for those that look like them
	sets wordSet
	// at and end are its place in the text.
	at, end int
	begins  bool // a clause begins with it
	ends    stop // what ends behind it
	code    bool // it stands in backticks
	joined  bool // no space stands before it
	// address and host are what it names, "" if it names none.
	address, host string
}

// stop says what ends behind a word.
type stop int8

const (
	goesOn stop = iota
	clauseEnds
	sentenceEnds
)

// read splits the text into words.
func (r *fixReader) read() {
	r.words = make([]fixWord, 0, len(r.text)/5+8)
	code, begins, space, blank := false, true, true, false // blank: nothing was on the line so far
	end := func(what stop) {
		if last := len(r.words) - 1; last >= 0 {
			r.words[last].ends = max(r.words[last].ends, what)
		}
		begins = true
	}
	for at := 0; at < len(r.text); {
		c := r.text[at]
		size := 1
		switch {
		case c >= utf8.RuneSelf:
			var sign rune
			sign, size = utf8.DecodeRuneInString(r.text[at:])
			switch {
			case strings.ContainsRune(quoteSigns, sign):
			case strings.ContainsRune(clauseSigns, sign):
				end(clauseEnds)
			case unicode.IsSpace(sign):
				space = true
			default:
				size = 0
			}
		case c == '\n':
			space = true
			if strings.HasSuffix(strings.TrimSuffix(r.text[:at], "\r"), "\\") {
				break // the command goes on
			}
			if end(clauseEnds); blank {
				end(sentenceEnds)
			}
			blank = true
		case c <= ' ':
			space = true
		case c == '`':
			code = !code
		case c == '"', c == '[', c == ']', c == '{', c == '}', c == '<', c == '>', c == ')':
		case c == '(':
			begins = true
		case c == ',', c == ';':
			end(clauseEnds)
		case c == '|', c == '&' && strings.HasPrefix(r.text[at:], "&&"):
			end(clauseEnds)
			r.words = append(r.words, fixWord{text: "|", low: "|", at: at, end: at + 1, code: code, ends: clauseEnds})
			for at+size < len(r.text) && (r.text[at+size] == '|' || r.text[at+size] == '&') {
				size++
			}
		default:
			size = 0
		}
		if size > 0 {
			at += size
			continue
		}
		from := at
		blank = false
		for at < len(r.text) && !breaksWord(r.text, at) {
			at++
		}
		if at == from { // a sign that ends words and was not read above
			at++
		}
		raw := r.text[from:at]
		first, last := from, at
		for first < last && isSign(r.text[first]) && r.text[first] != '.' && r.text[first] != '@' {
			first++
		}
		for last > first && isSign(r.text[last-1]) && r.text[last-1] != '+' && r.text[last-1] != '#' {
			last--
		}
		trimmed, signs := r.text[first:last], r.text[last:at]
		if trimmed == "" || trimmed == "-" || trimmed == "->" || trimmed == "--" {
			if strings.ContainsAny(raw, "-!?.:") {
				end(clauseEnds)
			}
			continue
		}
		low := foldWord(trimmed)
		r.words = append(r.words, fixWord{
			text: trimmed, low: low, sets: lexicon[low], at: first, end: first + len(trimmed),
			begins: begins, code: code, joined: !space,
		})
		begins, space = false, false
		switch {
		case strings.ContainsAny(signs, ".!?"):
			end(sentenceEnds)
		case strings.Contains(signs, ":"):
			end(clauseEnds)
		}
	}
}

// isSign reports whether a byte at the ends of a word is punctuation.
func isSign(c byte) bool {
	switch c {
	case '\'', '*', '_', '#', '~', '!', '?', ':', '=', '+', '.', '@', '\\':
		return true
	}
	return false
}

// Signs outside of ASCII that part words.
const (
	quoteSigns  = "“”‘’«»„"
	clauseSigns = "—–…→⇒•。，；：！？"
)

// breaksWord reports whether a word ends before a place.
func breaksWord(text string, at int) bool {
	c := text[at]
	if c >= utf8.RuneSelf {
		if !utf8.RuneStart(c) {
			return false
		}
		sign, _ := utf8.DecodeRuneInString(text[at:])
		return unicode.IsSpace(sign) || strings.ContainsRune(quoteSigns+clauseSigns, sign)
	}
	return breaks[c] || c == '&' && strings.HasPrefix(text[at:], "&&")
}

// breaks are the bytes that no word has in it.
var breaks = func() (breaks [256]bool) {
	for c := range byte(' ' + 1) {
		breaks[c] = true
	}
	for _, c := range []byte("`\"[]{}<>(),;|") {
		breaks[c] = true
	}
	return breaks
}()

// foldWord returns a word as a careless reader takes it.
func foldWord(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			plain, _ := readable(word)
			return plain
		}
	}
	return strings.ToLower(word)
}

// remark begins what is said behind a name that is not what it looks like. No such name is ever known.
const remark = " ("

// shown returns a name with the characters named that are not ASCII: "vıem (not ASCII: U+0131)".
func shown(name string) string {
	var odd []string
	for _, c := range name {
		if c >= utf8.RuneSelf || c < ' ' {
			odd = append(odd, fmt.Sprintf("U+%04X", c))
		}
	}
	name = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, name)
	switch {
	case odd == nil && strings.Contains(name, "xn--"):
		return name + remark + "not ASCII, as punycode)"
	case odd == nil:
		return name
	}
	return name + remark + "not ASCII: " + strings.Join(odd[:min(len(odd), 4)], " ") + ")"
}

// wordSet is a set of words of prose, as the bit that all its words have.
type wordSet uint64

// lexicon holds the sets that each word is in, so that a word is looked up once.
var lexicon = map[string]wordSet{}

// setsMade is how many bits are taken.
var setsMade int

// setOf makes a set of words.
func setOf(words string) wordSet {
	set := wordSet(1) << setsMade
	if setsMade++; set == 0 {
		panic("curator: more sets of words than bits")
	}
	for word := range strings.FieldsSeq(words) {
		lexicon[word] |= set
	}
	return set
}

func isIn(word string, set wordSet) bool { return lexicon[word]&set != 0 }

// is reports whether a word is in a set.
func (w fixWord) is(set wordSet) bool { return w.sets&set != 0 }

// is reports whether the word at a place is in a set; there is none outside of the text.
func (r *fixReader) is(i int, set wordSet) bool {
	return i >= 0 && i < len(r.words) && r.words[i].sets&set != 0
}

// isPlain reports whether a word is one with which no rule begins, as most are: letters only, in no set, and no bracket
// or quote behind it.
func (r *fixReader) isPlain(i int) bool {
	w := r.words[i]
	if w.sets != 0 || w.code || w.end < len(r.text) && strings.IndexByte("(\"'`:=", r.text[w.end]) >= 0 {
		return false
	}
	for at := range len(w.low) {
		if w.low[at] < 'a' || w.low[at] > 'z' {
			return false
		}
	}
	return !strings.Contains(w.text, "MNEMONIC")
}

// Words with which a rule begins, and which are in no other set.
var _ = setOf(`turn turned rm solana gaiad transferownership grantrole revoke require image import from cast run
	execute key keys seed phrase words file`)

// namesOf makes a table of names.
func namesOf(names string) map[string]bool {
	table := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		table[name] = true
	}
	return table
}

// low returns the word at a place, "" outside of the text.
func (r *fixReader) low(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].low
}

// sentence returns the place behind the last word of the sentence that a word stands in, at most so many words on.
func (r *fixReader) sentence(i, most int) (end int) {
	return r.until(i, most, sentenceEnds)
}

// clause returns the place behind the last word of the clause that a word stands in, at most so many words on.
func (r *fixReader) clause(i, most int) (end int) { return r.until(i, most, clauseEnds) }

func (r *fixReader) until(i, most int, what stop) (end int) {
	for end = i; end < len(r.words) && end < i+most; end++ {
		if r.words[end].ends >= what {
			return end + 1
		}
	}
	return end
}

// sentenceStart returns the place of the first word of the sentence that a word stands in, at most so many words back.
func (r *fixReader) sentenceStart(i, most int) (start int) {
	for start = i; start > 0 && start > i-most && r.words[start-1].ends < sentenceEnds; start-- {
	}
	return start
}

// holds returns the place of the first word of a set between two places, or -1.
func (r *fixReader) holds(from, to int, set wordSet) int {
	for i := max(0, from); i < min(to, len(r.words)); i++ {
		if r.words[i].sets&set != 0 {
			return i
		}
	}
	return -1
}

// holdsAny is holds for words that are in no set.
func (r *fixReader) holdsAny(from, to int, table map[string]bool) int {
	for i := max(0, from); i < min(to, len(r.words)); i++ {
		if table[r.words[i].low] {
			return i
		}
	}
	return -1
}

// holdsWord reports whether a word stands between two places.
func (r *fixReader) holdsWord(from, to int, word string) bool {
	for i := max(0, from); i < min(to, len(r.words)); i++ {
		if r.words[i].low == word {
			return true
		}
	}
	return false
}

// negated reports whether what a word says is not to be done: "never send", "instead of sending", but not "don't
// forget to send".
func (r *fixReader) negated(i int) bool { return r.negatedWithin(i, 4) }

// negatedWithin is negated by the words so close before it.
func (r *fixReader) negatedWithin(i, reach int) bool {
	if r.low(i-1) == "or" { // "never enter a seed or verify"
		reach += 4
	}
	for j := i - 1; j >= 0 && j >= i-reach && r.words[j].ends == goesOn; j-- {
		if undoesNot[r.low(j)] {
			return false
		}
		if r.words[j].low == "no" && j < i-1 { // "no other way than to send"
			continue
		}
		if r.is(j, negations) {
			return r.low(j) != "than" && r.low(j) != "of" || r.low(j-1) == "rather" || r.low(j-1) == "instead"
		}
	}
	return false
}

var (
	negations = setOf(`not never don't dont doesn't without avoid avoids avoiding no cannot can't won't didn't isn't
		nor neither stop refuse than of mustn't shouldn't wouldn't needn't`)
	undoesNot = namesOf("skip forget omit hesitate miss worry only just until unless fail")
)

// isAsked reports whether a verb stands where a fix asks for something, or tells what helped: at the beginning of a
// clause, behind "and", "you", "I", "by", "need to". Elsewhere it tells what a program does.
func (r *fixReader) isAsked(i int) bool {
	if r.negated(i) {
		return false
	}
	w := r.words[i]
	if w.begins || i == 0 || w.code && !r.words[i-1].code {
		return true
	}
	before := r.low(i - 1)
	if before == "to" {
		return beforeTo[r.low(i-2)]
	}
	return isIn(before, askers) || isStepNumber(before)
}

var (
	askers = setOf(`and then or must should can could may please first just simply now also again you we i instead
		either need always by was is after before start try tried had have having once be only manually directly
		requires means let lets you'll you'd i've we've you've user users everyone them him it'll | step finally
		actually basically ended`)
	beforeTo = namesOf(`need needs needed have had has got sure remember try tried is was want way fix solution me
		you us required asked going able managed trick answer decided started be ought enough step suggest suggested
		recommended up`)
)

func isStepNumber(word string) bool {
	return word != "" && len(word) <= 2 && strings.Trim(word, "0123456789") == ""
}
