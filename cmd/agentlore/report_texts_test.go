package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// reportTexts makes reports and questions of the demo's words: texts that are all alike would be the worst that a search can
// meet, and nobody's traffic.
type reportTexts struct {
	starts, ends []string // of summaries
	sentences    []string // of contents
	clean        *scrubber.Scrubber
}

func newReportTexts(t *testing.T) *reportTexts {
	t.Helper()
	clean := scrubConfig{}.scrubber()
	demo, err := os.ReadFile(filepath.Join(enginetest.Root(), "scripts", "demo", "observations.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	texts := &reportTexts{clean: clean}
	for line := range strings.Lines(string(demo)) {
		var one struct{ Summary, Content string }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		if words := strings.Fields(one.Summary); clean.Clean(one.Summary) {
			texts.starts = append(texts.starts, strings.Join(words[:len(words)/2], " "))
			texts.ends = append(texts.ends, strings.Join(words[len(words)/2:], " "))
		}
		for sentence := range strings.SplitSeq(one.Content, ". ") {
			if clean.Clean(sentence) {
				texts.sentences = append(texts.sentences, strings.TrimSpace(sentence))
			}
		}
	}
	if len(texts.starts) < 50 || len(texts.sentences) < 200 {
		t.Fatalf("the demo gives %d summaries and %d sentences", len(texts.starts), len(texts.sentences))
	}
	return texts
}

func oneOf(from []string, random *rand.Rand) string { return from[random.IntN(len(from))] }

// report returns the n-th report of a kind; no two have the same text, and the scrubber leaves each as it is.
func (r *reportTexts) report(kind string, n int) (summary, content string) {
	random := rand.New(rand.NewPCG(uint64(len(kind)), uint64(n)))
	for {
		content = oneOf(r.sentences, random)
		for range 3 {
			content += ". " + oneOf(r.sentences, random)
		}
		summary = fmt.Sprintf("%s %d: %s %s", kind, n, oneOf(r.starts, random), oneOf(r.ends, random))
		// All of a report is scrubbed as one: the last words of a summary and the first of a content can be a wallet's seed phrase.
		said := lore.Observation{Summary: summary, Category: "operational", Content: content}
		scrubbed, err := scrubber.Scrub(context.Background(), r.clean, said)
		if err == nil && len(scrubbed.Report().Removed) == 0 {
			return summary, content
		}
	}
}

// question returns the n-th question: a few words of a summary.
func (r *reportTexts) question(n int) string {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	words := strings.Fields(oneOf(r.starts, random) + " " + oneOf(r.ends, random))
	from := random.IntN(max(1, len(words)-3))
	return strings.Join(words[from:min(len(words), from+4)], " ")
}
