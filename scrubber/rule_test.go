package scrubber

import (
	"strings"
	"testing"
)

func newScrubber(t testing.TB) *Scrubber {
	t.Helper()
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
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

// A rule without examples can't be compiled into a Scrubber.
func TestRulesNeedExamples(t *testing.T) {
	find := func(*scan, int, int) {}
	for _, r := range []rule{
		{name: "none", find: find},
		{name: "no negatives", find: find, removed: []string{"x"}},
		{name: "no positives", find: find, kept: []string{"x"}},
		{name: "no find", removed: []string{"x"}, kept: []string{"y"}},
		{name: "short anchor", find: find, anchors: []string{"ab"}, removed: []string{"x"}, kept: []string{"y"}},
	} {
		if r.check() == nil {
			t.Errorf("%s: accepted", r.name)
		}
	}
	for _, r := range newScrubber(t).rules {
		for _, example := range r.removed {
			if strings.Count(example, "«") == 0 || strings.Count(example, "«") != strings.Count(example, "»") {
				t.Errorf("%s: %q marks nothing", r.name, example)
			}
		}
	}
}
