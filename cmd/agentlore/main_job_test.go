package main

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"agentlore/enginetest"
)

// The whole main job, as an agent does it.
func TestAnAgentRegistersSubmitsFindsAndReads(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))

	body := map[string]any{"name": "Bridge Watcher", "type": "agent", "owner": "alice", "ecosystem": []string{" Ethereum "}, "description": "Watches bridges"}
	answered := s.send(t, "POST", "/intake/register", body).want(t, 201)
	me := decode[registered](t, answered)
	if me.Name != "Bridge Watcher" || me.Type != "agent" || me.ID == "" || me.CreatedAt.IsZero() || me.Scrubbing != nil {
		t.Errorf("registration answered %s", answered.body)
	}
	if got := answered.header.Get("Location"); got != "/sources/"+me.ID {
		t.Errorf("Location is %q", got)
	}
	if got := answered.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("an answer with a token has Cache-Control %q, want no-store", got)
	}
	source := decode[map[string]any](t, s.get(t, "/sources/"+me.ID).want(t, 200))
	if source["name"] != "Bridge Watcher" || source["owner"] != nil || source["api_token"] != nil || source["reputation"] != 0.5 {
		t.Errorf("the public entry is %v", source)
	}

	// Only what must be there: summary and category.
	before := time.Now()
	stored := s.submit(t, agent{me.ID, me.Name, me.APIToken}, map[string]any{"summary": "Quokka relayer drops withdrawal proofs", "category": "failure"})
	if stored.Tier != 1 || stored.Category != "failure" || stored.Status != "stored" || stored.Duplicate || stored.Scrubbing.Changed {
		t.Errorf("submission answered %+v", stored)
	}
	read := decode[map[string]any](t, s.get(t, "/submissions/"+stored.ID).want(t, 200))
	if read["summary"] != "Quokka relayer drops withdrawal proofs" || read["source_id"] != me.ID || read["tier"] != 1.0 {
		t.Errorf("read at once after the answer: %v", read)
	}
	inTime(t, "the search finds the submission", func() bool {
		found := decode[page](t, s.get(t, "/search/all?q="+url.QueryEscape("quokka withdrawal proof")).want(t, 200))
		return slices.Contains(found.ids(), stored.ID)
	})
	t.Logf("found %s after the submission was sent", time.Since(before).Round(time.Millisecond))

	inTime(t, "status counts it", func() bool {
		status := decode[map[string]int](t, s.get(t, "/status").want(t, 200))
		return status["sources"] == 1 && status["submissions"] == 1 && status["assets"] == 0 && status["families"] == 0 && len(status) == 6
	})
}
