package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var realOnes = []observation{
	{Source: "a", Summary: "Approve reverts unless the allowance is zero", Category: "failure", Content: "It reverts. The token demands zero first!\nfunction approve() {\n\treturn 1.5;\n}\n", Resolution: "Approve zero. Then approve."},
	{Source: "b", Summary: "Stale price", Content: "The feed stopped. Nobody checked updatedAt.", Tags: []string{"oracle"}},
	{Source: "c", Summary: "один два три", Content: strings.Repeat("длинный текст. ", 700)},
}

func TestSentencesJoinToTheText(t *testing.T) {
	for _, text := range []string{"", "\n\n", ". . .", "One. Two! 1.5 three?\nfour", realOnes[0].Content, realOnes[2].Content} {
		var parts []string
		for sentence := range sentences(text) {
			parts = append(parts, sentence)
		}
		if joined := strings.Join(parts, ""); joined != text {
			t.Errorf("sentences of %.40q join to %.40q", text, joined)
		}
	}
}

func TestCorpusDependsOnSeedAndNumberOnly(t *testing.T) {
	first, second := newMixer(realOnes, 1), newMixer(realOnes, 1)
	for _, number := range []int{7, 0, 123456} {
		if diff := cmp.Diff(first.observation(number), second.observation(number)); diff != "" {
			t.Errorf("observation %d differs between two runs:\n%s", number, diff)
		}
	}
	if cmp.Equal(first.observation(1), newMixer(realOnes, 2).observation(1)) {
		t.Error("another seed makes the same observation")
	}
}

func TestCorpusIsValidAndOfRealLength(t *testing.T) {
	m := newMixer(realOnes, 1)
	words := map[string]bool{}
	for _, one := range realOnes {
		for word := range strings.FieldsSeq(one.Content) {
			words[word] = true
		}
	}
	refs := map[string]bool{}
	for number := range 300 {
		made := m.observation(number)
		if made.Summary == "" || utf8.RuneCountInString(made.Summary) > maxSummary || utf8.RuneCountInString(made.Content) > maxText || !utf8.ValidString(made.Content) {
			t.Fatalf("observation %d is not valid: %.80q", number, made.Summary)
		}
		if refs[made.Ref] {
			t.Fatalf("reference %s comes twice: the second would not be stored", made.Ref)
		}
		refs[made.Ref] = true
		for word := range strings.FieldsSeq(made.Content) {
			if !words[word] {
				t.Fatalf("%q is no word of the real text", word)
			}
		}
	}
}

func TestTimesTellNumbersApart(t *testing.T) {
	if !timeOf(1).After(timeOf(0)) || timeOf(1_000_000).Year() > 2025 {
		t.Errorf("times run from %s to %s", timeOf(0), timeOf(1_000_000))
	}
}
