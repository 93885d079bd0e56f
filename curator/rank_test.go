package curator

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"agentlore/lore"
)

// Lists are in the order of what bears a problem out and when: by owners, not by posts; by those with standing before strangers; by
// what is reported now before what was. An import of old reports doesn't trend.
func TestRanks(t *testing.T) {
	of := func(days int, sources ...string) (reports []lore.Report) {
		for i, source := range sources {
			reports = append(reports, reported(fmt.Sprint(source, i), source, days))
		}
		return reports
	}
	many := slices.Repeat([]string{"q1"}, 40)
	cases := map[string]Case{
		"five lately":              {Reports: of(3, "q1", "q2", "q3", "q4", "q5")},
		"three lately":             {Reports: of(3, "q1", "q2", "q3")},
		"two, one at length":       {Reports: of(3, append(many, "q2")...)},
		"five, years ago":          {Reports: of(4*365, "i1", "i2", "i3", "i4", "i5")},
		"eight, long ago":          {Reports: of(200, "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8")},
		"strangers of one network": {Reports: of(3, "s1@one", "s2@one", "s3@one", "s4@one", "s5@one", "s6@one", "q1")},
	}
	order := func(by func(lore.Rank) float64) (names []string) {
		ranks := map[string]float64{}
		for name, c := range cases {
			c.Principal, c.Now = people, noon
			ranks[name] = by(*DefaultRules().Promotion.Judge(c).Pattern.Rank)
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(ranks[b], ranks[a]) })
		return names
	}
	if got, want := order(func(r lore.Rank) float64 { return r.Evidence }), []string{
		"eight, long ago", "five lately", "three lately", "two, one at length", "strangers of one network", "five, years ago",
	}; !slices.Equal(got, want) {
		t.Errorf("by evidence: %q, want %q", got, want)
	}
	if got, want := order(func(r lore.Rank) float64 { return r.Trending }), []string{
		"five lately", "three lately", "two, one at length", "strangers of one network", "eight, long ago", "five, years ago",
	}; !slices.Equal(got, want) {
		t.Errorf("by trend: %q, want %q", got, want)
	}
}

// A unit is the service's own word. Reports of newcomers don't change its place, and units that failed come after those that worked.
func TestUnitRanks(t *testing.T) {
	judge := func(outcomes ...lore.Outcome) lore.Rank {
		unit := Case{Reports: pattern(nil, "q0", "q1", "q2"), Outcomes: outcomes, Principal: people, Now: noon}
		return *DefaultRules().Promotion.Judge(unit).Unit.Rank
	}
	plain, about := judge(), idOf("a")
	if got := judge(said("s1", about, lore.ResultWorked, 0), said("s2", about, lore.ResultFailed, 0)); got != plain {
		t.Errorf("strangers moved it from %v to %v", plain, got)
	}
	if got := judge(said("q7", about, lore.ResultWorked, 0)); got.Evidence <= plain.Evidence || got.Trending <= plain.Trending {
		t.Errorf("it worked for another, and it went from %v to %v", plain, got)
	}
}
