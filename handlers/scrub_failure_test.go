package handlers

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"agentlore/handlers/admit"
	"agentlore/lore"
	"agentlore/scrubber"
)

// unclean is a Recorder that counts texts that could not be scrubbed.
type unclean struct {
	Recorder
	failures int
}

func (u *unclean) ScrubFailed() { u.failures++ }

// An operator is woken for texts that can't be scrubbed, and not for clients that go away, nor in an overload; of what took too long the caller hears 503.
func TestScrubFailuresAreCounted(t *testing.T) {
	clean := scrubber.New(scrubber.Config{})
	recorder := &unclean{}
	s := &server{Dependencies: Dependencies{Scrubber: clean, Recorder: recorder, Log: slog.New(slog.DiscardHandler)}}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	crowded, cancel := context.WithDeadlineCause(t.Context(), time.Now(), admit.ErrFull) // others wait behind it
	defer cancel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, ctx := range []context.Context{t.Context(), gone, late, crowded} {
		_, err := scrub(ctx, s, lore.Observation{Summary: "the relayer stops"})
		if failed := ctx != t.Context(); failed != (err != nil) {
			t.Errorf("scrubbed with %v", err)
		} else if p := s.problemOf(ctx, err); failed && ctx != gone && (p.Status != 503 || p.headers.Get("Retry-After") == "") {
			t.Errorf("a text that took too long is answered with %d %s", p.Status, p.Code)
		}
	}
	if recorder.failures != 1 {
		t.Errorf("%d failures are counted, of one", recorder.failures)
	}
}
