package accounts

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
	"agentlore/scrubber"
)

func trialOf(t *testing.T, target lore.Target, result lore.Result, note string) scrubber.Scrubbed[lore.Trial] {
	t.Helper()
	return indextest.Clean(t, lore.Trial{Item: lore.Item{Target: &target}, Result: result, Note: note})
}

// allOutcomes returns the outcomes on items, without their notes' order mattering.
func allOutcomes(t *testing.T, o *index.Outcomes, ids ...string) []lore.Outcome {
	t.Helper()
	indextest.Refresh(t, o.Client, index.OutcomesIndex)
	all, err := index.ReadAll[lore.Outcome](t.Context(), o.Client, o.Client.Alias(index.OutcomesIndex), index.TermsQuery("target.id", ids), index.ByTime)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTheLastWordOfASourceCounts(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	o := index.NewOutcomes(client, openAccounts(t, client))
	a := openAccounts(t, client)
	author := identityOf(mustRegister(t, a, "Outcome Author", "x"))
	sibling := identityOf(mustRegister(t, a, "Outcome Sibling", "y", func(e *lore.Enrolment) { e.Joins = bearerOf(t, a, "Outcome Author") }))
	reader := identityOf(mustRegister(t, a, "Outcome Reader", "x")) // the same owner's text is nobody's proof
	indextest.Refresh(t, client, index.AccountsIndex)
	item := lore.Target{Collection: lore.Submissions, ID: lore.NewID()}
	indextest.Put(t, client, lore.Submissions, map[string]any{"id": item.ID, "source_id": author.SourceID})
	unit := lore.Target{Collection: lore.KnowledgeUnits, ID: lore.NewID()}
	given := lore.NewID()
	indextest.Put(t, client, lore.KnowledgeUnits, map[string]any{"id": unit.ID, "fix_from": map[string]any{"id": given}})
	indextest.Put(t, client, lore.Submissions, map[string]any{"id": given, "source_id": author.SourceID, "knowledge_unit_id": unit.ID, "resolution": "Wait."})
	indextest.Refresh(t, client, lore.Submissions)
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)

	first, earlier, changed, err := o.Report(t.Context(), trialOf(t, item, lore.ResultWorked, ""), reader, at)
	if err != nil || !changed || earlier != nil || first.Result != lore.ResultWorked {
		t.Fatalf("the first word: %+v, %v, %v, %v", first, earlier, changed, err)
	}
	again, _, changed, err := o.Report(t.Context(), trialOf(t, item, lore.ResultWorked, ""), reader, at.Add(time.Hour))
	if err != nil || changed || !again.At.Equal(at) {
		t.Errorf("the same again: %+v, changed %v, %v; want the first, unchanged", again, changed, err)
	}
	last, earlier, changed, err := o.Report(t.Context(), trialOf(t, item, lore.ResultFailed, "on v2"), reader, at.Add(2*time.Hour))
	if err != nil || !changed || earlier == nil || earlier.Result != lore.ResultWorked {
		t.Errorf("another word: %+v, %+v, %v, %v", last, earlier, changed, err)
	}
	if _, _, _, err := o.Report(t.Context(), trialOf(t, unit, lore.ResultUnsafe, ""), reader, at); err != nil {
		t.Error(err)
	}
	stored := allOutcomes(t, o, item.ID)
	if diff := cmp.Diff([]lore.Outcome{last}, stored); diff != "" {
		t.Errorf("one document a source and item, the last word (-want +got):\n%s", diff)
	}
	if both := allOutcomes(t, o, item.ID, given); len(both) != 2 { // what is said of a unit is of the report whose fix it shows
		t.Errorf("%d outcomes of two items, want 2", len(both))
	}
	for name, c := range map[string]struct {
		target lore.Target
		who    lore.Identity
		code   lore.Code
	}{
		"one's own":                      {item, author, lore.CodeOwnItem},
		"another source of one's own":    {item, sibling, lore.CodeOwnItem},
		"a unit of another of one's own": {unit, sibling, lore.CodeOwnItem},
		"an unknown item":                {lore.Target{Collection: lore.Submissions, ID: lore.NewID()}, reader, lore.CodeNotFound},
		"an item of another collection":  {lore.Target{Collection: lore.KnowledgeUnits, ID: item.ID}, reader, lore.CodeNotFound},
		"a collection without outcomes":  {lore.Target{Collection: lore.Assets, ID: item.ID}, reader, lore.CodeInvalidField},
		"an id that can't be one of any": {lore.Target{Collection: lore.Submissions, ID: "x"}, reader, lore.CodeNotFound},
	} {
		if _, _, _, err := o.Report(t.Context(), trialOf(t, c.target, lore.ResultWorked, ""), c.who, at); lore.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// Whatever the order, simultaneous words of a source leave one document, and it is one of them.
func TestSimultaneousOutcomesLeaveOne(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	o := index.NewOutcomes(client, openAccounts(t, client))
	item := lore.Target{Collection: lore.Submissions, ID: lore.NewID()}
	indextest.Put(t, client, lore.Submissions, map[string]any{"id": item.ID, "source_id": lore.NewID()})
	reader := lore.Identity{SourceID: lore.NewID(), Principal: lore.NewID()}
	var group sync.WaitGroup
	for i := range 16 {
		trial := trialOf(t, item, []lore.Result{lore.ResultWorked, lore.ResultFailed}[i%2], "")
		group.Go(func() {
			if _, _, _, err := o.Report(t.Context(), trial, reader, time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if stored := allOutcomes(t, o, item.ID); len(stored) != 1 {
		t.Errorf("%d documents, want 1", len(stored))
	}
}
