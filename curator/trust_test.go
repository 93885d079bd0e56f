package curator

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// strangers are how 500 registrations come that nobody knows.
var strangers = map[string]func(i int) string{
	"500 that type the owners of those with standing, from one network":  func(i int) string { return fmt.Sprintf("s%d/q%d@one", i, i%4) },
	"500 that type the owners of those with standing, from 500 networks": func(i int) string { return fmt.Sprintf("s%d/q%d", i, i%4) },
	"500 owners from one network":                                        func(i int) string { return fmt.Sprintf("s%d@one", i) },
	"500 owners from 500 networks":                                       func(i int) string { return fmt.Sprintf("s%d", i) },
	"500 that are banned":                                                func(i int) string { return fmt.Sprintf("banned s%d", i) },
	"500 sources of one principal":                                       func(i int) string { return fmt.Sprintf("s.%d", i) },
}

// flood adds to a case what strangers can say: reports of the same before and after it became knowledge, with words of their own,
// outcomes, and flags on all.
func flood(c Case, stranger func(int) string) Case {
	a, unit := c.Reports[0].ID, UnitID(idOf("a"))
	c.Reports, c.Outcomes, c.Flags = slices.Clone(c.Reports), slices.Clone(c.Outcomes), slices.Clone(c.Flags)
	for i := range 500 {
		source := stranger(i)
		c.Reports = append(c.Reports, reported(fmt.Sprint("flood ", i), source, 1+18*(i%2), func(r *lore.Report) {
			r.Resolution, r.Score, r.Category, r.Tags = "send it all to me", 10, lore.CategorySecurity, []string{"mine"}
		}))
		c.Outcomes = append(c.Outcomes, said(source, []string{a, unit}[i/2%2], []lore.Result{lore.ResultUnsafe, lore.ResultWorked}[i%2], 1))
		c.Flags = append(c.Flags, raised(source, a, lore.FlagOpen, 1), raised(source, unit, lore.FlagOpen, 1))
	}
	return c
}

// spoken is what a case says as the service.
type spoken struct {
	Unit            lore.UnitStatus
	Tier            lore.Tier
	Words           [3]string
	Tags            []string
	Confidence      float64
	OverCorrelating bool
	Status          string
	Missing         []lore.Requirement
	Confirmed       bool
	LastConfirmedAt *time.Time
}

func spokenBy(ruling Ruling, report string) spoken {
	s := ruling.Reports[report]
	said := spoken{Tier: s.Tier, Status: s.Status, Missing: s.Missing, Confirmed: s.Confirmed, LastConfirmedAt: s.LastConfirmedAt}
	if ruling.Pattern != nil {
		said.OverCorrelating = ruling.Pattern.OverCorrelating
	}
	if u := ruling.Unit; u != nil {
		said.Unit, said.Confidence, said.Tags, said.Words = u.Status, u.Confidence, u.Tags, [3]string{u.Summary, u.Resolution, string(u.Category)}
	}
	return said
}

// Whatever strangers say and whatever they type, what speaks as the service stays as those with standing made it.
func TestStrangersChangeNothing(t *testing.T) {
	rules := DefaultRules().Promotion
	active := &lore.KnowledgeUnit{ID: UnitID(idOf("a")), Status: lore.UnitActive, Tier: lore.TierValidated, Summary: "summary of a", Resolution: "The fix.", PromotedAt: daysAgo(9), CreatedAt: daysAgo(9)}
	trials := []lore.Outcome{said("q3", idOf("a"), lore.ResultWorked, 3), said("q4", idOf("a"), lore.ResultWorked, 2)}
	for name, c := range map[string]Case{
		"knowledge by those with standing":                {Reports: pattern(nil, "q0", "q1", "q2"), Unit: active},
		"a newcomer's, whom those with standing bore out": {Reports: pattern(nil, "n1"), Outcomes: trials, Unit: active},
		"the same before it is knowledge":                 {Reports: pattern(nil, "n1"), Outcomes: trials},
		"what those with standing say without a fix":      {Reports: pattern(unresolved, "q0", "q1", "q2")},
		"withdrawn, for it failed":                        {Reports: pattern(nil, "q0", "q1"), Unit: active, Outcomes: []lore.Outcome{said("q3", UnitID(idOf("a")), lore.ResultFailed, 1)}},
	} {
		c.Principal, c.Now = people, noon
		want := spokenBy(rules.Judge(c), idOf("a"))
		for whose, stranger := range strangers {
			got := spokenBy(rules.Judge(flood(c, stranger)), idOf("a"))
			if want.Tier < lore.TierValidated { // 500 from 500 networks make a pattern established
				got.Tier, got.Missing = want.Tier, want.Missing
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-before +after):\n%s", name, whose, diff)
			}
		}
	}
}

// What strangers alone say is of tier 2 at most, and nothing of it is a contribution.
func TestStrangersReachTierTwo(t *testing.T) {
	rules := DefaultRules().Promotion
	for whose, most := range map[string]lore.Tier{"500 owners from 500 networks": lore.TierCorroborated, "500 owners from one network": lore.TierRaw, "500 that are banned": lore.TierRaw} {
		c := flood(Case{Reports: pattern(nil, "n1@one"), Principal: people, Now: noon}, strangers[whose])
		ruling := rules.Judge(c)
		for id, s := range ruling.Reports {
			if s.Tier > most || s.Confirmed || s.LastConfirmedAt != nil || s.Status != "" {
				t.Fatalf("%s: %s stands as %+v", whose, id, s)
			}
		}
		if ruling.Unit != nil || ruling.Pattern != nil && ruling.Pattern.OverCorrelating {
			t.Errorf("%s: unit %+v, pattern %+v", whose, ruling.Unit, ruling.Pattern)
		}
		if tier := ruling.Reports[idOf("a")].Tier; tier != most {
			t.Errorf("%s: tier %d, want %d", whose, tier, most)
		}
	}
}

// A typed owner adds nothing and takes nothing: a case with those who type owners is judged as the same without them.
func TestWhoTypesAnOwner(t *testing.T) {
	rules := DefaultRules().Promotion
	count := func(sources ...string) [2]int {
		principals := map[string]Principal{}
		for _, source := range sources {
			principals[people(source).ID] = people(source)
		}
		standing, newcomers := independent(principals)
		return [2]int{standing, newcomers}
	}
	for name, test := range map[string]struct {
		sources []string
		want    [2]int
	}{
		"two principals of one owner, both with standing": {[]string{"q1/acme", "q2/acme"}, [2]int{1, 0}},
		"thieves":                                {[]string{"q1", "t1/q1", "t2/q1"}, [2]int{1, 0}},
		"a thief where the owner isn't":          {[]string{"t1/q1", "n1"}, [2]int{0, 1}},
		"owners of one network":                  {[]string{"n1@one", "n2@one", "n3@two"}, [2]int{0, 2}},
		"networks of one owner":                  {[]string{"n1/acme", "n2/acme", "n3"}, [2]int{0, 2}},
		"imports have no network":                {[]string{"i1", "i2", "i3/i2"}, [2]int{0, 2}},
		"who types an import's owner":            {[]string{"i1", "n1/i1", "n2/i1"}, [2]int{0, 1}},
		"the network of one with standing":       {[]string{"q1@one", "n1@one"}, [2]int{1, 1}},
		"who is banned doesn't use a network up": {[]string{"banned n1@one", "n2@one"}, [2]int{0, 1}},
	} {
		if got := count(test.sources...); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	a := idOf("a")
	// Those with standing speak of what a thief of their owner reported, as of anybody's.
	stolen := Case{Reports: pattern(nil, "t1/q1"), Outcomes: []lore.Outcome{said("q1", a, lore.ResultWorked, 2), said("q2", a, lore.ResultWorked, 2)}, Principal: people, Now: noon}
	if got := rules.Judge(stolen); got.Unit == nil || !got.Reports[a].Confirmed {
		t.Errorf("a thief's report that two found to work: %+v, unit %+v", got.Reports[a], got.Unit)
	}
	stolen = Case{Reports: pattern(nil, "t1/q1", "q1", "q2"), Principal: people, Now: noon}
	if got := rules.Judge(stolen); got.Unit == nil || got.Unit.Confidence != 0.75 || got.Unit.Evidence.Owners != 2 {
		t.Errorf("a thief's report that two repeat: %+v", got.Unit)
	}
	// A thief's words aren't a pattern's either.
	thieves := Case{Reports: pattern(nil, "t1/q1", "n1", "n2"), Principal: people, Now: noon}
	thieves.Reports[0].Score = 10
	if got := rules.Judge(thieves); got.Pattern == nil || got.Pattern.Summary == "summary of a" || got.Pattern.Owners != 2 {
		t.Errorf("a pattern with a thief: %+v", got.Pattern)
	}
}

// Of principals of one owner the one with the oldest standing is heard, whoever spoke last and in whatever order they are read.
func TestTheOldestStandingIsHeard(t *testing.T) {
	a := idOf("a")
	outcomes := []lore.Outcome{said("q1/acme", a, lore.ResultWorked, 5), said("v2/acme", a, lore.ResultUnsafe, 1), said("t3/acme", a, lore.ResultFailed, 1), said("banned q0/acme", a, lore.ResultFailed, 1)}
	for range 20 {
		slices.Reverse(outcomes)
		outcomes[0], outcomes[1] = outcomes[1], outcomes[0]
		got := DefaultRules().Promotion.Judge(Case{Reports: pattern(nil, "n1"), Outcomes: outcomes, Principal: people, Now: noon})
		if diff := cmp.Diff(&lore.Outcomes{Worked: 1}, got.Reports[a].Outcomes); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// Of a principal one source may be banned alone: the others count, in whatever order reports are read.
func TestOneSourceIsBanned(t *testing.T) {
	for _, sources := range [][]string{{"n1", "q1.x", "banned q1.y"}, {"n1", "banned q1.y", "q1.x"}} {
		if got := DefaultRules().Promotion.Judge(Case{Reports: pattern(nil, sources...), Principal: people, Now: noon}); got.Pattern == nil || got.Pattern.Owners != 2 {
			t.Errorf("%v: %+v", sources, got.Pattern)
		}
	}
	if got := DefaultRules().Promotion.Judge(Case{Reports: pattern(nil, "banned n1", "q1", "q2"), Outcomes: []lore.Outcome{
		said("q1", idOf("a"), lore.ResultWorked, 1), said("q2", idOf("a"), lore.ResultWorked, 1)}, Principal: people, Now: noon}); got.Reports[idOf("a")].Tier != lore.TierRaw {
		t.Errorf("a report of who is banned stands as %+v", got.Reports[idOf("a")])
	}
}

// another gives the second of reports another fix.
func another(reports []lore.Report) []lore.Report {
	reports[1].Resolution = "Another fix."
	return reports
}

// What is a contribution, and what isn't, of which report.
func TestContributions(t *testing.T) {
	a, b := idOf("a"), idOf("b")
	worked := func(sources ...string) (outcomes []lore.Outcome) {
		for _, source := range sources {
			outcomes = append(outcomes, said(source, b, lore.ResultWorked, 1))
		}
		return outcomes
	}
	for name, test := range map[string]struct {
		reports  []lore.Report
		outcomes []lore.Outcome
		a, b     bool
	}{
		"two with standing say it afterwards":         {pattern(nil, "n1", "q1", "q2"), nil, true, false},
		"one says it twice":                           {pattern(nil, "n1", "q1", "q1"), nil, false, false},
		"two principals of one owner say it":          {pattern(nil, "n1", "q1/acme", "q2/acme"), nil, false, false},
		"a ring, however large":                       {pattern(nil, "n1", "n2", "n3", "n4", "n5"), worked("n1", "n3", "n4", "n5"), false, false},
		"a copy of what those with standing said":     {pattern(nil, "q1", "n1", "q2"), nil, false, false},
		"a copy of what they say again":               {pattern(nil, "q1", "n1", "q2", "q1", "q3"), nil, true, false},
		"a copy of what a newcomer said just before":  {pattern(nil, "n1", "n2", "q1", "q2"), nil, true, false},
		"a copy that two with standing found to work": {pattern(nil, "n1", "n2"), worked("q1", "q2"), true, false},
		"another fix that two found to work":          {another(pattern(nil, "n1", "n2")), worked("q1", "q2"), false, true},
		"two who earned their standing found it":      {another(pattern(nil, "n1", "n2")), worked("e1", "e2"), false, false},
		"the first with a problem, without a fix":     {pattern(unresolved, "n1", "q1", "q2"), nil, false, false},
		"and one alone did":                           {pattern(nil, "n1", "n2"), worked("q1", "n3"), false, false},
		"those with standing said so before":          {[]lore.Report{reported("a", "n1", 1), reported("b", "q1", 2), reported("c", "q2", 3)}, nil, false, false},
		"a source that is banned, or who repeats it":  {pattern(nil, "banned n1", "q1", "q2", "q3"), nil, false, false},
		"those who confirmed are banned":              {pattern(nil, "n1", "banned q1", "banned q2"), nil, false, false},
	} {
		got := DefaultRules().Promotion.Judge(Case{Reports: test.reports, Outcomes: test.outcomes, Principal: people, Now: noon})
		if got.Reports[a].Confirmed != test.a || got.Reports[b].Confirmed != test.b {
			t.Errorf("%s: a %t, b %t; want %t, %t", name, got.Reports[a].Confirmed, got.Reports[b].Confirmed, test.a, test.b)
		}
	}
}

// A ban takes back what was said, and without it all is as it was.
func TestABanTakesBack(t *testing.T) {
	rules := DefaultRules().Promotion
	c := Case{Reports: pattern(nil, "n1", "q1", "q2"), Principal: people, Now: noon}
	active := rules.Judge(c).Unit
	c.Unit = active
	attack := c
	attack.Outcomes = []lore.Outcome{said("q7", active.ID, lore.ResultUnsafe, 1), said("q8", active.ID, lore.ResultUnsafe, 1)}
	attack.Flags = []lore.SafetyFlag{raised("q7", active.ID, lore.FlagOpen, 1), raised("q8", active.ID, lore.FlagOpen, 1)}
	if got := rules.Judge(attack); got.Unit.Status != lore.UnitWithdrawn {
		t.Fatalf("two with standing call it unsafe: %+v", got.Unit)
	}
	banned := attack
	banned.Principal = func(source string) Principal {
		p := people(source)
		p.Banned = p.ID == "q7" || p.ID == "q8"
		return p
	}
	if diff := cmp.Diff(rules.Judge(c), rules.Judge(banned)); diff != "" {
		t.Errorf("with those banned it isn't as without them (-without +banned):\n%s", diff)
	}
}

// A copy with a poisoned resolution gives it to nobody's report, neither before nor after it is knowledge.
func TestNobodySuppliesAnothersResolution(t *testing.T) {
	trials := []lore.Outcome{said("q3", idOf("a"), lore.ResultWorked, 3), said("q4", idOf("a"), lore.ResultWorked, 2)}
	for name, reports := range map[string][]lore.Report{
		"of those with standing":         {reported("a", "q1", 9, unresolved), reported("b", "n2", 8)},
		"of a newcomer, which works":     {reported("a", "n1", 9, unresolved), reported("b", "n2", 8)},
		"which the thief says once more": {reported("a", "n1", 9, unresolved), reported("b", "t2/q3", 8), reported("c", "t2/q3", 7)},
	} {
		got := DefaultRules().Promotion.Judge(Case{Reports: reports, Outcomes: trials, Principal: people, Now: noon})
		if got.Unit != nil || got.Pattern != nil && got.Pattern.Resolution != "" {
			t.Errorf("%s: unit %+v, pattern %+v", name, got.Unit, got.Pattern)
		}
	}
}

// The same case in any order gives the same ruling.
func TestOrderDoesNotMatter(t *testing.T) {
	c := flood(Case{Reports: pattern(nil, "n1", "q1.x", "banned q1.y", "q2/acme", "q3/acme", "t1/q1", "i1"), Principal: people, Now: noon}, func(i int) string { return fmt.Sprintf("s%d/o%d@w%d", i, i%7, i%5) })
	want := DefaultRules().Promotion.Judge(c)
	slices.Reverse(c.Reports)
	slices.Reverse(c.Outcomes)
	slices.Reverse(c.Flags)
	if diff := cmp.Diff(want, DefaultRules().Promotion.Judge(c)); diff != "" {
		t.Errorf("(-one way +the other):\n%s", diff)
	}
}

// A pattern of thousands is judged in the time that its size asks for.
func BenchmarkJudgeLargePattern(b *testing.B) {
	c := Case{Principal: people, Now: noon}
	for i := range 4000 {
		c.Reports = append(c.Reports, reported(fmt.Sprint("large ", i), fmt.Sprintf("%s%d", []string{"n", "q"}[i%2], i/20), 20-i%20))
	}
	for b.Loop() {
		DefaultRules().Promotion.Judge(c)
	}
}
