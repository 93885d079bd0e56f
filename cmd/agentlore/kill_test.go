package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// reporter sends reports with an Idempotency-Key each until they get through, as an agent does whose service dies.
type reporter struct {
	mu      sync.Mutex
	service *service
	stored  map[string]string // id by summary, of every 201 or 200
	retried int
}

func (r *reporter) current() *service {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.service
}

// report sends one report until it is stored.
func (r *reporter) report(ctx context.Context, t *testing.T, a agent, summary string) {
	for try := 0; ; try++ {
		got, err := r.current().try(context.WithoutCancel(ctx), "POST", "/intake/submit", observation(summary), append(a.bearer(), "Idempotency-Key", summary)...)
		if err == nil && (got.status == http.StatusCreated || got.status == http.StatusOK) {
			var stored submitted
			if err := json.Unmarshal(got.body, &stored); err != nil {
				t.Error(err)
			}
			r.mu.Lock()
			r.stored[summary] = stored.ID
			if try > 0 {
				r.retried++
			}
			r.mu.Unlock()
			return
		}
		if err == nil && got.status != http.StatusServiceUnavailable && got.status != http.StatusConflict {
			t.Errorf("%q: %d %.300s", summary, got.status, got.body)
			return
		}
		if try > 3000 {
			t.Errorf("%q never got through: %v %d", summary, err, got.status)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// kill -9 at random moments under load: every report that got its answer is there, and each is stored once, however often
// its agent had to send it.
func TestServiceKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	kills := 2
	if os.Getenv("AGENTLORE_LONG") == "1" {
		kills = 20
	}
	prefix := enginetest.Prefix(t)
	stays := serve(t, prefix) // looks at what is there in the end
	r := &reporter{service: serveProcess(t, prefix), stored: map[string]string{}}
	me := stays.register(t, "persistent")
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	t.Cleanup(func() { stop(); group.Wait() }) // also where the test fails: nobody may speak of a test that has ended
	for worker := range 8 {
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				r.report(ctx, t, me, fmt.Sprintf("report %d of worker %d", i, worker))
			}
		})
	}
	for range kills {
		before := r.count()
		enginetest.Within(t, time.Minute, "there is traffic", func() bool { return r.count() > before+10 })
		moment := time.NewTimer(time.Duration(rand.IntN(300)) * time.Millisecond)
		<-moment.C
		killed := r.current()
		_ = killed.process.Process.Kill()
		_ = killed.process.Wait()
		next := serveProcess(t, prefix)
		r.mu.Lock()
		r.service = next
		r.mu.Unlock()
	}
	stop()
	group.Wait()
	byID := map[string]string{}
	for summary, id := range r.stored {
		if other, taken := byID[id]; taken {
			t.Errorf("%q and %q got one id", summary, other)
		}
		byID[id] = summary
	}
	wantAllStored(t, [2]*service{stays, stays}, &traffic{stored: byID})
	var total int64
	enginetest.Within(t, time.Minute, "exactly what was answered is stored", func() bool {
		total = decode[page](t, stays.get(t, "/submissions?limit=1&source="+me.id).want(t, 200)).Total
		return total == int64(len(r.stored))
	})
	t.Logf("%d kills, %d reports stored, %d of them sent more than once; the store holds %d", kills, len(r.stored), r.retried, total)
	if r.retried == 0 {
		t.Error("no report met a kill: nothing was tested")
	}
}

func (r *reporter) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.stored)
}
