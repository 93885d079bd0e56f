package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

// raced lets sources report the same problems, each in a batch, then runs the curator and does something with the first one's report of
// each problem meanwhile. It returns those reports.
func raced(t *testing.T, s *service, sources []agent, round, problems int, meanwhile func(problem int, id string)) (ids []string) {
	t.Helper()
	for i, source := range sources {
		var items []map[string]any
		for problem := range problems {
			// Codes that share no letters in a row: each problem is one of its own.
			code := strings.Repeat(string(rune('A'+problem%26)), 5+problem/26) + strings.Repeat(string(rune('a'+round)), 5)
			items = append(items, map[string]any{
				"summary": "Bilby relayer stalls with " + code + strings.Repeat("!", i), "category": "failure",
				"content":    "The relayer logs " + code + " after each reorg.",
				"resolution": "Restart it with the flag " + code + ".",
			})
		}
		got := decode[batched](t, s.send(t, "POST", "/intake/submit/batch", items, source.bearer()...).want(t, 200))
		if got.Stored != problems {
			t.Fatalf("a batch: %+v", got)
		}
		for _, one := range got.Results {
			if i == 0 {
				ids = append(ids, one.Answer.ID)
			}
		}
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	curated := make(chan string, 1)
	go func() {
		status, stdout, stderr := run(t, append([]string{"curate", "--once"}, storeFlags(t, s.prefix)...)...)
		if status == 0 {
			stdout, stderr = "", ""
		}
		curated <- stdout + stderr
	}()
	for problem, id := range ids {
		meanwhile(problem, id)
	}
	if failed := <-curated; failed != "" {
		t.Fatal(failed)
	}
	for range 2 { // whatever the pass met in the middle, it is settled by the next
		curateOnce(t, s.prefix)
	}
	return ids
}

// vouched registers agents whose word counts.
func vouched(t *testing.T, s *service, names ...string) (agents []agent) {
	t.Helper()
	for _, name := range names {
		a := s.register(t, name)
		lever(t, s.prefix, "vouch", a.id, "--why=known")
		agents = append(agents, a)
	}
	return agents
}

// A report is amended while the curator puts it into a pattern and another owner says that it worked. Either it is amended, is of no pattern of
// its old words, and what was said of them counts for nothing; or it is refused, and its words and what was said of them stay.
func TestAmendedWhilePromoted(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	agents := vouched(t, s, "author", "other", "user")
	const problems = 20
	amended, refused := 0, 0
	for round := 0; round < 12 && (amended < 3 || refused < 3); round++ {
		statuses := make([]int, problems)
		ids := raced(t, s, agents[:2], round, problems, func(problem int, id string) {
			words := fmt.Sprintf("Kowari%d%d indexer drops events of Kowari%d%d", round, problem, problem, round)
			change := map[string]any{"summary": words, "content": "It is seen in " + words, "resolution": "Index anew."}
			said := map[string]any{"id": id, "outcome": "worked", "revision": decode[lore.Submission](t, s.get(t, "/submissions/"+id).want(t, 200)).Revision}
			var both sync.WaitGroup
			both.Go(func() { s.send(t, "POST", "/intake/outcome", said, agents[2].bearer()...) })
			for range problem % 4 { // amendments fall on both sides of what is said
				s.get(t, "/submissions/"+id)
			}
			statuses[problem] = s.send(t, "PATCH", "/submissions/"+id, change, agents[0].bearer()...).status
			both.Wait()
		})
		for problem, id := range ids {
			got := decode[lore.Submission](t, s.get(t, "/submissions/"+id).want(t, 200))
			changed := strings.HasPrefix(got.Summary, "Kowari")
			switch {
			case statuses[problem] == 200 && changed && got.PatternID == "" && got.Resolution == "Index anew." && got.Outcomes == nil:
				amended++
			case statuses[problem] == 409 && !changed && got.PatternID != "" && got.Outcomes != nil && got.Outcomes.Worked == 1:
				refused++
			default:
				t.Errorf("round %d, problem %d: the answer was %d, and it is %+v", round, problem, statuses[problem], got)
			}
		}
	}
	if amended == 0 || refused == 0 {
		t.Errorf("%d were amended and %d refused: nothing was raced", amended, refused)
	}
	t.Logf("%d amended, %d refused", amended, refused)
}

// A report that is withdrawn while it is used as evidence is withdrawn, is no evidence of the unit, and the unit stands by the others.
func TestWithdrawnWhileEvidence(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	agents := vouched(t, s, "author", "second", "third", "fourth")
	const problems = 15
	var ids []string
	unused, used := 0, 0
	for round := 0; round < 12 && (unused < 3 || used < 3); round++ {
		ids = append(ids, raced(t, s, agents, round, problems, func(_ int, id string) {
			was := lore.TierRaw
			for range 1 + 10*round { // each round takes longer, until withdrawals fall on both sides of the curator's writes
				was = decode[lore.Submission](t, s.get(t, "/submissions/"+id).want(t, 200)).Tier
			}
			s.send(t, "POST", "/intake/withdraw", map[string]any{"id": id}, agents[0].bearer()...).want(t, 201)
			if was == lore.TierRaw {
				unused++
			} else {
				used++
			}
		})...)
	}
	if unused == 0 || used == 0 {
		t.Errorf("%d were withdrawn before the curator used them and %d after: nothing was raced", unused, used)
	}
	for _, id := range ids {
		got := decode[lore.Submission](t, s.get(t, "/submissions/"+id).want(t, 200))
		if got.Status != "withdrawn" || got.Tier != lore.TierRaw || got.PatternID == "" || got.KnowledgeUnitID != "" {
			t.Errorf("withdrawn it is %+v", got)
		}
	}
	type units struct{ Results []lore.KnowledgeUnit }
	all := decode[units](t, s.get(t, "/knowledge?limit=100").want(t, 200)).Results
	if len(all) != min(100, len(ids)) {
		t.Errorf("%d units, want %d", len(all), len(ids))
	}
	for _, unit := range all {
		if unit.Status != lore.UnitActive || unit.Evidence.Submissions != 3 ||
			slices.ContainsFunc(unit.Evidence.SubmissionIDs, func(id string) bool { return slices.Contains(ids, id) }) {
			t.Errorf("a unit %s on %+v", unit.Status, unit.Evidence)
		}
	}
}
