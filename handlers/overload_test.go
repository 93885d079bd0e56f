package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// A gate lets so many through, lets so many wait, and refuses the rest at once.
func TestGate(t *testing.T) {
	g := newGate("writes", fewestWrites, 2, time.Minute)
	for range 2 {
		if !g.enter(t.Context()) {
			t.Fatal("an empty gate refused")
		}
	}
	ctx, giveUp := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var entered atomic.Int64
	for range queueFactor * 2 {
		group.Go(func() {
			if g.enter(ctx) {
				entered.Add(1)
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Second); !g.full(); {
		if time.Now().After(deadline) {
			t.Fatal("the queue never filled")
		}
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	if g.enter(t.Context()) || time.Since(began) > 10*time.Second {
		t.Error("a full gate let one through, or made it wait")
	}
	g.leave(0) // one who waits is next
	for deadline := time.Now().Add(10 * time.Second); entered.Load() != 1; {
		if time.Now().After(deadline) {
			t.Fatal("nobody took the free place")
		}
		time.Sleep(time.Millisecond)
	}
	giveUp() // callers that go away give up their places in the queue
	group.Wait()
	if g.full() || len(g.waiting) != 0 {
		t.Errorf("%d still wait", len(g.waiting))
	}
	impatient := newGate("reads", fewestReads, 1, time.Millisecond)
	impatient.enter(t.Context())
	if impatient.enter(t.Context()) {
		t.Error("waited beyond its patience")
	}
}

// Bodies together take a bounded amount of memory, and give it back.
func TestBodiesAreBounded(t *testing.T) {
	s := &server{Dependencies: Dependencies{Recorder: nothing{}}}
	router := gin.New()
	router.Use(s.boundBodies)
	var read error
	router.POST("/", func(c *gin.Context) { _, read = io.Copy(io.Discard, c.Request.Body) })
	post := func() {
		router.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 1000))))
	}
	post()
	if read != nil || s.bodies.Load() != 0 {
		t.Errorf("read: %v; %d bytes are still counted", read, s.bodies.Load())
	}
	s.bodies.Store(maxBodiesBytes + 1)
	post()
	if !errors.Is(read, errShed) || s.bodies.Load() != maxBodiesBytes+1 {
		t.Errorf("with no room left: %v; %d bytes are counted", read, s.bodies.Load())
	}
}

// fill lets requests in until the gate is full, and returns how many.
func fill(t *testing.T, g *gate) (n int) {
	t.Helper()
	for g.running < int(g.places) {
		if !g.enter(t.Context()) {
			t.Fatal("a gate with room refused")
		}
		n++
	}
	return n
}

// empty lets all requests out again, each after so long.
func empty(g *gate, took time.Duration) {
	for g.running > 0 {
		g.shrunk = time.Time{} // as if they came one by one
		g.leave(took)
	}
}

// A gate begins with few places, has more as long as the store is quick, is cut at once when it gets slow, and comes back.
func TestGateFollowsTheStore(t *testing.T) {
	g := newGate("writes", fewestWrites, 128, time.Minute)
	if n := fill(t, g); n != fewestWrites {
		t.Errorf("at first %d are let through, want %d", n, fewestWrites)
	}
	for range 124 { // a crowd: who leaves is followed at once
		g.leave(slow / 10)
		fill(t, g)
	}
	if g.running != 128 {
		t.Errorf("after 124 quick requests %d are let through, want 128", g.running)
	}
	for range 20 {
		g.leave(2 * slow)
		g.shrunk = time.Time{}
	}
	empty(g, 2*slow)
	if n := fill(t, g); n != fewestWrites {
		t.Errorf("with a slow store %d are let through, want %d", n, fewestWrites)
	}
	for range 20_000 {
		g.leave(slow / 10)
		fill(t, g)
	}
	if g.places != 128 {
		t.Errorf("with a quick store again %v are let through, want 128", g.places)
	}
	empty(g, 0)
	for range 100 { // one at a time
		g.enter(t.Context())
		g.leave(2 * slow)
		g.shrunk = time.Time{}
	}
	few := g.places
	for range 100 {
		g.enter(t.Context())
		g.leave(0)
	}
	if g.places != few {
		t.Errorf("requests that came one by one took the gate from %v places to %v: that says nothing of a crowd", few, g.places)
	}
	small := newGate("reads", fewestReads, 2, time.Minute)
	small.enter(t.Context())
	small.leave(2 * slow)
	if small.places != 2 {
		t.Errorf("a gate of 2 places was cut to %v", small.places)
	}
}

// overload makes a gate as if somebody had waited in vain, in a queue that has stood for long.
func (g *gate) overload() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting, g.empty = append(g.waiting, make(chan struct{})), time.Now().Add(-2*hiccup)
	g.refuse(time.Now())
}

// A store that stands still for a moment is no overload: who waits for it isn't hurried, and who is refused starts no pressure.
func TestGateSitsOutAHiccup(t *testing.T) {
	g := newGate("reads", fewestReads, 1, time.Millisecond)
	g.enter(t.Context())
	if g.enter(t.Context()) {
		t.Fatal("let in without a place")
	}
	if g.pressed() {
		t.Error("one that waited in vain counts as pressure")
	}
	g.mu.Lock()
	g.waiting, g.empty = append(g.waiting, make(chan struct{})), time.Now().Add(-2*hiccup)
	g.mu.Unlock()
	if g.pressed() {
		t.Error("a queue in which nobody waits in vain counts as pressure: a crowd of a steady size is served in turn")
	}
	if g.enter(t.Context()) {
		t.Fatal("let in without a place")
	}
	g.leave(2 * slow)
	if !g.pressed() {
		t.Error("a queue that stood a moment ago, with somebody refused, doesn't count as pressure")
	}
}

// Under pressure the wait is short, and who is late is given up; without, a slow answer is better than none.
func TestGateGivesUpWhatIsLateUnderPressure(t *testing.T) {
	g := newGate("writes", fewestWrites, 2, time.Minute)
	longAgo := time.Now().Add(-time.Hour)
	ended := make(chan error, 1)
	begun := make(chan struct{})
	release := make(chan struct{})
	slowly := func(ctx context.Context) error {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-release:
			return nil
		}
	}
	go func() { ended <- g.run(t.Context(), longAgo, slowly) }()
	<-begun
	select {
	case err := <-ended:
		t.Fatalf("without pressure it was given up: %v", err)
	case <-time.After(3 * lookAgain):
	}
	close(release)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	release = make(chan struct{})
	go func() { ended <- g.run(t.Context(), longAgo, slowly) }()
	<-begun
	g.overload() // after it had begun
	if err := <-ended; !errors.Is(err, errLate) {
		t.Errorf("under pressure: %v, want errLate", err)
	}
	// An answer is an answer, however late: a refusal of ours mustn't hide it.
	refused := errors.New("a fault of the caller's")
	err := g.run(t.Context(), longAgo, func(ctx context.Context) error {
		g.overload()
		<-ctx.Done()
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("it answered %v, want its own error", err)
	}
	g.running, g.wait = 2, time.Second
	g.overload()
	began := time.Now()
	if g.enter(t.Context()) {
		t.Error("let in without a place")
	}
	if waited := time.Since(began); waited < g.wait/hurry || waited > g.wait*3/4 && waited < g.wait*5/4 {
		t.Errorf("under pressure it waited %s, want %s", waited, g.wait/hurry)
	}
}
