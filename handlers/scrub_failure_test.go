package handlers

import (
	"context"
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// unclean is a Recorder that counts texts that could not be scrubbed.
type unclean struct {
	Recorder
	failures int
}

func (u *unclean) ScrubFailed() { u.failures++ }

// An operator is woken for texts that can't be scrubbed, and not for clients that go away.
func TestScrubFailuresAreCounted(t *testing.T) {
	clean := scrubber.New(scrubber.Config{})
	recorder := &unclean{}
	s := &server{Dependencies: Dependencies{Scrubber: clean, Recorder: recorder}}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, ctx := range []context.Context{t.Context(), gone, late} {
		_, err := scrub(ctx, s, lore.Observation{Summary: "the relayer stops"})
		if failed := ctx != t.Context(); failed != (err != nil) {
			t.Errorf("scrubbed with %v", err)
		}
	}
	if recorder.failures != 1 {
		t.Errorf("%d failures are counted, of one", recorder.failures)
	}
}
