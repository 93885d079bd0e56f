package admit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"agentlore/handlers/admit"
)

// Some work, some wait in order, the rest is refused: at once where there is no room, later where its turn doesn't come in time.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(2, 2, 3, time.Second)
		var order []int
		refused := map[int]time.Duration{}
		for i := range 7 {
			go func() {
				began := time.Now()
				err := q.Run(t.Context(), false, func(context.Context) error {
					order = append(order, i)
					time.Sleep(600 * time.Millisecond)
					return nil
				})
				if errors.Is(err, admit.ErrFull) {
					refused[i] = time.Since(began)
				}
			}()
			synctest.Wait() // one after the other
		}
		if !q.Full() || q.Running() != 2 || q.Waiting() != 3 {
			t.Errorf("full %v, %d running, %d waiting", q.Full(), q.Running(), q.Waiting())
		}
		if at, is := refused[5]; !is || at != 0 || len(refused) != 2 {
			t.Errorf("refused at once: %v, want 5 and 6", refused)
		}
		time.Sleep(5 * time.Second)
		if len(order) != 4 || order[2] != 2 || order[3] != 3 || refused[4] != time.Second {
			t.Errorf("worked in order %v, refused %v; want 0 to 3, and 4 after a second", order, refused)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		for range 2 {
			go func() {
				_ = q.Run(t.Context(), false, func(context.Context) error { time.Sleep(time.Minute); return nil })
			}()
		}
		synctest.Wait()
		if err := q.Run(gone, false, func(context.Context) error { return nil }); !errors.Is(err, admit.ErrFull) || q.Waiting() != 0 {
			t.Errorf("who has gone: %v, %d waiting", err, q.Waiting())
		}
		time.Sleep(time.Hour)
	})
}

// A store that stands still for a moment is waited for. While a queue is overloaded what is late is given up, but for patient work and
// for answers that came, and nobody waits long.
func TestAnOverloadedQueueIsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(1, 1, 100, 600*time.Millisecond)
		hang := func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(30 * time.Second):
				return nil
			}
		}
		if err := q.Run(t.Context(), false, hang); err != nil {
			t.Errorf("alone it was given up: %v", err)
		}
		ctx, end := context.WithCancel(t.Context())
		defer func() { end(); time.Sleep(time.Hour) }()
		given := make(chan error, 1)
		go func() { given <- q.Run(t.Context(), false, hang) }()
		for range 3 { // a crowd: somebody waits at any time
			go func() {
				for ctx.Err() == nil {
					_ = q.Run(ctx, false, func(ctx context.Context) error { time.Sleep(300 * time.Millisecond); return nil })
					time.Sleep(10 * time.Millisecond)
				}
			}()
			time.Sleep(100 * time.Millisecond)
		}
		began := time.Now()
		if err := <-given; !errors.Is(err, admit.ErrLate) || time.Since(began) > 2*time.Second {
			t.Errorf("with a crowd behind it: %v after %s", err, time.Since(began))
		}
		for range 5 {
			began = time.Now()
			err := q.Run(t.Context(), false, hang)
			if waited := time.Since(began); errors.Is(err, admit.ErrFull) && waited > 100*time.Millisecond || waited > time.Second {
				t.Errorf("%v after %s, want no more than a sixth of the usual wait", err, waited)
			}
			time.Sleep(70 * time.Millisecond)
		}
		end()
		time.Sleep(500 * time.Millisecond) // the crowd has gone a moment ago
		if err := q.Run(t.Context(), true, hang); err != nil {
			t.Errorf("patient work was given up: %v", err)
		}
	})
}

// A store of any speed gets as many requests at once as it answers in time.
func TestQueueFollowsTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(4, 64, 1000, time.Hour)
		ctx, end := context.WithCancel(t.Context())
		each := 2 * time.Millisecond // of the store's time, for each request that it works on beside
		for range 200 {
			go func() {
				for ctx.Err() == nil {
					if err := q.Run(ctx, false, func(context.Context) error { time.Sleep(time.Duration(q.Running()) * each); return nil }); err != nil {
						time.Sleep(100 * time.Millisecond)
					}
				}
			}()
		}
		if synctest.Wait(); q.Running() != 4 {
			t.Errorf("at first %d are worked on, want the fewest", q.Running())
		}
		time.Sleep(10 * time.Second)
		if q.Running() != 64 {
			t.Errorf("with a quick store %d are worked on, want the most", q.Running())
		}
		each = 10 * time.Millisecond // 20 at once take 200 ms
		time.Sleep(10 * time.Second)
		if n := q.Running(); n < 10 || n > 30 {
			t.Errorf("with a slower store %d are worked on, want about 20", n)
		}
		each = time.Second
		time.Sleep(time.Minute)
		if q.Running() != 4 {
			t.Errorf("with a slow store %d are worked on, want the fewest", q.Running())
		}
		each = 2 * time.Millisecond
		time.Sleep(time.Minute)
		if q.Running() != 64 {
			t.Errorf("with a quick store again %d are worked on, want the most", q.Running())
		}
		end()
		time.Sleep(time.Hour)
	})
}
