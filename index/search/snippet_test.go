package search

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentlore/lore"
)

// snippetOf returns the snippet that a search for q makes of texts.
func snippetOf(q string, length int, texts ...string) string {
	return newMarker(parse(lore.SearchQuery{Text: q}, time.Now())).snippet(length, texts...)
}

func TestSnippetMarksWhatMatched(t *testing.T) {
	for _, test := range []struct{ name, q, text, want string }{
		{"a word", "oracle", "The oracle is stale.", "The **oracle** is stale."},
		{"another form of it", "oracles", "The oracle, and ORACLES.", "The **oracle**, and **ORACLES**."},
		{"no part of a longer word", "pool", "A poolside whirlpool in the pool", "A poolside whirlpool in the **pool**"},
		{"no stop words", "is the oracle in it", "it is in the oracle", "it is in the **oracle**"},
		{"an identifier", "latestRoundData", "calls latestRoundData() twice", "calls **latestRoundData**() twice"},
		{"an identifier by its parts", "round data", "calls latestRoundData() twice", "calls **latestRoundData**() twice"},
		{"what is named exactly", "0x095EA7B3", "selector 0x095ea7b3 of approve", "selector **0x095ea7b3** of approve"},
		{"one line of several", "oracle", "first\n\n  the\toracle\r\nis stale", "first the **oracle** is stale"},
		{"markup as it stands", "script", `<script>alert("oracle")</script> & &amp;`, `<**script**>alert("oracle")</**script**> & &amp;`},
		{"no marks but its own", "oracle", "**bold** oracle", "bold **oracle**"},
		{"nothing where nothing matches", "oracle", "The bridge is stuck.", ""},
		{"nothing of an empty text", "oracle", "", ""},
		{"nothing for an empty q", "", "The oracle is stale.", ""},
		{"words of a script without spaces", "重入攻击", "合约存在重入攻击漏洞", "合约存在**重入攻击**漏洞"},
		{"some of those characters", "漏洞", "这个合约存在漏洞。", "这个合约存在**漏洞**。"},
		{"accents", "überweisung", "Die Überweisung nach Zürich", "Die **Überweisung** nach Zürich"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := snippetOf(test.q, 200, test.text); got != test.want {
				t.Errorf("%q of %q is %q, want %q", test.q, test.text, got, test.want)
			}
		})
	}
}

func TestSnippetIsTheBestPassage(t *testing.T) {
	filler := strings.Repeat("nothing of interest here ", 40)
	text := filler + "an oracle stands here. " + filler + "the oracle price is stale since the sequencer went down. " + filler
	got := snippetOf("stale oracle price sequencer", 160, "a bridge and an oracle", text)
	for _, word := range []string{"**oracle**", "**price**", "**stale**", "**sequencer**"} {
		if !strings.Contains(got, word) {
			t.Errorf("%q lacks %s", got, word)
		}
	}
	if !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("%q doesn't show that it is cut at both ends", got)
	}
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[strings.Trim(word, ".")] = true
	}
	for _, word := range strings.Fields(strings.Trim(got, "…")) {
		if !words[strings.Trim(strings.ReplaceAll(word, markOpen, ""), ".")] {
			t.Errorf("%q is cut within the word %q", got, word)
		}
	}
	if other := snippetOf("oracle", 160, "a bridge", "", filler+"the oracle"); !strings.HasSuffix(other, "the **oracle**") {
		t.Errorf("%q is not of the text that matches", other)
	}
}

// Whatever the text, a snippet is at most as long as asked for, is text, and says what the text says.
func TestSnippetIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"one endless word":     strings.Repeat("x", 5000) + " oracle " + strings.Repeat("y", 5000),
		"characters of 3 byte": strings.Repeat("存在", 2000) + " oracle " + strings.Repeat("漏洞", 2000),
		"characters of 4 byte": strings.Repeat("🦄", 2000) + "oracle" + strings.Repeat("🦄", 2000),
		"accents":              strings.Repeat("e\u0301", 2000) + " oracle " + strings.Repeat("e\u0301", 2000),
		"nothing but marks":    strings.Repeat("oracle ", 3000),
		"marks far apart":      strings.Repeat("oracle "+strings.Repeat("z ", 60), 200),
		"line ends":            strings.Repeat("\n", 5000) + "oracle" + strings.Repeat("\r\n", 5000),
	} {
		for _, length := range []int{80, 200, 300} {
			got := snippetOf("oracle stale price", length, text)
			if !strings.Contains(got, "**oracle**") || !utf8.ValidString(got) || len(got) > length+len("……") {
				t.Errorf("%s: a snippet of %d bytes (%d allowed): %q", name, len(got), length, got)
			}
		}
	}
}

// A text may be one character over and over, or one word joined by dots, without a space.
func TestSnippetOfOneRunIsBounded(t *testing.T) {
	began := time.Now()
	for range 10 {
		for word, text := range map[string]string{"的": strings.Repeat("的", 20_000), "oracle": strings.Repeat("oracle.", 2800)} {
			if got := snippetOf(word, 200, text); !strings.Contains(got, "**"+word) || !utf8.ValidString(got) || len(got) > 200+len("……") {
				t.Fatalf("a snippet of %d bytes: %.300q", len(got), got)
			}
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ten of them took %s", took)
	}
}

// A document of the longest kind that repeats a word of q costs no more than a moment.
func TestSnippetOfTheWorstText(t *testing.T) {
	text := strings.Repeat("a_b.c ", 20_000/6)
	began := time.Now()
	for range 10 {
		snippetOf("a_b.c b a_b", 200, text, text)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ten of them took %s", took)
	}
}
