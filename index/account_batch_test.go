package index

import (
	"sync"
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// ensure asks for names as an import does.
func ensure(t *testing.T, a *Accounts, names ...string) []lore.NameHolder {
	t.Helper()
	var wanted []scrubber.Scrubbed[lore.Registration]
	for _, name := range names {
		wanted = append(wanted, clean(t, lore.Registration{Name: name, Type: lore.SourceTool, Owner: name}))
	}
	return a.EnsureSources(t.Context(), wanted, time.Now())
}

func TestEnsureSources(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	live, err := register(t, a, "Batch Live", "x")
	if err != nil {
		t.Fatal(err)
	}
	half(t, a, "Batch Half", 2, 2*abandonedAge)
	half(t, a, "Batch Young", 1, 0)

	first := ensure(t, a, "Batch New", "batch live", "Batch Half", "Batch Young", "Batch Other")
	for i, name := range []string{0: "Batch New", 2: "Batch Half", 4: "Batch Other"} {
		if name == "" {
			continue
		}
		if first[i].Err != nil || first[i].Live {
			t.Fatalf("%s: %+v", name, first[i])
		}
		source, err := a.sources.Get(t.Context(), first[i].Identity.SourceID)
		if err != nil || source.Name != name || source.Type != lore.SourceTool || first[i].Identity.OwnerKey != a.OwnerKey(name) {
			t.Errorf("%s is source %+v of %+v, %v", name, source, first[i].Identity, err)
		}
	}
	if got := first[1]; got.Err != nil || !got.Live || got.Identity.SourceID != live.ID {
		t.Errorf("a live agent's name: %+v, want the agent", got)
	}
	if code(first[3].Err) != lore.CodeStoreUnavailable {
		t.Errorf("a name whose registration is under way: %+v, want to come back", first[3])
	}
	again := ensure(t, a, "Batch Other", "BATCH NEW")
	if again[0] != first[4] || again[1] != first[0] {
		t.Errorf("the second time they are %+v, at first %+v", again, first)
	}
	if swept, err := a.Sweep(t.Context(), time.Now().Add(2*sweepAge)); err != nil {
		t.Errorf("sweep: %d, %v", swept, err)
	}
	if got := ensure(t, a, "Batch New")[0]; got != first[0] {
		t.Errorf("after a sweep the source is %+v, was %+v: its registration was left half done", got, first[0])
	}
}

// Two imports that meet the same new names at the same moment agree on who is who.
func TestEnsureSourcesAtOnce(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	names := []string{"Race A", "Race B", "Race C", "Race D"}
	answers := make([][]lore.NameHolder, 4)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = ensure(t, a, names...) })
	}
	group.Wait()
	for n, name := range names {
		settled := ensure(t, a, name)[0]
		if settled.Err != nil {
			t.Fatalf("%s: %v", name, settled.Err)
		}
		for i := range answers {
			// One that came while another's registration was under way is told to come back.
			if got := answers[i][n]; got != settled && code(got.Err) != lore.CodeStoreUnavailable {
				t.Errorf("%s is %+v to import %d, %+v afterwards", name, got, i, settled)
			}
		}
	}
}
