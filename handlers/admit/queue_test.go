package admit_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentlore/handlers/admit"
)

// one is a client.
var one = netip.MustParsePrefix("192.0.2.1/32")

// Some work, some wait, of whom the last is served first, and the rest is refused: at once where there is no room, later where its turn
// doesn't come in time.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(2, 2, 3, time.Second)
		var order []int
		refused := map[int]time.Duration{}
		var mu sync.Mutex
		for i := range 7 {
			go func() {
				began := time.Now()
				leave, _, err := q.Enter(t.Context(), one)
				mu.Lock()
				if err != nil {
					refused[i] = time.Since(began)
					mu.Unlock()
					return
				}
				defer leave()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(600 * time.Millisecond)
			}()
			synctest.Wait() // one after the other
		}
		if running, waiting := q.Load(); !q.Full(one) || running != 2 || waiting != 3 {
			t.Errorf("full %v, %d running, %d waiting", q.Full(one), running, waiting)
		}
		if at, is := refused[5]; !is || at != 0 || len(refused) != 2 {
			t.Errorf("refused at once: %v, want 5 and 6", refused)
		}
		time.Sleep(5 * time.Second)
		slices.Sort(order[:2])
		slices.Sort(order[2:])
		if !slices.Equal(order, []int{0, 1, 3, 4}) || refused[2] != time.Second {
			t.Errorf("worked in order %v, refused %v; want 0, 1, then the last two, and 2 after a second", order, refused)
		}
	})
}

// other is another client.
var other = netip.MustParsePrefix("192.0.2.2/32")

// A client that floods the queue costs another one neither its turn nor its place among those that wait: the next place that becomes free
// is the other's, and where there is no room left it takes one of the flood's.
func TestQueueIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(2, 2, 4, time.Minute)
		refused := 0
		var mu sync.Mutex
		enter := func(client netip.Prefix, served chan<- time.Duration) {
			began := time.Now()
			leave, _, err := q.Enter(t.Context(), client)
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				refused++
				return
			}
			if served != nil {
				served <- time.Since(began)
			}
			time.Sleep(time.Second)
			leave()
		}
		for range 20 {
			go enter(one, nil)
			synctest.Wait()
		}
		if refused != 14 || !q.Full(one) || q.Full(other) {
			t.Errorf("%d of the flood refused, want 14; full for it %v, for another client %v", refused, q.Full(one), q.Full(other))
		}
		served := make(chan time.Duration, 2)
		go enter(other, served)
		go enter(other, served)
		synctest.Wait()
		if refused != 16 {
			t.Errorf("%d refused, want two of the flood more", refused)
		}
		for i := range 2 { // of two places that become free, each client has one
			if waited := <-served; waited != time.Duration(i+1)*time.Second {
				t.Errorf("request %d of another client waited %s behind the flood", i, waited)
			}
		}
		time.Sleep(time.Minute)
		if running, waiting := q.Load(); running != 0 || waiting != 0 {
			t.Errorf("%d running, %d waiting", running, waiting)
		}
	})
}

// One client leaves a quarter of the places to others, whose requests needn't wait for its slow ones.
func TestOneClientLeavesPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(8, 8, 20, time.Second)
		for range 12 {
			go func() {
				if leave, _, err := q.Enter(t.Context(), one); err == nil {
					time.Sleep(time.Minute)
					leave()
				}
			}()
		}
		synctest.Wait()
		if running, waiting := q.Load(); running != 6 || waiting != 6 {
			t.Errorf("%d of one client work and %d wait, want 6 and 6", running, waiting)
		}
		leave, waited, err := q.Enter(t.Context(), other)
		if err != nil || waited {
			t.Fatalf("another client's waited: %v, %v", waited, err)
		}
		leave()
		time.Sleep(time.Hour)
	})
}

// A request that is given up leaves the queue, whether it waits or its turn comes at that moment.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(1, 1, 3, time.Minute)
		leave, _, err := q.Enter(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			leave, _, err := q.Enter(ctx, one)
			if err == nil {
				leave()
			}
			ended <- err
		}()
		synctest.Wait()
		end()
		if err := <-ended; !errors.Is(err, admit.ErrFull) {
			t.Errorf("given up while it waits: %v", err)
		}
		leave()
		if running, waiting := q.Load(); running != 0 || waiting != 0 {
			t.Errorf("%d running, %d waiting", running, waiting)
		}
	})
}

// A store of any speed gets as many requests at once as it answers in time, and what is served in an overload is served soon.
func TestQueueFollowsTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := admit.NewQueue(4, 64, 1000, 600*time.Millisecond)
		ctx, end := context.WithCancel(t.Context())
		each := 2 * time.Millisecond // of the store's time, for each request that it works on beside
		var took []time.Duration
		for i := range 200 {
			client := netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 32)
			go func() {
				for ctx.Err() == nil {
					began := time.Now()
					leave, _, err := q.Enter(ctx, client)
					if err != nil {
						time.Sleep(100 * time.Millisecond)
						continue
					}
					running, _ := q.Load()
					time.Sleep(time.Duration(running) * each)
					leave()
					took = append(took, time.Since(began))
				}
			}()
		}
		running := func() int { n, _ := q.Load(); return n }
		if synctest.Wait(); running() != 4 {
			t.Errorf("at first %d are worked on, want the fewest", running())
		}
		for _, phase := range []struct {
			each        time.Duration
			least, most int
		}{{2 * time.Millisecond, 64, 64}, {10 * time.Millisecond, 5, 30}, {time.Second, 4, 4}, {2 * time.Millisecond, 64, 64}} {
			each = phase.each
			time.Sleep(time.Minute)
			if n := running(); n < phase.least || n > phase.most {
				t.Errorf("with %s for each beside %d are worked on, want %d to %d", each, n, phase.least, phase.most)
			}
			if slices.Sort(took); each == 10*time.Millisecond && took[len(took)*99/100] > time.Second {
				t.Errorf("p99 of what is served is %s", took[len(took)*99/100])
			}
			took = nil
		}
		end()
		time.Sleep(time.Hour)
	})
}

// A client has its part, an IPv6 site four, and all together no more than there is; who holds more than is left gets no more. What is
// given back is there again.
func TestQuota(t *testing.T) {
	t.Parallel()
	networks := func(address string) []netip.Prefix { return admit.Networks(netip.MustParseAddr(address)) }
	q := admit.NewQuota(20, 2)
	for i, take := range []struct {
		address string
		n       int64
		want    bool
	}{
		{"192.0.2.1", 2, true}, {"192.0.2.1", 1, false}, {"192.0.2.2", 1, true},
		{"2001:db8:1:1::1", 2, true}, {"2001:db8:1:1::2", 1, false}, {"2001:db8:1:2::1", 2, true}, {"2001:db8:1:3::1", 2, true},
		{"2001:db8:1:4::1", 2, true}, {"2001:db8:1:5::1", 1, false}, {"2001:db8:2:1::1", 2, true},
		{"2001:db8:3:1::1", 2, true}, {"2001:db8:3:2::1", 2, true}, {"2001:db8:3:3::1", 2, false}, {"192.0.2.3", 2, true}, {"192.0.2.3", 1, false},
	} {
		if got := q.Take(networks(take.address), take.n); got != take.want {
			t.Errorf("%d: %d for %s: %v, want %v", i, take.n, take.address, got, take.want)
		}
	}
	q.Free(networks("192.0.2.1"), 2)
	if !q.Take(networks("192.0.2.1"), 2) {
		t.Error("what was given back isn't there")
	}
}
