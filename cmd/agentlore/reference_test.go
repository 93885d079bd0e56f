package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/enginetest"
	"agentlore/reference"
)

// A unit of the reference library loses confidence and is withdrawn as agents with standing find that it fails, comes back as they find
// that it works, and stays what it is whatever strangers say, whatever reports come, and when the library is imported again.
func TestReferenceUnitsAreBorneOutOrWithdrawn(t *testing.T) {
	t.Parallel()
	g := gaming{t, serve(t, enginetest.Prefix(t), behindProxy)}
	if printed := lever(t, g.s.prefix, "import", "--reference"); !strings.HasPrefix(printed, "reference library: ") {
		t.Fatalf("the import says %q", printed)
	}
	entries, err := reference.Entries()
	if err != nil {
		t.Fatal(err)
	}
	entry, other := entries[0], entries[1]
	unit := reference.UnitID(entry.ID)
	var veterans, strangers []agent
	for i := range 6 {
		veterans = append(veterans, g.source(fmt.Sprintf("veteran-%d", i), fmt.Sprintf("veteran owner %d", i)))
		strangers = append(strangers, g.source(fmt.Sprintf("stranger-%d", i), fmt.Sprintf("stranger owner %d", i)))
	}
	strangers = append(strangers, g.source("thief", "veteran owner 0"))
	g.vouch(veterans...)
	say := func(result string, agents ...agent) func() {
		return func() {
			for _, a := range agents {
				if status := g.tell(a, "knowledge-units", unit, result); status != 200 && status != 201 {
					t.Fatalf("%s: status %d", a.name, status)
				}
			}
		}
	}
	report := func() { // in the entry's own words: a pattern and knowledge of their own come of it
		for i, a := range veterans[:4] {
			g.report(a, entry.Title, fmt.Sprintf("%s Seen by agent %d.", entry.Cause, i), entry.Fix)
		}
	}
	review := func(verdict string) func() { return func() { g.operate("review", verdict, unit) } }
	again := func() {
		if printed := lever(t, g.s.prefix, "import", "--reference"); !strings.Contains(printed, " 0 added, 0 updated, 0 withdrawn") {
			t.Errorf("imported again it says %q", printed)
		}
	}
	untouched := g.item("/knowledge/" + reference.UnitID(other.ID))
	for _, step := range []struct {
		name string
		does func()
		want string
	}{
		{"imported", func() {}, "active 0.8 []"},
		{"reports say the same", report, "active 0.8 []"},
		{"strangers call it unsafe", say("unsafe", strangers...), "active 0.8 []"},
		{"strangers flag it", func() {
			for _, a := range strangers {
				g.flag(a, "knowledge-units", unit, "incorrect")
			}
		}, "active 0.8 []"},
		{"two with standing found that it fails", say("failed", veterans[:2]...), "active 0.57 []"},
		{"and two more", say("failed", veterans[2:4]...), "active 0.44 [] disputed"},
		{"the library is imported again", again, "active 0.44 [] disputed"},
		{"one of those stood corrected", say("worked", veterans[0]), "active 0.56 []"},
		{"one of those loses its standing", func() { g.operate("unvouch", veterans[1].id) }, "active 0.63 []"},
		{"an operator withdraws it", review("withdraw"), "withdrawn 0.63 [approval]"},
		{"and takes that back", review("restore"), "active 0.63 []"},
		{"two with standing warn of it", func() {
			for _, a := range veterans[4:] {
				g.flag(a, "knowledge-units", unit, "incorrect")
			}
		}, "active 0.63 [] disputed"},
	} {
		step.does()
		g.curate()
		stored := g.item("/knowledge/" + unit)
		missing, _ := stored["missing"].([]any)
		got := fmt.Sprint(stored["status"], " ", stored["confidence"], " ", missing)
		if stored["disputed"] == true {
			got += " disputed"
		}
		if got != step.want {
			t.Fatalf("%s: it is %q, want %q", step.name, got, step.want)
		}
		if stored["summary"] != entry.Title || stored["resolution"] != entry.Fix {
			t.Fatalf("%s: its words are %v", step.name, stored)
		}
	}
	if patterns := decode[page](t, g.s.get(t, "/patterns").want(t, 200)).Results; len(patterns) != 1 || patterns[0]["report_count"] != float64(4) {
		t.Error("the reports that say the same are no pattern of their own")
	}
	if diff := cmp.Diff(untouched, g.item("/knowledge/"+reference.UnitID(other.ID))); diff != "" {
		t.Errorf("one that nothing was said of: %s", diff)
	}
}
