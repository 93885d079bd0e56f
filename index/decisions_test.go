package index

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

func TestDecisionsAreAddedAndNeverChanged(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	subject := lore.Target{Collection: lore.KnowledgeUnits, ID: lore.NewID()}
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	withdrawn := lore.Decision{ID: lore.NewID(), Subject: subject, Verdict: lore.VerdictWithdraw, Who: "dana", Why: "wrong since v3", At: at}
	restored := lore.Decision{
		ID: lore.NewID(), Subject: subject, Verdict: lore.VerdictRestore, Object: &lore.Target{Collection: lore.Patterns, ID: lore.NewID()},
		Others: []string{lore.NewID()}, Who: "eve", Why: "key 0x" + strings.Repeat("5f", 32), At: at.Add(time.Hour),
	}
	for _, decision := range []lore.Decision{restored, withdrawn} {
		if err := client.RecordDecisions(t.Context(), clean(t, decision)); err != nil {
			t.Fatal(err)
		}
	}
	changed := withdrawn
	changed.Why = "something else"
	if err := client.RecordDecisions(t.Context(), clean(t, changed)); err != nil {
		t.Fatal(err)
	}
	refresh(t, client, DecisionsIndex)
	restored.Why = "key [SCRUBBED]"
	var all, recent []lore.Decision
	collect := func(into *[]lore.Decision) func(lore.Decision) error {
		return func(decision lore.Decision) error { *into = append(*into, decision); return nil }
	}
	if err := client.EachDecision(t.Context(), lore.DecisionFilter{Subjects: []string{subject.ID}}, collect(&all)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]lore.Decision{withdrawn, restored}, all); diff != "" {
		t.Errorf("all of a subject, oldest first, as first recorded, scrubbed (-want +got):\n%s", diff)
	}
	filter := lore.DecisionFilter{Since: at.Add(time.Minute), Verdicts: []lore.Verdict{lore.VerdictRestore, lore.VerdictWithdraw}, Subjects: []string{subject.ID}}
	err := client.EachDecision(t.Context(), filter, collect(&recent))
	if err != nil || len(recent) != 1 || recent[0].ID != restored.ID {
		t.Errorf("since: %v, %v", recent, err)
	}
}
