package scrubber

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Seed phrases. Their words stand side by side, or in the cells of a table, the members of objects, the items of a list, the lines
// of a log: whatever stands between two words, the words of a phrase are as many words apart, and that is looked for. No checksum is
// asked: a phrase with a mistyped word gives its wallet away too, and prose has hardly ever twelve words of one list together.
func phraseRules() []rule {
	return []rule{{
		name: "phrase", kind: KindBIP39, find: findPhrase,
		removed: []string{ // the ways of laying one out are in TestPastedSecrets
			"«<words:12>»", "mnemonic: «<words:24>».", "«<numbered:12>»", "[\"«<quoted:15>»\"]", "«<lines:18>»", "«<upper:12>»",
			"«<french:12>»", "«<japanese:12>»", "«<korean:24>»", "«<chinese:12>»", "«<spanish:21>»", "«<drawn:13>»", "«<algorand>»",
			"| # | mot |\n|---|---|\n| 1  | «<cells:12>» |", "[{\"index\": 1, \"value\": \"«<objects:24>»\"}]", "mnemonic: «<typo:12>»",
			"MNEMONIC=\"«<words:12>»\"\nDB_PASS=", "SEED=«<words:24>»\nOWNER=x", "phrase: «<words:12>»\nowner: ops",
			"M='«<words:12>»' PASS_KEY_OWNER='", "MNEMONIC=«<words:15>» PASS=$x", "seed: '«<words:12>»', owner: {", "«<words:12>» = m",
			"recovery words: \"«<lost:12>»\"", "«<monero>»", "1) «<electrumold>»",
		},
		kept: []string{
			"<words:11>", "use the token to access this asset when the other option is wrong",
			"table 1 table 2 table 3 table 4 table 5 table 6 table 7 table 8 table 9 table 10 table 11 table 12",
			"{\"name\": \"owner\", \"type\": \"address\"}, {\"name\": \"amount\", \"type\": \"uint256\"}",
			"- abandon\n- ability\n- able\n- about\n- above\n- absent\n- absorb\n- abstract\n- absurd\n- abuse\n- access\n- accident",
			"1. open the vault\n2. check the price\n3. transfer the token",
			"mnemonic: word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12",
			"abandon ability able about above absent absorb abstract absurd abuse access accident",
		},
	}}
}

const (
	fewestWords    = 12
	longestPhrase  = 27  // 25 words of Monero's, and two beside them
	fewestSure     = 11  // words of a phrase of twelve, one of which is missing or mistyped
	fewestDistinct = 9   // as the public vectors have, words of 128 equal bits over and over; prose repeats its words
	longestGap     = 8   // characters between two words side by side: `", "`, ". ", "\n 3) "
	longestJoint   = 4   // of them the words and those that join them
	longestStride  = 14  // words from one of a phrase to the next: an object of several members, a line of a log
	surestStretch  = 6   // of twelve words of which one is mistyped, six stand together
	longestCell    = 64  // bytes between two words of a row that follow each other
	longestLine    = 240 // and between two with others between them
	mostLayouts    = 4000
	labelBefore    = 64 // bytes before a phrase in which its name may stand
	labelBehind    = 48
)

// rowLists are the lists whose phrases are looked for in rows, too.
var rowLists = [...]int{listEnglish, listElectrumOld, listMonero}

// findPhrase reads the view's words, and once more those in ASCII alone where it has others.
func findPhrase(sc *scan, _, _ int) {
	const shortest = 43 // eleven words of three letters, and a sign between each two
	if len(sc.text) < shortest {
		return
	}
	marked, foreign := sc.tokenise(false)
	sc.sideBySide()
	if foreign {
		marked, _ = sc.tokenise(true)
	}
	if marked >= surestStretch {
		sc.rows()
	}
}

// sideBySide emits twelve words or more of a list that have no other between them. Old Electrum's list is made of words of prose.
func (sc *scan) sideBySide() {
	for i, j := 0, 0; i < len(sc.tokens); i = max(j, i+1) {
		for j = i; j < len(sc.tokens) && sc.tokens[j].maybe && (j == i || tight(sc.gap(j-1, j))); {
			j++
		}
		for list := range listElectrumOld {
			for k := i; j-k >= fewestWords; {
				r := row{list: list, first: k, stride: 1}
				for k < j && sc.value(k, list) >= 0 {
					k++
				}
				if r.n = k - r.first; r.n > longestPhrase || r.n >= fewestWords && sc.drawn(r, 1) {
					sc.emitDrawn(sc.unnamed(r))
				}
				k++
			}
		}
	}
}

// tight reports whether two words with this between them stand side by side.
func tight(gap string) bool {
	return len(gap) <= longestGap*utf8.UTFMax && utf8.RuneCountInString(gap) <= longestGap && strings.IndexFunc(gap, isWordRune) < 0
}

// rows looks where six marks stand at equal distances.
func (sc *scan) rows() {
	for stride := 1; stride <= longestStride; stride++ {
		var ended [len(rowLists)][longestStride]int
		for w := range sc.marks {
			together := sc.marks[w]
			for j := 1; j < surestStretch && together != 0; j++ {
				together &= sc.marksFrom(w, j*stride)
			}
			for ; together != 0; together &= together - 1 {
				first := w*64 + bits.TrailingZeros64(together)
				for k, list := range rowLists {
					if end := &ended[k][first%stride]; first >= *end {
						*end = sc.row(row{list, first, stride, surestStretch})
					}
				}
			}
		}
	}
}

// marksFrom returns the marks of the 64 tokens that are by so many after the w-th 64.
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

// row is a number of tokens at equal distances that are words of a list.
type row struct{ list, first, stride, n int }

// at is the k-th token; -1 is the one before the row.
func (r row) at(k int) int { return r.first + k*r.stride }

// row tells by six words whether a row begins there, reads all of it and judges it. It returns the first token of its residue
// that need not be looked at again.
func (sc *scan) row(r row) int {
	last := r.at(r.n - 1)
	if last >= len(sc.tokens) {
		return 0
	}
	joined := false
	if r.stride > 1 && !sc.cellSide(r.first) {
		if joined = sc.joined(r); !joined {
			return 0
		}
	}
	for k := range r.n {
		if !sc.holds(r, k) {
			return 0
		}
	}
	if r.stride > 1 {
		if sc.layouts--; sc.layouts < 0 { // no text that people write comes near: all that is left goes
			sc.emit(KindBIP39, int(sc.tokens[r.first].lo), int(sc.tokens[len(sc.tokens)-1].hi))
			return len(sc.tokens)
		}
		if !joined && (!sc.alike(r.first, r.stride) || !sc.alike(r.at(1), r.stride)) {
			return 0
		}
	}
	for sc.holds(r, -1) {
		r.first -= r.stride
		r.n++
	}
	for sc.holds(r, r.n) {
		r.n++
	}
	sc.judge(r)
	return r.at(r.n)
}

// holds reports whether the k-th token is a word of the row's list, and near enough to its neighbour.
func (sc *scan) holds(r row, k int) bool {
	at := r.at(k)
	if at < 0 || at >= len(sc.tokens) || sc.value(at, r.list) < 0 {
		return false
	}
	return k == 0 || k < 0 && sc.near(at, at+r.stride) || k > 0 && sc.near(at-r.stride, at)
}

// near reports whether two tokens, the one at least one word after the other, can be words of one row.
func (sc *scan) near(i, j int) bool {
	gap := len(sc.gap(i, j))
	return gap <= longestCell || j > i+1 && gap <= longestLine
}

// joined reports whether the same words stand between each two words of a row: zoo and wrong and able.
func (sc *scan) joined(r row) bool {
	if r.stride > longestJoint {
		return false
	}
	between := sc.gap(r.first, r.at(1))
	for k := 1; k+1 < r.n; k++ {
		if sc.gap(r.at(k), r.at(k+1)) != between {
			return false
		}
	}
	return true
}

// cellSide reports whether a sign stands on either side of a word: one between spaces is in a sentence.
func (sc *scan) cellSide(i int) bool {
	t := sc.tokens[i]
	sign := func(at int) bool {
		return at < 0 || at >= len(sc.text) || sc.text[at] != ' ' && letters[sc.text[at]] == 0
	}
	return sign(int(t.lo)-1) || sign(int(t.hi))
}

// alike reports whether what follows a word, but for letters, digits and spaces, is what follows the next, and is something.
func (sc *scan) alike(i, stride int) bool {
	if i+2*stride >= len(sc.tokens) {
		return false
	}
	some, same := sameBut(sc.gap(i, i+stride), sc.gap(i+stride, i+2*stride), clsAlnum)
	return some && same
}

// sameBut reports whether two texts are the same but for spaces and bytes of a class, and whether there is something else.
func sameBut(a, b string, c uint32) (some, same bool) {
	i, j := 0, 0
	for ; ; i, j, some = i+1, j+1, true {
		for i < len(a) && (a[i] == ' ' || is(a[i], c)) {
			i++
		}
		for j < len(b) && (b[j] == ' ' || is(b[j], c)) {
			j++
		}
		if i == len(a) || j == len(b) || a[i] != b[j] {
			return some, i == len(a) && j == len(b)
		}
	}
}
