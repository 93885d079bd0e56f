package scrubber

import (
	"math/bits"
	"slices"
)

// Phrases whose words don't stand side by side: in the cells of a table, the members of objects, the items of a list, the lines of a
// log. Whatever stands between two words, the words of a phrase are as many words apart: that is looked for.
func phraseRules() []rule {
	return []rule{{
		name: "phrase in cells", kind: KindBIP39, find: findPhrase,
		removed: []string{
			"| # | mot |\n|---|---|\n| 1  | «<cells:12>» |", "{\"w1\": \"«<members:12>»\"}", "[{\"index\": 1, \"value\": \"«<objects:24>»\"}]", "<ol>\n<li>«<items:12>»</li>\n</ol>", "- [x] «<checks:12>»",
			"10:00:01 INFO wallet: 1 -> «<log:12>»", "mnemonic: «<typo:12>»", "recovery words: \"«<lost:12>»\"", "1. «<numberedtypo:12>»", "«<electrum:12>»", "«<algorand>»", "«<ton>»", "«<monero>»", "1) «<electrumold>»",
		},
		kept: []string{
			"<badwords:12>", "<words:11>", "{\"name\": \"owner\", \"type\": \"address\"}, {\"name\": \"amount\", \"type\": \"uint256\"}", "- abandon\n- ability\n- able\n- about\n- above\n- absent\n- absorb\n- abstract\n- absurd\n- abuse\n- access\n- accident",
			"1. open the vault\n2. check the price\n3. transfer the token", "mnemonic: word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12",
		},
	}}
}

const (
	longestStride  = 14  // words from one of a phrase to the next: an object of several members, a line of a log
	surestStretch  = 6   // of twelve words of which one is mistyped, six stand together
	longestCell    = 64  // bytes between two words side by side
	longestLine    = 240 // and between two with others between them
	regularChecks  = 4000
	shortestPhrase = 11*(shortestWord+1) - 1
)

// token is a run of at least two ASCII letters, and its value in each list or -1.
type token struct {
	lo, hi int32
	known  bool // the values were looked up
	values [phraseLists]int16
}

// findPhrase marks the words that may be in a list, and looks where six marks stand at equal distances.
func findPhrase(sc *scan, _, _ int) int {
	if len(sc.text) < shortestPhrase || sc.tokenise() < surestStretch {
		return len(sc.text)
	}
	for stride := 1; stride <= longestStride; stride++ {
		var ended [phraseLists][longestStride]int
		for w := range sc.marks {
			together := sc.marks[w]
			for j := 1; j < surestStretch && together != 0; j++ {
				together &= sc.marksFrom(w, j*stride)
			}
			for ; together != 0; together &= together - 1 {
				first := w*64 + bits.TrailingZeros64(together)
				for list := range phraseLists {
					if residue := first % stride; first >= ended[list][residue] {
						ended[list][residue] = sc.stretch(first, stride, list)
					}
				}
			}
		}
	}
	return len(sc.text)
}

// marksFrom returns the marks of the 64 tokens that are by so many behind the w-th 64.
func (sc *scan) marksFrom(w, by int) uint64 {
	at, shift := w+by/64, by%64
	if at >= len(sc.marks) {
		return 0
	}
	out := sc.marks[at] >> shift
	if shift > 0 && at+1 < len(sc.marks) {
		out |= sc.marks[at+1] << (64 - shift)
	}
	return out
}

// tokenise reads the view's words, tags of HTML left out, marks those that may be in a list, and returns how many it marked.
func (sc *scan) tokenise() (marked int) {
	text, filter := sc.text, &phraseWords().filter
	tokens := sc.tokens[:0]
	sc.marks = sc.marks[:0]
	word, bit := uint64(0), 0
	before, beforeThat := uint32(0), uint32(0)
	for i := 0; i < len(text); {
		c := letters[text[i]]
		if c == 0 {
			i++
			if text[i-1] == '<' {
				i = pastTag(text, i)
			}
			continue
		}
		lo, hash := i, hashByte(hashBasis, c)
		for i++; i < len(text); i++ {
			if c = letters[text[i]]; c == 0 {
				break
			}
			hash = hashByte(hash, c)
		}
		if i-lo < 2 {
			continue
		}
		tokens = append(tokens, token{lo: int32(lo), hi: int32(i)})
		// A word that was there just before tells nothing: text that repeats one would cost a look for each stride.
		if at, b := asciiPlace(hash); filter[at]&b != 0 && hash != before && hash != beforeThat {
			word |= 1 << bit
			marked++
		}
		before, beforeThat = hash, before
		if bit++; bit == 64 {
			sc.marks = append(sc.marks, word)
			word, bit = 0, 0
		}
	}
	sc.tokens = tokens
	sc.marks = append(sc.marks, word)
	return marked
}

// letters holds the lower case of each ASCII letter, and 0 for any other byte.
var letters = func() (t [256]byte) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c&^0x20] = byte(c), byte(c)
	}
	return t
}()

// pastTag returns the end of a tag of HTML that only lays text out and whose name begins at i, or i.
func pastTag(text string, i int) int {
	const longest = 160
	from := i
	if from < len(text) && text[from] == '/' {
		from++
	}
	end := forward(text, from, clsAlnum)
	switch text[from:end] {
	case "li", "td", "tr", "th", "p", "b", "i", "em", "span", "div", "ol", "ul", "code", "strong", "br", "table", "tbody", "thead", "dd", "dt", "pre", "a", "tt", "kbd", "h3", "h4", "label":
	default:
		return i
	}
	for limit := min(len(text), end+longest); end < limit; end++ {
		if text[end] == '>' {
			return end + 1
		}
	}
	return i
}

// value is the value of a token in a list, or -1.
func (sc *scan) value(i, list int) int {
	t := &sc.tokens[i]
	if !t.known {
		t.values, t.known = phraseWords().look(sc.text[t.lo:t.hi]), true
	}
	return int(t.values[list])
}

// near tells whether two tokens, the one stride words behind the other, can be words of one phrase.
func (sc *scan) near(i, j, stride int) bool {
	gap := int(sc.tokens[j].lo - sc.tokens[i].hi)
	return gap <= longestCell || stride > 1 && gap <= longestLine
}

// stretch reads the words of a list around a token at equal distances, judges them, and returns the first token of its residue
// that need not be looked at again.
func (sc *scan) stretch(first, stride, list int) int {
	last := first + (surestStretch-1)*stride
	if last >= len(sc.tokens) || stride > 1 && !sc.cellSide(first) {
		return 0
	}
	var values [surestStretch]int
	same := 0
	for i := range values {
		at := first + i*stride
		values[i] = sc.value(at, list)
		if values[i] < 0 || i > 0 && !sc.near(at-stride, at, stride) {
			return 0
		}
		if slices.Contains(values[:i], values[i]) {
			same++
		}
	}
	if same > 2 {
		return 0
	}
	if stride > 1 {
		if sc.regular--; sc.regular < 0 { // no text that people write comes near: all that is left goes
			sc.emit(KindBIP39, int(sc.tokens[first].lo), int(sc.tokens[len(sc.tokens)-1].hi))
			return len(sc.tokens)
		}
		if !sc.alike(first, stride) || !sc.alike(first+stride, stride) {
			return 0
		}
	}
	lo, hi := first, last
	for lo >= stride && sc.value(lo-stride, list) >= 0 && sc.near(lo-stride, lo, stride) {
		lo -= stride
	}
	for hi+stride < len(sc.tokens) && sc.value(hi+stride, list) >= 0 && sc.near(hi, hi+stride, stride) {
		hi += stride
	}
	sc.cells = sc.cells[:0]
	for i := lo; i <= hi; i += stride {
		sc.cells = append(sc.cells, int32(i))
	}
	sc.likelyCells(stride, list, sc.provenCells(stride, list))
	return hi + stride
}

// cellSide tells whether a sign stands on either side of a word: one between spaces is in a sentence.
func (sc *scan) cellSide(i int) bool {
	t := sc.tokens[i]
	sign := func(at int) bool {
		return at < 0 || at >= len(sc.text) || sc.text[at] != ' ' && letters[sc.text[at]] == 0
	}
	return sign(int(t.lo)-1) || sign(int(t.hi))
}

// alike tells whether what stands behind a word, but for letters, digits and spaces, is what stands behind the next, and is something.
func (sc *scan) alike(i, stride int) bool {
	if i+2*stride >= len(sc.tokens) {
		return false
	}
	a, b := sc.gap(i, i+stride), sc.gap(i+stride, i+2*stride)
	some := false
	for {
		a, b = fromSign(a), fromSign(b)
		if a == "" || b == "" {
			return a == b && some
		}
		if a[0] != b[0] {
			return false
		}
		a, b, some = a[1:], b[1:], true
	}
}

// gap is the text between two tokens.
func (sc *scan) gap(i, j int) string { return sc.text[sc.tokens[i].hi:sc.tokens[j].lo] }

func fromSign(s string) string {
	i := 0
	for i < len(s) && (is(s[i], clsAlnum) || s[i] == ' ') {
		i++
	}
	return s[i:]
}
