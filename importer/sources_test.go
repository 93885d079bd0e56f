package importer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// slowAccounts is a store that takes its time to register sources.
type slowAccounts struct {
	goOn  chan struct{}
	ended error // of the context, while it worked
}

func (a *slowAccounts) EnsureSource(ctx context.Context, _ scrubber.Scrubbed[lore.Registration], _ time.Time) (lore.Identity, bool, error) {
	<-a.goOn
	a.ended = ctx.Err()
	return lore.Identity{}, false, nil
}

// An import that is stopped while its sources are registered ends when they are: half-done ones would keep the next import
// waiting, and what went on after the end would meet it.
func TestAStoppedImportCompletesItsSources(t *testing.T) {
	t.Parallel()
	clean := scrubber.New(scrubber.Config{})
	synctest.Test(t, func(t *testing.T) {
		accounts := &slowAccounts{goOn: make(chan struct{})}
		work := &Importer{Scrubber: clean, Accounts: accounts, Now: time.Now, Refuse: func(any) error { return nil }, ReadSubmission: func([]byte) (lore.SubmissionLine, error) {
			return lore.SubmissionLine{Source: "someone", Summary: "a report", Category: "general"}, nil
		}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := work.SubmissionLines(ctx, strings.NewReader("{}\n"))
			ended <- err
		}()
		synctest.Wait()
		stop()
		synctest.Wait()
		if len(ended) > 0 {
			t.Error("it ended before its sources were registered")
		}
		close(accounts.goOn)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v, want that it was stopped", err)
		}
		if accounts.ended != nil {
			t.Errorf("its registrations were given up: %v", accounts.ended)
		}
	})
}
