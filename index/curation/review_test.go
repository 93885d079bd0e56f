package curation

import (
	"testing"

	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// A pattern whose flag is dismissed is what its owners make it: established with three of them.
func TestAPatternIsRestoredToWhatItWas(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	review := NewReview(client)
	for owners, want := range map[int]lore.PatternStatus{2: lore.PatternEmerging, 3: lore.PatternEstablished, 12: lore.PatternEstablished} {
		pattern := lore.Pattern{ID: lore.NewID(), Summary: "A pattern", Owners: owners, Status: want, CreatedAt: indextest.At(1)}
		item := lore.Target{Collection: lore.Patterns, ID: pattern.ID}
		flag := lore.SafetyFlag{ID: lore.NewID(), Target: item, Reason: lore.FlagIncorrect, RaisedBy: lore.NewID(), Status: lore.FlagOpen, CreatedAt: indextest.At(2)}
		indextest.Put(t, client, lore.Patterns, pattern)
		indextest.Put(t, client, lore.SafetyFlags, flag)
		for _, step := range []struct {
			verdict lore.Verdict
			want    lore.PatternStatus
		}{{lore.VerdictConfirm, lore.StatusFlagged}, {lore.VerdictDismiss, want}} {
			decision := lore.Decision{
				ID: lore.NewID(), Subject: lore.Target{Collection: lore.SafetyFlags, ID: flag.ID}, Verdict: step.verdict, Object: &item, Who: "dana", Why: "a test", At: indextest.At(3),
			}
			if err := review.Decide(t.Context(), indextest.Clean(t, decision)); err != nil {
				t.Fatal(err)
			}
			stored, err := index.Get[lore.Pattern](t.Context(), client, client.AliasOf(lore.Patterns), pattern.ID)
			if err != nil || stored.Source.Status != step.want {
				t.Errorf("%d owners, %s: the pattern is %s, %v; want %s", owners, step.verdict, stored.Source.Status, err, step.want)
			}
		}
	}
}
