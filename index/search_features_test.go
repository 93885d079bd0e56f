package index

import (
	"math"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
)

// soughtIn returns the words of q as a corpus of a thousand documents without any of them would have them.
func soughtIn(q string, spelt spelling) []soughtWord {
	asked := newSearch(lore.SearchQuery{Text: q}, time.Now())
	asked.spelling = spelt
	return asked.sought(vocabulary{documents: 1000, count: map[string]int64{"balance": 200}})
}

func signatureWith(summary, content string) signature {
	return readSignature(signatureOf(signatureText{Summary: summary, Content: content}))
}

// Of two texts that the first search takes for equal, the closer look prefers the one that a reader would.
func TestACloserLook(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat(" and some other words of no use here", 3)
	for name, one := range map[string]struct {
		q             string
		better, worse signature
	}{
		"all words, not one of them often": {"stale oracle price", signatureWith("an oracle", "its price is stale"+filler), signatureWith("an oracle", "oracle oracle oracle oracle"+filler)},
		"in the summary":                   {"stale price", signatureWith("stale price", "seen at night"), signatureWith("seen at night", "stale price")},
		"side by side":                     {"flash loan", signatureWith("x", "a flash loan of much value"), signatureWith("x", "a loan of much value, in a flash")},
		"another word of the same root":    {"liquidator", signatureWith("x", "liquidity is gone"), signatureWith("x", "everything is gone")},
		"a summary of nothing else":        {"paused bridge", signatureWith("paused bridge", ""), signatureWith("paused bridge with other matters of much weight", "")},
		"the rare word of two":             {"the frobnicator balance", signatureWith("x", "frobnicator"+filler), signatureWith("x", "balance"+filler)},
		"at the beginning":                 {"reentrancy", signatureWith("x", "reentrancy here"+filler), signatureWith("x", filler+" reentrancy here")},
	} {
		looks := lookCloser(soughtIn(one.q, nil), []signature{one.better, one.worse})
		if looks[0].total() <= looks[1].total() {
			t.Errorf("%s: %+v is not above %+v", name, looks[0], looks[1])
		}
	}
}

// A word that q repeats counts once: who names the product twice looks for the fault no less.
func TestARepeatedWordCountsOnce(t *testing.T) {
	t.Parallel()
	if words := soughtIn("Consul: consul crashes in consul", nil); len(words) != 2 {
		t.Errorf("%d words, want consul and crashes", len(words))
	}
	if words := soughtIn("latestRoundData latest", nil); len(words) != 3 || words[0].best().weight <= words[1].best().weight {
		t.Errorf("%v: a word typed by itself weighs more than one that is part of an identifier", words)
	}
}

// What a misspelt word stands for is looked for in its place, and of a word that was cut short its root.
func TestACloserLookAtMisspeltWords(t *testing.T) {
	t.Parallel()
	right, wrong := signatureWith("x", "the oracle reverts"), signatureWith("x", "the orchid reverts")
	for name, spelt := range map[string]spelling{
		"misspelt": {"orcale": {near: []alternative{{"oracle", 1, 50}}}},
		"cut":      {"orcale": {prefix: "oracl"}},
	} {
		looks := lookCloser(soughtIn("orcale", spelt), []signature{right, wrong})
		if looks[0].coverage <= 0 || looks[1].coverage != 0 {
			t.Errorf("%s: %+v and %+v", name, looks[0], looks[1])
		}
	}
}

// Whatever is compared, nothing is taken away and nothing is no number: pages by offset rest on it.
func TestACloserLookTakesNothingAway(t *testing.T) {
	t.Parallel()
	odd := []signature{{}, readSignature([]byte{0, 0, 0}), readSignature([]byte{255, 255, 255, 1, 2, 3, 4}), signatureWith("oracle", ""), signatureWith(strings.Repeat("oracle ", 9000), "")}
	for _, q := range []string{"", "the of", "oracle", "oracle oracle", "0x" + strings.Repeat("ab", 20), "🔥 重入攻撃", "a.b.c::d", strings.Repeat("word ", 32)} {
		for _, documents := range []int64{0, 1, 1 << 40} {
			asked := newSearch(lore.SearchQuery{Text: q}, time.Now())
			words := asked.sought(vocabulary{documents: documents, count: map[string]int64{"oracle": 5, "word": 1 << 50}})
			for i, look := range lookCloser(words, odd) {
				for reason, part := range look.parts() {
					if part < 0 || math.IsNaN(part) || math.IsInf(part, 0) {
						t.Errorf("%q of %d documents, result %d: %s is %v", q, documents, i, reason, part)
					}
				}
				sum := 0.0
				for _, part := range look.parts() {
					sum += part
				}
				if total := look.total(); math.Abs(total-sum) > 1e-9*max(1, sum) {
					t.Errorf("%q: parts of %v make a total of %v", q, sum, total)
				}
			}
		}
	}
}
