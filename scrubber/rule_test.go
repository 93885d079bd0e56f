package scrubber

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func newScrubber(t testing.TB) *Scrubber {
	t.Helper()
	return New(Config{})
}

// Analysts count what was removed by kind: a kind that the index doesn't know would be missing there, without an error.
func TestEveryKindIsIndexed(t *testing.T) {
	text, err := os.ReadFile("../mappings/submissions.json")
	if err != nil {
		t.Fatal(err)
	}
	var mapping struct {
		Properties struct {
			Scrubbed struct {
				Properties map[Kind]any `json:"properties"`
			} `json:"scrubbed"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(text, &mapping); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if mapping.Properties.Scrubbed.Properties[k.kind] == nil {
			t.Errorf("mappings/submissions.json has no scrubbed.%s", k.kind)
		}
	}
}

// Each rule removes exactly what its examples mark and leaves its counter-examples alone.
func TestRulesHoldTheirExamples(t *testing.T) {
	s := newScrubber(t)
	for _, r := range s.rules {
		t.Run(r.name, func(t *testing.T) {
			g := newGen(1)
			for _, example := range r.removed {
				for range 20 {
					text, want := g.cut(example)
					if got, _ := s.text(text); got != want {
						t.Errorf("%s\n text %q\n  got %q\n want %q", example, text, got, want)
						break
					}
				}
			}
			for _, example := range r.kept {
				for range 20 {
					text := g.expand(example)
					if got, hits := s.text(text); got != text {
						t.Errorf("%s\n text %q\n  got %q %v, want it kept", example, text, got, hits)
						break
					}
				}
			}
		})
	}
}

// No rule is without examples, and they hold no secret.
func TestRulesNeedExamples(t *testing.T) {
	for _, r := range New(Config{Literal: true}).rules {
		if len(r.removed) == 0 || len(r.kept) == 0 {
			t.Errorf("%s: needs examples of what it removes and what it keeps", r.name)
		}
		for _, example := range r.removed {
			if strings.Count(example, "«") == 0 || strings.Count(example, "«") != strings.Count(example, "»") {
				t.Errorf("%s: %q marks nothing", r.name, example)
			}
		}
	}
}
