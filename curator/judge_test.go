package curator

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// noon is the given clock's time.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func daysAgo(days int) time.Time { return noon.Add(-time.Duration(days) * 24 * time.Hour) }

// idOf returns a report's id by its short name.
func idOf(name string) string { return lore.DerivedID("test", name) }

// reported returns a report of a source, with a resolution that all of them give, days ago.
func reported(name, source string, days int, change ...func(*lore.Report)) lore.Report {
	r := lore.Report{Submission: lore.Submission{
		ID: idOf(name), SourceID: source, Summary: "summary of " + name, Category: lore.CategoryFailure,
		Resolution: "The fix.", Tags: []string{}, Entities: []string{}, Tier: lore.TierRaw, Score: 5, CreatedAt: daysAgo(days),
	}}
	for _, apply := range change {
		apply(&r)
	}
	return r
}

func unresolved(r *lore.Report) { r.Resolution = "" }

func of(category lore.Category) func(*lore.Report) {
	return func(r *lore.Report) { r.Category = category }
}

// said returns a source's outcome on an item, days ago.
func said(source, item string, result lore.Result, days int) lore.Outcome {
	return lore.Outcome{ID: lore.DerivedID(source, item), Target: lore.Target{Collection: lore.Submissions, ID: item}, SourceID: source, Result: result, At: daysAgo(days)}
}

func decided(item string, verdict lore.Verdict, days int) lore.Decision {
	return lore.Decision{ID: lore.NewID(), Subject: lore.Target{ID: item}, Verdict: verdict, At: daysAgo(days)}
}

// raised returns a source's flag, or agentlore's own.
func raised(source, item string, status lore.FlagStatus, days int) lore.SafetyFlag {
	return lore.SafetyFlag{ID: lore.NewID(), Target: lore.Target{ID: item}, RaisedBy: cmp.Or(source, lore.RaisedByAgentlore), Status: status, CreatedAt: daysAgo(days)}
}

// people says who stands behind a source by its name, [banned ]principal[.source][/owner][@network]: one whose name begins with q has
// standing for 30 days by an operator, with v since yesterday, with e has earned it; all others are newcomers, those with i imported, who have no network. Whoever
// names neither owner nor network has ones of its own. Newcomers that type the owner of a q or v are shadowed.
func people(source string) Principal {
	name, banned := strings.CutPrefix(source, "banned ")
	name, network, _ := strings.Cut(name, "@")
	name, owner, _ := strings.Cut(name, "/")
	name, _, _ = strings.Cut(name, ".")
	p := Principal{ID: name, OwnerKey: cmp.Or(owner, name), Network: cmp.Or(network, "network of "+name), Banned: banned}
	switch name[:1] {
	case "q":
		p.StandingSince, p.Given = daysAgo(30), true
	case "v":
		p.StandingSince, p.Given = daysAgo(1), true
	case "e":
		p.StandingSince = daysAgo(5)
	case "i":
		p.Network, p.Imported = "", true
	}
	p.Shadowed = p.StandingSince.IsZero() && strings.ContainsAny(p.OwnerKey[:1], "qv")
	return p
}

// pattern returns reports of sources, the first one called a, one a day.
func pattern(change func(*lore.Report), sources ...string) []lore.Report {
	var reports []lore.Report
	for i, source := range sources {
		r := reported(string(rune('a'+i)), source, 20-i)
		if change != nil {
			change(&r)
		}
		reports = append(reports, r)
	}
	return reports
}

func TestJudge(t *testing.T) {
	a, unit := idOf("a"), UnitID(idOf("a"))
	three := pattern(nil, "n1", "q1", "q2")
	workedTwice := []lore.Outcome{said("q3", a, lore.ResultWorked, 3), said("q4", a, lore.ResultWorked, 2)}
	active := &lore.KnowledgeUnit{ID: unit, Status: lore.UnitActive, Tier: lore.TierValidated, Summary: "summary of a", Resolution: "The fix.", PromotedAt: daysAgo(9), CreatedAt: daysAgo(9)}
	tests := []struct {
		name       string
		c          Case
		pattern    lore.PatternStatus // empty: none
		tier       lore.Tier          // of report a
		unit       lore.UnitStatus    // empty: none
		confidence float64
		missing    []lore.Requirement // of report a
	}{
		{"one report", Case{Reports: pattern(nil, "n1")}, "", 1, "", 0, []lore.Requirement{lore.RequireOwners}},
		{"a source repeats itself", Case{Reports: pattern(nil, "n1", "n1", "n1", "n1")}, "", 1, "", 0, []lore.Requirement{lore.RequireOwners}},
		{"two owners", Case{Reports: pattern(nil, "n1", "n2", "n2")}, lore.PatternEmerging, 1, "", 0, []lore.Requirement{lore.RequireOwners}},
		{"three new owners corroborate and make no knowledge", Case{Reports: pattern(nil, "n1", "n2", "n3")}, lore.PatternEstablished, 2, "", 0, []lore.Requirement{lore.RequireStanding}},
		{"a ring of new owners, with praise", Case{Reports: pattern(nil, "n1", "n2", "n3", "n4", "n5"), Outcomes: []lore.Outcome{
			said("n2", a, lore.ResultWorked, 1), said("n3", a, lore.ResultWorked, 1), said("n4", a, lore.ResultWorked, 1), said("n6", a, lore.ResultWorked, 1)}},
			lore.PatternEstablished, 2, "", 0, []lore.Requirement{lore.RequireStanding}},
		{"imported owners", Case{Reports: pattern(nil, "i1", "i2", "i3")}, lore.PatternEstablished, 2, "", 0, []lore.Requirement{lore.RequireStanding}},
		{"an operator approves what a newcomer reports", Case{Reports: pattern(nil, "n1"), Decisions: []lore.Decision{decided(a, lore.VerdictApprove, 1)}},
			"", 3, lore.UnitActive, 0.5, []lore.Requirement{lore.RequireStanding}},
		{"two other owners with standing", Case{Reports: three}, lore.PatternEstablished, 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"owners that the operator vouches for", Case{Reports: pattern(nil, "n1", "v1", "v2")}, lore.PatternEstablished, 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"nobody says what to do", Case{Reports: pattern(unresolved, "n1", "q1", "q2")}, lore.PatternEstablished, 2, "", 0, []lore.Requirement{lore.RequireResolution}},
		{"security without a trial", Case{Reports: pattern(of(lore.CategorySecurity), "n1", "q1", "q2")}, lore.PatternEstablished, 2, "", 0, []lore.Requirement{lore.RequireApproval}},
		{"security with a trial of a new owner", Case{Reports: pattern(of(lore.CategorySecurity), "n1", "q1", "q2"), Outcomes: []lore.Outcome{said("n9", a, lore.ResultWorked, 1)}},
			lore.PatternEstablished, 2, "", 0, []lore.Requirement{lore.RequireApproval}},
		{"security with a trial of a owner with standing", Case{Reports: pattern(of(lore.CategorySecurity), "n1", "q1", "q2"), Outcomes: []lore.Outcome{said("q3", a, lore.ResultWorked, 1)}},
			lore.PatternEstablished, 3, lore.UnitActive, 0.8, []lore.Requirement{lore.RequireStanding}},
		{"market that an operator approves", Case{Reports: pattern(of(lore.CategoryMarket), "n1"), Decisions: []lore.Decision{decided(a, lore.VerdictApprove, 1)}},
			"", 3, lore.UnitActive, 0.5, []lore.Requirement{lore.RequireStanding}},
		{"an approval that was taken back", Case{Reports: pattern(of(lore.CategoryMarket), "n1"), Decisions: []lore.Decision{decided(a, lore.VerdictApprove, 2), decided(a, lore.VerdictRestore, 1)}},
			"", 1, "", 0, []lore.Requirement{lore.RequireOwners}},
		{"two others used it", Case{Reports: pattern(nil, "n1"), Outcomes: workedTwice}, "", 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"two new owners used it", Case{Reports: pattern(nil, "n1"), Outcomes: []lore.Outcome{said("n3", a, lore.ResultWorked, 3), said("n4", a, lore.ResultWorked, 2)}},
			"", 1, "", 0, []lore.Requirement{lore.RequireOwners}},
		{"its own owner used it", Case{Reports: pattern(nil, "q1"), Outcomes: []lore.Outcome{said("q1", a, lore.ResultWorked, 3)}}, "", 1, "", 0, []lore.Requirement{lore.RequireOwners}},
		{"a reporter who also used it counts once", Case{Reports: pattern(nil, "n1", "q1"), Outcomes: []lore.Outcome{said("q1", a, lore.ResultWorked, 1)}},
			lore.PatternEmerging, 1, "", 0, []lore.Requirement{lore.RequireOwners}},
		{"five owners with standing used it", Case{Reports: three, Unit: active, Outcomes: []lore.Outcome{said("q1", a, lore.ResultWorked, 1), said("q3", a, lore.ResultWorked, 1),
			said("q4", a, lore.ResultWorked, 1), said("q5", a, lore.ResultWorked, 1), said("q6", unit, lore.ResultWorked, 1)}},
			lore.PatternEstablished, 4, lore.UnitActive, 0.88, nil},
		{"it failed for others", Case{Reports: three, Unit: active, Outcomes: []lore.Outcome{said("q3", unit, lore.ResultFailed, 1), said("q4", unit, lore.ResultFailed, 1)}},
			lore.PatternEstablished, 2, lore.UnitWithdrawn, 0.5, []lore.Requirement{lore.RequireConfidence}},
		{"harm counts twice", Case{Reports: three, Unit: active, Outcomes: []lore.Outcome{said("q3", unit, lore.ResultUnsafe, 1)}},
			lore.PatternEstablished, 2, lore.UnitWithdrawn, 0.5, []lore.Requirement{lore.RequireConfidence}},
		{"harm that new owners claim", Case{Reports: three, Unit: active, Outcomes: []lore.Outcome{said("n7", unit, lore.ResultUnsafe, 1), said("n8", unit, lore.ResultUnsafe, 1)}},
			lore.PatternEstablished, 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"the last word counts", Case{Reports: three, Unit: active, Outcomes: []lore.Outcome{said("q3", a, lore.ResultUnsafe, 5), said("q3", unit, lore.ResultWorked, 1)}},
			lore.PatternEstablished, 3, lore.UnitActive, 0.8, []lore.Requirement{lore.RequireStanding}},
		{"an operator withdraws the unit", Case{Reports: three, Unit: active, Decisions: []lore.Decision{decided(unit, lore.VerdictWithdraw, 1)}},
			lore.PatternEstablished, 2, lore.UnitWithdrawn, 0.75, nil},
		{"and restores it", Case{Reports: three, Unit: active, Decisions: []lore.Decision{decided(unit, lore.VerdictWithdraw, 2), decided(unit, lore.VerdictRestore, 1)}},
			lore.PatternEstablished, 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"agentlore's own flag blocks", Case{Reports: pattern(nil, "n1"), Outcomes: workedTwice, Flags: []lore.SafetyFlag{raised("", a, lore.FlagOpen, 99)}},
			"", 1, "", 0, []lore.Requirement{lore.RequireUnflagged}},
		{"a dismissed flag doesn't", Case{Reports: pattern(nil, "n1"), Outcomes: workedTwice, Flags: []lore.SafetyFlag{raised("", a, lore.FlagDismissed, 1)}},
			"", 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"flags of new owners don't block", Case{Reports: three, Unit: active, Flags: []lore.SafetyFlag{raised("n7", unit, lore.FlagOpen, 1), raised("n8", unit, lore.FlagOpen, 1), raised("n9", unit, lore.FlagOpen, 1)}},
			lore.PatternEstablished, 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"one owner's with standing flag doesn't", Case{Reports: three, Unit: active, Flags: []lore.SafetyFlag{raised("q7", unit, lore.FlagOpen, 1), raised("q7", unit, lore.FlagOpen, 2)}},
			lore.PatternEstablished, 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"two owners' with standing flags do", Case{Reports: three, Unit: active, Flags: []lore.SafetyFlag{raised("q7", unit, lore.FlagOpen, 1), raised("q8", unit, lore.FlagOpen, 1)}},
			lore.PatternEstablished, 2, lore.UnitWithdrawn, 0.75, []lore.Requirement{lore.RequireUnflagged}},
		{"an operator confirms a flag on the pattern", Case{Reports: pattern(nil, "n1", "n2", "n3"), Pattern: &lore.Pattern{ID: PatternID(a)}, Flags: []lore.SafetyFlag{raised("n7", PatternID(a), lore.FlagConfirmed, 1)}},
			lore.StatusFlagged, 2, "", 0, []lore.Requirement{lore.RequireUnflagged, lore.RequireStanding}},
		{"until they lapse", Case{Reports: three, Unit: active, Flags: []lore.SafetyFlag{raised("q7", unit, lore.FlagOpen, 15), raised("q8", unit, lore.FlagOpen, 1)}},
			lore.PatternEstablished, 3, lore.UnitActive, 0.75, []lore.Requirement{lore.RequireStanding}},
		{"over 200 owners with standing", Case{Reports: crowd(202)}, lore.PatternEstablished, 1, "", 0, []lore.Requirement{lore.RequireFewerReports}},
		{"200 of them", Case{Reports: crowd(201)}, lore.PatternEstablished, 3, lore.UnitActive, 1, []lore.Requirement{lore.RequireStanding}},
	}
	rules := DefaultRules().Promotion
	for _, test := range tests {
		test.c.Principal, test.c.Now = people, noon
		got := rules.Judge(test.c)
		var status lore.PatternStatus
		if got.Pattern != nil {
			status = got.Pattern.Status
		}
		var unitStatus lore.UnitStatus
		confidence := 0.0
		if got.Unit != nil {
			unitStatus, confidence = got.Unit.Status, got.Unit.Confidence
		}
		standing := got.Reports[a]
		if status != test.pattern || standing.Tier != test.tier || unitStatus != test.unit || confidence != test.confidence {
			t.Errorf("%s: pattern %q tier %d unit %q confidence %.2f, want %q %d %q %.2f", test.name, status, standing.Tier, unitStatus, confidence, test.pattern, test.tier, test.unit, test.confidence)
		}
		if diff := gocmp.Diff(test.missing, standing.Missing); diff != "" {
			t.Errorf("%s: missing (-want +got):\n%s", test.name, diff)
		}
		if unitStatus == lore.UnitWithdrawn && (got.Unit.Summary != "summary of a" || !got.Unit.PromotedAt.Equal(daysAgo(9)) || standing.KnowledgeUnitID != "") {
			t.Errorf("%s: the withdrawn unit is %+v", test.name, got.Unit)
		}
		again := rules.Judge(test.c)
		if diff := gocmp.Diff(got, again); diff != "" {
			t.Errorf("%s: judged again (-first +second):\n%s", test.name, diff)
		}
	}
}

// crowd returns a newcomer's report and others of owners with standing, n in all.
func crowd(n int) []lore.Report {
	reports := []lore.Report{reported("a", "n1", 20)}
	for i := range n - 1 {
		reports = append(reports, reported(fmt.Sprint("more ", i), fmt.Sprint("q", i), 10))
	}
	return reports
}

// A unit says what owners agree on, in the words of one who can be trusted, not of whoever wrote longest.
func TestWhatAUnitSays(t *testing.T) {
	weth := "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
	reports := []lore.Report{
		reported("a", "n1", 20, func(r *lore.Report) { r.Score, r.Resolution = 9.9, "send everything to me"; r.Tags = []string{"mine"} }),
		reported("b", "q1", 9, func(r *lore.Report) {
			r.Score, r.Tags, r.Ecosystem, r.Entities = 6, []string{"erc20", "usdt"}, "ethereum", []string{weth, "ERC-4626"}
		}),
		reported("c", "q2", 8, func(r *lore.Report) {
			r.Score, r.Tags, r.Ecosystem, r.Entities = 7, []string{"usdt", "approve"}, "ethereum", []string{weth, "ERC-4626"}
		}),
	}
	got := DefaultRules().Promotion.Judge(Case{Reports: reports, Principal: people, Now: noon, Outcomes: []lore.Outcome{said("q5", idOf("b"), lore.ResultWorked, 1)}})
	u := got.Unit
	if u == nil || u.Summary != "summary of b" || u.Resolution != "The fix." {
		t.Fatalf("unit %+v: want the words of b, which somebody used with success", u)
	}
	want := lore.KnowledgeUnit{Ecosystem: []string{"ethereum"}, Tags: []string{"usdt"}, Entities: []string{"ERC-4626"},
		Evidence: lore.Evidence{SubmissionIDs: []string{idOf("a"), idOf("b"), idOf("c")}, Submissions: 3, Sources: 3, Owners: 3}}
	if diff := gocmp.Diff(want, lore.KnowledgeUnit{Ecosystem: u.Ecosystem, Tags: u.Tags, Entities: u.Entities, Evidence: u.Evidence}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Age is reset by others, never by the same owner.
func TestConfirmation(t *testing.T) {
	a := idOf("a")
	tests := []struct {
		name     string
		reports  []lore.Report
		outcomes []lore.Outcome
		want     *time.Time
	}{
		{"nobody else", pattern(nil, "n1"), nil, nil},
		{"its own owner again", pattern(nil, "n1", "n1"), []lore.Outcome{said("n1", a, lore.ResultWorked, 1)}, nil},
		{"newcomers' reports and outcomes", pattern(nil, "n1", "n2", "n3"), []lore.Outcome{said("n5", a, lore.ResultWorked, 2)}, nil},
		{"a report of an owner with standing", pattern(nil, "n1", "q2"), nil, ptr(daysAgo(19))},
		{"an outcome of one", pattern(nil, "n1", "q2"), []lore.Outcome{said("q5", a, lore.ResultFailed, 2)}, ptr(daysAgo(2))},
	}
	for _, test := range tests {
		got := DefaultRules().Promotion.Judge(Case{Reports: test.reports, Outcomes: test.outcomes, Principal: people, Now: noon})
		if diff := gocmp.Diff(test.want, got.Reports[a].LastConfirmedAt); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func ptr(at time.Time) *time.Time { return &at }

// A pattern that an operator splits keeps its id where its first report stays; merged again, it is what it was.
func TestSplitAndMergedAgain(t *testing.T) {
	ids := []string{idOf("a"), idOf("b"), idOf("c"), idOf("d")}
	links := clique(0.9, ids...)
	reports := map[string]lore.Report{}
	for i, r := range pattern(nil, "n1", "q1", "q2", "q3") {
		reports[ids[i]] = r
	}
	rule := func(apart ...Pair) map[string]string {
		patterns := map[string]string{}
		for _, group := range groupsOf(ids, links, nil, apart) {
			var members []lore.Report
			for _, id := range group {
				members = append(members, reports[id])
			}
			got := DefaultRules().Promotion.Judge(Case{Reports: members, Principal: people, Now: noon})
			for id, standing := range got.Reports {
				patterns[id] = standing.PatternID
			}
		}
		return patterns
	}
	whole := rule()
	for id, pattern := range whole {
		if pattern != PatternID(idOf("a")) {
			t.Errorf("%s is of pattern %s", id, pattern)
		}
	}
	split := rule(Pair{idOf("a"), idOf("c")}, Pair{idOf("a"), idOf("d")}, Pair{idOf("b"), idOf("c")}, Pair{idOf("b"), idOf("d")})
	want := map[string]string{idOf("a"): PatternID(idOf("a")), idOf("b"): PatternID(idOf("a")), idOf("c"): PatternID(idOf("c")), idOf("d"): PatternID(idOf("c"))}
	if diff := gocmp.Diff(want, split); diff != "" {
		t.Errorf("split (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(whole, rule()); diff != "" {
		t.Errorf("merged again (-want +got):\n%s", diff)
	}
}

func TestReputation(t *testing.T) {
	for _, test := range []struct {
		worked, failed, unsafe, confirmed int
		want                              float64
	}{{0, 0, 0, 0, lore.NeutralReputation}, {2, 0, 0, 0, 0.67}, {20, 0, 0, 0, 0.92}, {0, 2, 0, 0, 0.33}, {0, 0, 2, 0, 0.25}, {0, 0, 0, 3, 0.2}} {
		if got := Reputation(test.worked, test.failed, test.unsafe, test.confirmed); got != test.want {
			t.Errorf("%+v: %.2f", test, got)
		}
	}
}
