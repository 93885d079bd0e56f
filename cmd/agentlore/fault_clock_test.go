package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// Replicas whose clocks are two minutes ahead and behind: tokens are rotated without locking anybody out, names and keys
// stay unique, an equal text is known, and one alone curates. Four minutes apart they are within the five for which a replaced
// token lives; beyond that a clock that is ahead ends it early, as soon as a cache has forgotten the token. The documentation
// asks for clocks that agree to a minute.
func TestClocksThatDiffer(t *testing.T) {
	prefix := enginetest.Prefix(t)
	right := serve(t, prefix, "--curate=true")
	all := []*service{right}
	for _, wrong := range []time.Duration{2 * time.Minute, -2 * time.Minute} {
		t.Setenv(asProgramClock, wrong.String())
		all = append(all, serveProcess(t, prefix, "--curate=true"))
	}
	t.Setenv(asProgramClock, "")
	for i, s := range all {
		me := s.register(t, fmt.Sprint("rotates by clock ", i))
		fresh := s.rotate(t, me.token)
		for j, other := range all {
			if !other.accepts(t, me.token) {
				t.Errorf("rotated at replica %d, the old token is refused at %d before the new one's first use", i, j)
			}
		}
		if !all[(i+1)%3].accepts(t, fresh.APIToken) {
			t.Errorf("rotated at replica %d, the new token is refused", i)
		}
		for _, other := range all {
			enginetest.Within(t, time.Minute, "the old token is refused after the new one's first use", func() bool { return !other.accepts(t, me.token) })
		}
		created := 0
		for _, other := range all {
			got := other.send(t, "POST", "/intake/register", map[string]any{"name": fmt.Sprint("one of three ", i), "type": "bot", "owner": "x"})
			if got.status == 201 {
				created++
			} else {
				wantProblem(t, got, 409, "name_taken")
			}
		}
		if created != 1 {
			t.Errorf("%d replicas gave away one name", created)
		}
		headers := []string{"Authorization", "Bearer " + fresh.APIToken, "Idempotency-Key", fmt.Sprint("clock ", i)}
		ids := map[string]bool{}
		for _, other := range append(all[i:], all[:i]...) {
			got := other.send(t, "POST", "/intake/submit", observation(fmt.Sprint("sent by key ", i)), headers...)
			ids[decode[submitted](t, got).ID] = true
			again := decode[submitted](t, other.send(t, "POST", "/intake/submit", observation(fmt.Sprint("sent by key ", i)), headers[:2]...).want(t, 200))
			if ids[again.ID] = true; !again.Duplicate {
				t.Error("an equal text isn't known as one")
			}
		}
		if len(ids) != 1 {
			t.Errorf("one text under one key is stored as %v", ids)
		}
	}
	curating := func() (n int) {
		for _, s := range all {
			n += strings.Count(s.log.String(), `"msg":"curating"`)
		}
		return n
	}
	enginetest.Within(t, time.Minute, "one curates", func() bool { return curating() > 0 })
	enginetest.Within(t, time.Minute, "the others wait for the lease", func() bool {
		waiting := 0
		for _, s := range all {
			waiting += strings.Count(s.log.String(), "another process curates")
		}
		return waiting >= 2
	})
	if n := curating(); n != 1 {
		t.Errorf("%d replicas curate at once", n)
	}
}
