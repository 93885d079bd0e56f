package curator

import (
	"strings"
	"testing"

	"agentlore/lore"
)

func TestFingerprintIgnoresWhatDiffersBetweenReportsOfOneThing(t *testing.T) {
	base := lore.Observation{Summary: "Swap on the Foo router reverts with slippage", Content: "Called by 0x" + strings.Repeat("ab", 20) + " for 1,000.5 units"}
	tests := []struct {
		name  string
		other lore.Observation
		equal bool
	}{
		{"another address and amount", lore.Observation{Summary: base.Summary, Content: "Called by 0x" + strings.Repeat("cd", 20) + " for 27 units"}, true},
		{"scrubbed", lore.Observation{Summary: base.Summary, Content: "Called by [SCRUBBED] for 1e18 units"}, true},
		{"case, space and punctuation", lore.Observation{Summary: "swap on the FOO router: reverts, with slippage!", Content: " called  by for units."}, true},
		{"tags, category and ecosystem", lore.Observation{Summary: base.Summary, Content: base.Content, Category: lore.Category("market"), Tags: []string{"dex"}, Ecosystem: "base"}, true},
		{"another word", lore.Observation{Summary: "Swap on the Bar router reverts with slippage", Content: base.Content}, false},
		{"a resolution", lore.Observation{Summary: base.Summary, Content: base.Content, Resolution: "Raise the limit."}, false},
	}
	want := Fingerprint(base)
	if !strings.HasPrefix(want, FingerprintVersion+":") {
		t.Fatalf("fingerprint %q has no version", want)
	}
	for _, test := range tests {
		if got := Fingerprint(test.other) == want; got != test.equal {
			t.Errorf("%s: equal is %v, want %v", test.name, got, test.equal)
		}
	}
}

// Two strangers' "test" would be a pattern otherwise, and everything scrubbed to nothing another one.
func TestFingerprintOfAlmostNothingIsEmpty(t *testing.T) {
	for _, summary := range []string{"", "test", "it reverts 42", "[SCRUBBED] [SCRUBBED] 0x" + strings.Repeat("1f", 32)} {
		if got := Fingerprint(lore.Observation{Summary: summary}); got != "" {
			t.Errorf("%q has the fingerprint %s", summary, got)
		}
	}
}
