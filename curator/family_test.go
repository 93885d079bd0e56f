package curator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
)

// A report of no known kind goes with its pattern, one of another kind doesn't, and an operator's latest word wins.
func TestMemberships(t *testing.T) {
	t.Parallel()
	kind := func(title string) Kind {
		entry, _, known := strings.Cut(title, "!")
		if !known {
			return Kind{Words: strings.Fields(title)}
		}
		return Kind{Entry: entry, Why: entry}
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	decide := func(day int, verdict lore.Verdict, entry string) lore.Decision {
		return lore.Decision{ID: fmt.Sprint(day), Verdict: verdict, Object: &lore.Target{Collection: lore.Families, ID: FamilyID(entry)}, At: at.AddDate(0, 0, day)}
	}
	group := []lore.Report{}
	for i, title := range []string{"stale! price", "stale! feed", "vault uses an old price", "replay! of signatures", "stale! round"} {
		group = append(group, lore.Report{Submission: lore.Submission{ID: fmt.Sprint(i), Summary: title}})
	}
	for name, test := range map[string]struct {
		decisions map[string][]lore.Decision
		want      [5]string
		family    string
	}{
		"by what they say": {nil, [5]string{"stale", "stale", "stale", "replay", "stale"}, "stale"},
		"taken out":        {map[string][]lore.Decision{"2": {decide(1, lore.VerdictSplit, "stale")}}, [5]string{"stale", "stale", "", "replay", "stale"}, "stale"},
		"taken out and put back": {
			map[string][]lore.Decision{"3": {decide(2, lore.VerdictMerge, "stale"), decide(1, lore.VerdictSplit, "stale")}},
			[5]string{"stale", "stale", "stale", "stale", "stale"}, "stale",
		},
		"no majority": {map[string][]lore.Decision{"0": {decide(1, lore.VerdictSplit, "stale")}}, [5]string{"", "stale", "", "replay", "stale"}, ""},
	} {
		of, family := Memberships(group, kind, test.decisions)
		for i, want := range test.want {
			if want != "" {
				want = FamilyID(want)
			}
			if got := of[fmt.Sprint(i)]; got.Key != want && (want != "" || got.sure) {
				t.Errorf("%s: report %d is in %s because %s, want %s", name, i, got.Key, got.Why, want)
			}
		}
		if want := test.family; want != "" && family != FamilyID(want) || want == "" && family != "" {
			t.Errorf("%s: the group is of the family %s, want %s", name, family, want)
		}
	}
}
