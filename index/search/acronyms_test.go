package search

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

func TestInitialsFindNamesAndNamesInitials(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t, append(corpus(),
		observed("Stored XSS in the profile of a wallet", "A display name runs as a script in every visitor's browser."),
		observed("Prices of one block are taken", "Read the time-weighted average price instead, over thirty minutes."),
		observed("Average of the price of time", "Weighted votes."),
	)...)
	for _, test := range []struct{ name, q, first string }{
		{"a name finds initials", "cross-site scripting display name", "Stored XSS in the profile of a wallet"},
		{"initials find a name", "TWAP instead of one block", "Prices of one block are taken"},
		{"initials alone", "twap", "Prices of one block are taken"},
		{"initials find initials", "xss", "Stored XSS in the profile of a wallet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := find(t, searcher, lore.SearchQuery{Text: test.q, Explain: true})
			if found := summaries(result); len(found) == 0 || found[0] != test.first {
				t.Errorf("%q finds %q, want %q first", test.q, found, test.first)
			}
		})
	}
}

// Of a thing's two names only the better one counts, and the explanation says no more.
func TestAcronymsAreExplained(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t, append(corpus(),
		observed("Cross-site scripting, or XSS, in a wallet", "XSS by a name."), observed("XSS in a name", "Denial of service (DoS) by a name."))...)
	for _, q := range []string{"cross site scripting by a name", "xss", "xss and dos", "xss, denial of service"} {
		for _, one := range find(t, searcher, lore.SearchQuery{Text: q, Explain: true}).Results {
			sum := 0.0
			for _, part := range one.Explanation.Words {
				sum += part
			}
			if want := sum*one.Explanation.Factor + one.Explanation.Neighbours; math.Abs(one.Score-want) > 0.01*want {
				t.Errorf("%q: %q has the score %v, explained as %v", q, one.Summary, one.Score, want)
			}
		}
	}
}

func TestFindAcronyms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		q    string
		want []string
	}{
		{"DoS in the queue", []string{"dos"}},
		{"Denial of Service by gas", []string{"dos"}},
		{"regular expression denial of service", []string{"redos"}},
		{"cross site request forgery, then XSS", []string{"csrf", "xss"}},
		{"denial of a request", nil},
		{"dosing, lpad", nil},
		{"man in the middle, man in the middle", []string{"mitm"}},
		{"", nil},
	} {
		var got []string
		for _, a := range findAcronyms(readWords(test.q)) {
			got = append(got, a.short)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.q, diff)
		}
	}
}
