package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/knowledge"
	"agentlore/reference"
)

// importLibrary brings the reference library, and waits until each service knows all of its names: one that is
// written behind them.
func importLibrary(t *testing.T, prefix string, services ...*service) {
	t.Helper()
	lever(t, prefix, "import", "--reference")
	const behind = "OkapiImportEnded_1"
	plantFields(t, services[0], "knowledge-units", reference.UnitID("solcbug.spill-collision"), map[string]any{"names": []string{behind}})
	for _, s := range services {
		s.knows(t, behind, true)
	}
}

// knows waits until a service answers a question with a problem whose name stands in it, or no longer does.
func (s *service) knows(t *testing.T, question string, want bool) (id string) {
	t.Helper()
	enginetest.Within(t, 20*knowledge.Every, question, func() bool {
		answer := decode[struct {
			Problem *struct{ ID string }
			Why     []string
		}](t, s.send(t, "POST", "/ask", map[string]any{"text": question}).want(t, 200))
		if id = ""; answer.Problem != nil && len(answer.Why) > 0 && strings.HasPrefix(answer.Why[0], "the text has its name") {
			id = answer.Problem.ID
		}
		return (id != "") == want
	})
	return id
}

// What changes in stored knowledge reaches all replicas within seconds, without a restart: new names, other names,
// and units that go.
func TestReplicasFollowKnowledge(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	replicas := []*service{serve(t, prefix), serve(t, prefix)}
	const question, renamed = "execution reverted: AA25 invalid account nonce", "WombatLedgerMismatch_77 at startup"
	for _, s := range replicas {
		s.knows(t, question, false)
	}
	began := time.Now()
	importLibrary(t, prefix, replicas...)
	t.Logf("an import of the library is known to both %s after it began", time.Since(began).Round(10*time.Millisecond))
	for _, name := range []string{"AA25", "already known", "ERC20InsufficientBalance", "0xe450d38c"} {
		found := decode[page](t, replicas[0].get(t, "/search/all?limit=1&detail=full&q="+url.QueryEscape(name)).want(t, 200))
		if len(found.Results) == 0 || !strings.Contains(fmt.Sprint(found.Results[0]["names"]), name) {
			t.Errorf("search for the name %q finds %v first", name, found.Results)
		}
	}
	unit := replicas[0].knows(t, question, true)
	began = time.Now()
	plantFields(t, replicas[0], "knowledge-units", unit, map[string]any{"names": []string{"WombatLedgerMismatch_77"}, "asked": []string{}})
	for _, s := range replicas {
		if id := s.knows(t, renamed, true); id != unit {
			t.Errorf("%q names %s, want %s", renamed, id, unit)
		}
	}
	t.Logf("another name is known to both after %s", time.Since(began).Round(10*time.Millisecond))
	lever(t, prefix, "review", "withdraw", "--why=a test", unit)
	curateOnce(t, prefix)
	for _, s := range replicas {
		s.knows(t, renamed, false)
	}
}

// What agents earned is met by its names too: by the error that its title says, whatever else a text says. One that
// many reports have names nothing.
func TestEarnedKnowledgeHasNames(t *testing.T) {
	t.Parallel()
	e := newEvidence(t, 3, 1)
	for i, a := range e.veterans {
		e.report(a, "Numbat sequencer halts with ZephyrGapError after a batch", fmt.Sprintf("%s Seen by %d.", cause, i), cure)
		e.report(a, "Wombat relay stops: WombatQueueError", fmt.Sprintf("The wombat relay stops when its queue is full. Seen by %d.", i), "Start it with --queue=2.")
	}
	for i := range 30 {
		e.report(e.strangers[0], fmt.Sprintf("Okapi %d prints WombatQueueError", i), fmt.Sprintf("Okapi number %d is of another zoo.", i), "")
	}
	e.curate()
	unit := e.s.knows(t, "2026-11-26 03:12:11 FATAL exit status 2: ZephyrGapError", true)
	if names := e.item("/knowledge/" + unit)["names"]; fmt.Sprint(names) != "[ZephyrGapError]" {
		t.Errorf("its names are %v", names)
	}
	e.s.knows(t, "2026-11-26 03:12:11 FATAL exit status 2: WombatQueueError", false)
}
