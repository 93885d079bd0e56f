package curator

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"agentlore/enginetest"
)

// What text_scan.go must find, as expressions.
var (
	placeholderPattern  = regexp.MustCompile(`\[SCRUBBED[^\]]*\]|\b0[xX][0-9a-fA-F]{4,}\b|\b[0-9a-fA-F]{32,}\b|\b[1-9A-HJ-NP-Za-km-z]{32,88}\b|\b\d[\d_,.]*(?:[eE][+-]?\d+)?`)
	machineValuePattern = regexp.MustCompile(`\[SCRUBBED[^\]]*\]|\b0[xX][0-9a-fA-F]{8,}\b|\b[0-9a-fA-F]{32,}\b|\b[1-9A-HJ-NP-Za-km-z]*[1-9][1-9A-HJ-NP-Za-km-z]{31,}\b`)
	numberPattern       = regexp.MustCompile(`\b\d[\d_,.]*(?:e\d+)?\b`)
	versionPattern      = regexp.MustCompile(`\bv?\d+\.\d+(?:\.\d+)+\b|\bv\d+(?:\.\d+)*\b`)
	codeBlockPattern    = regexp.MustCompile("(?s)```.*?(?:```|$)")
	codeSpanPattern     = regexp.MustCompile("`[^`\n]+`")
	headingPattern      = regexp.MustCompile(`(?m)^\s*(?:#{1,6}\s.*|\*\*[^*\n]{1,40}\*\*:?\s*)$`)
	listItemPattern     = regexp.MustCompile(`(?m)^\s*(?:[-*+]|\d+[.)])\s+\S`)
	notInTitlePattern   = regexp.MustCompile(`[^a-z0-9]+`)
	codePlacePattern    = regexp.MustCompile(`([A-Za-z0-9_.-]+\.(?:sol|vy|rs|go|move|cairo|ts|js|py|fc|tact|c|cpp|h))(?:\?[^\s#)\]]*)?(?:(?:#L|:|#)(\d{1,6})(?:C\d+)?(?:-L?(\d{1,6}))?)?`)
)

// lowerWordsOf is lowerWords without the count, which must agree.
func lowerWordsOf(text string) string {
	said, words := lowerWords(text)
	if words != len(strings.Fields(string(said))) {
		return fmt.Sprintf("%q, counted as %d", said, words)
	}
	return string(said)
}

// sameAsPatterns fails where a scan and its expression differ over a text.
func sameAsPatterns(t *testing.T, text string) {
	t.Helper()
	found := func(each func(string, func(string))) (list []string) {
		each(text, func(match string) { list = append(list, match) })
		return list
	}
	blocks, outside := codeBlocks(text)
	for what, pair := range map[string][2]string{
		"text outside of code blocks": {outside, codeBlockPattern.ReplaceAllString(text, " ")},
		"text without headings":       {withoutHeadings(text), headingPattern.ReplaceAllString(text, " ")},
		"words in lower case":         {lowerWordsOf(text), strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")},
		"letters and digits":          {lettersAndDigits(text), strings.Trim(notInTitlePattern.ReplaceAllString(text, " "), " ")},
		"placeholders":                {withoutPlaceholders(text), placeholderPattern.ReplaceAllString(text, " ")},
		"machine values":              {withoutMachineValues(text), machineValuePattern.ReplaceAllString(text, " ")},
		"links":                       {withoutLinks(text), link.ReplaceAllString(text, " ")},
	} {
		if pair[0] != pair[1] {
			t.Fatalf("%s of %q: %q, want %q", what, text, pair[0], pair[1])
		}
	}
	if got, want := found(eachNumber), numberPattern.FindAllString(text, -1); !slices.Equal(got, want) {
		t.Fatalf("numbers of %q: %q, want %q", text, got, want)
	}
	if got, want := found(eachVersion), versionPattern.FindAllString(text, -1); !slices.Equal(got, want) {
		t.Fatalf("versions of %q: %q, want %q", text, got, want)
	}
	if want := codeBlockPattern.FindAllString(text, -1); !slices.Equal(blocks, want) {
		t.Fatalf("code blocks of %q: %q, want %q", text, blocks, want)
	}
	if got, want := found(eachCodeSpan), codeSpanPattern.FindAllString(text, -1); !slices.Equal(got, want) {
		t.Fatalf("code spans of %q: %q, want %q", text, got, want)
	}
	if got, want := hasListItem(text), listItemPattern.MatchString(text); got != want {
		t.Fatalf("%q has an item of a list: %v, want %v", text, got, want)
	}
	places, wantedPlaces := [][]string{}, codePlacePattern.FindAllStringSubmatch(text, -1)
	eachCodePlace(text, func(file, from, to string) { places = append(places, []string{file, from, to}) })
	if !slices.EqualFunc(places, wantedPlaces, func(got, want []string) bool { return slices.Equal(got, want[1:]) }) {
		t.Fatalf("places in code of %q: %q, want %q", text, places, wantedPlaces)
	}
	if got, want := wordsFound(text, eachWord, isName, eachNamePart), wordsFound(text, eachWordByRune, func(word string) bool { return len(word) > 2 && isNameInRunes(word) }, eachNamePartInRunes); !slices.Equal(got, want) {
		t.Fatalf("words and names of %q: %q, want %q", text, got, want)
	}
}

// eachWordByRune is what eachWord must visit.
func eachWordByRune(text string, visit func(word string, called bool)) {
	start := -1
	for i, r := range text + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if inside && start < 0 {
			start = i
		} else if !inside {
			if start >= 0 && i-start <= longestWord && (text[start] < '0' || text[start] > '9') {
				visit(text[start:i], r == '(')
			}
			start = -1
		}
	}
}

// wordsFound lists words, how they stand there, and the parts of names.
func wordsFound(text string, each func(string, func(string, bool)), name func(string) bool, parts func(string, func(string))) (list []string) {
	each(text, func(word string, called bool) {
		list = append(list, fmt.Sprint(word, called, name(word)))
		parts(word, func(part string) { list = append(list, part) })
	})
	return list
}

// A scan by hand finds just what the expression finds, over texts made of all that can confuse it.
func TestScansAreTheirPatterns(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("a1b2", 8)
	key := strings.Repeat("9Kx", 11)
	for what, pieces := range map[string][]string{
		"values": {
			"[SCRUBBED]", "[SCRUBBED", "[SCRUBBED:key] x]", "[", "]", "0x", "0X", "0x1234", "0xdeadbeef", "0x12g4", hash, hash + "_", strings.ToUpper(hash), key, strings.Repeat(key, 2), strings.Repeat(key, 3),
			strings.Repeat("Abc", 11), strings.Repeat("O", 33), "1", "12", "1_000", "1,5", ".", ",", "_", "e", "E", "e9", "E-7", "e+", "x", "v", "v1", "v1.2", "1.2.3", "2.0.0-rc1", "rev2", "é", "€",
			"http", "https", "ipfs", "://", "a.b/c", " ", "\n", "\t", "(", ")", "'", "`", "\"", "*", "!", "?", ";", ":", "...", "word",
		},
		"places in code": {
			".sol", ".vy", ".rs", ".go", ".move", ".cairo", ".ts", ".js", ".py", ".fc", ".tact", ".c", ".cpp", ".h", ".", "..", "-", "_", "Pool", "a", "on", "L", "C", "C7", "#", "#L", "#L10", ":", ":1", ":1234567",
			"-L20", "-3", "-7654321", "?", "?plain=1", "&x=(y", "9", "/", " ", "\n", "\t", ")", "]", "é", "\xff", "\u00a0",
		},
		"words": {
			"a", "b", "X", "Y", "word", "Word", "HTTP", "Server", "_", "__", "1", "42", "é", "É", "ß", "ж", "Ж", "字", "\u0661", "\u212a", "\u0130", "(", " ", "\n", ".", "-", "\xff", "\xc3", "\u00a0",
			strings.Repeat("long", 10), strings.Repeat("y", 39),
		},
		"passages": {
			"`", "``", "```", "````", "#", "##", "######", "#######", "*", "**", "***", "**" + strings.Repeat("é", 39), "x**", "y**", ":", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\f", "\v", "word", "Impact", strings.Repeat("x", 39), strings.Repeat("é", 39), "é", "\xff",
			"-", "+", "1", "12", ".", ")", "\u00a0", "A", "K", "_",
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(6, 6))
			for range 100_000 {
				var text strings.Builder
				for range 1 + random.IntN(9) {
					text.WriteString(pieces[random.IntN(len(pieces))])
				}
				sameAsPatterns(t, text.String())
			}
		})
	}
}

// The same over what people really wrote.
func TestScansAreTheirPatternsOnRealReports(t *testing.T) {
	t.Parallel()
	every := 0
	for line := range enginetest.Lines(t, enginetest.Data(t, "observations.jsonl.gz")) {
		if every++; every%40 != 0 {
			continue
		}
		var said struct{ Summary, Content, Resolution string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatal(err)
		}
		sameAsPatterns(t, said.Summary)
		sameAsPatterns(t, said.Content+"\n"+said.Resolution)
	}
}
