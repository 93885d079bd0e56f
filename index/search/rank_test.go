package search

import (
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/terms"
)

// matcherOf returns a matcher of q, of a corpus of a thousand documents of which 200 have the word balance and none another.
func matcherOf(text string, known map[string]wordStats) *matcher {
	q := parse(lore.SearchQuery{Text: text}, time.Now())
	q.documents = 1000
	q.known["balance"] = wordStats{documents: 200}
	maps.Copy(q.known, known)
	return newMatcher(q.rankWords())
}

func signatureWith(summary, content string) terms.Signature {
	return terms.ReadSignature(terms.Sign(summary, content))
}

// Of two texts that the first search takes for equal, the features prefer the one that a reader would.
func TestFeatures(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat(" and some other words of no use here", 3)
	for name, one := range map[string]struct {
		q             string
		better, worse terms.Signature
	}{
		"all words, not one of them often": {"stale oracle price", signatureWith("an oracle", "its price is stale"+filler), signatureWith("an oracle", "oracle oracle oracle oracle"+filler)},
		"in the summary":                   {"stale price", signatureWith("stale price", "seen at night"), signatureWith("seen at night", "stale price")},
		"side by side":                     {"flash loan", signatureWith("x", "a flash loan of much value"), signatureWith("x", "a loan of much value, in a flash")},
		"another word of the same root":    {"liquidator", signatureWith("x", "liquidity is gone"), signatureWith("x", "everything is gone")},
		"a summary of nothing else":        {"paused bridge", signatureWith("paused bridge", ""), signatureWith("paused bridge with other matters of much weight", "")},
		"the rare word of two":             {"the frobnicator balance", signatureWith("x", "frobnicator"+filler), signatureWith("x", "balance"+filler)},
		"at the beginning":                 {"reentrancy", signatureWith("x", "reentrancy here"+filler), signatureWith("x", filler+" reentrancy here")},
	} {
		m := matcherOf(one.q, nil)
		if better, worse := m.features(one.better), m.features(one.worse); better.total() <= worse.total() {
			t.Errorf("%s: %+v is not above %+v", name, better, worse)
		}
	}
}

// A word that q repeats counts once: a question that names the product twice asks for the fault no less.
func TestARepeatedWordCountsOnce(t *testing.T) {
	t.Parallel()
	if words := matcherOf("Consul: consul crashes in consul", nil).words; len(words) != 2 {
		t.Errorf("%d words, want consul and crashes", len(words))
	}
	if words := matcherOf("latestRoundData latest", nil).words; len(words) != 3 || words[0].weight() <= words[1].weight() {
		t.Errorf("%v: a word typed by itself weighs more than one that is part of an identifier", words)
	}
}

// What a misspelt word stands for counts in its place, and of a word that was cut short its root.
func TestFeaturesOfMisspeltWords(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]respelling{
		"misspelt": {near: []suggestion{{"oracle", 50}}, weight: 1},
		"cut":      {prefix: "oracl"},
	} {
		m := matcherOf("orcale", map[string]wordStats{"orcale": {respelling: &r}})
		right, wrong := m.features(signatureWith("x", "the oracle reverts")), m.features(signatureWith("x", "the orchid reverts. It reverts"))
		if right.coverage <= 0 || wrong.total() != 0 {
			t.Errorf("%s: %+v and %+v", name, right, wrong)
		}
	}
}

// Whatever is compared, nothing is taken away and nothing is no number: pages by offset rest on it.
func TestFeaturesTakeNothingAway(t *testing.T) {
	t.Parallel()
	odd := []terms.Signature{
		{}, terms.ReadSignature([]byte{0, 0, 0}), terms.ReadSignature([]byte{255, 255, 255, 1, 2, 3, 4}),
		signatureWith("oracle", ""), signatureWith(strings.Repeat("oracle ", 9000), ""),
	}
	for _, text := range []string{"", "the of", "oracle", "oracle oracle", "0x" + strings.Repeat("ab", 20), "🔥 重入攻撃", "a.b.c::d", strings.Repeat("word ", 32)} {
		for _, documents := range []int64{0, 1, 1 << 40} {
			q := parse(lore.SearchQuery{Text: text}, time.Now())
			q.documents, q.known = documents, map[string]wordStats{"oracle": {documents: 5}, "word": {documents: 1 << 50}}
			m := newMatcher(q.rankWords())
			for i, signature := range odd {
				features := m.features(signature)
				sum := 0.0
				for name, part := range features.parts() {
					if sum += part; part < 0 || math.IsNaN(part) || math.IsInf(part, 0) {
						t.Errorf("%q of %d documents, result %d: %s is %v", text, documents, i, name, part)
					}
				}
				if total := features.total(); math.Abs(total-sum) > 1e-9*max(1, sum) {
					t.Errorf("%q: parts of %v make a total of %v", text, sum, total)
				}
			}
		}
	}
}
