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
	g := newGate("writes", 2, time.Minute)
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
	impatient := newGate("reads", 1, time.Millisecond)
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

// A store that gets slow is given less at once, and more again when it is quick.
func TestGateFollowsTheStore(t *testing.T) {
	g := newGate("writes", 128, time.Minute)
	through := func() (n int) {
		for len(g.waiting) == 0 && g.running < int(g.places) {
			if !g.enter(t.Context()) {
				t.Fatal("a gate with room refused")
			}
			n++
		}
		return n
	}
	if n := through(); n != 128 {
		t.Errorf("at first %d are let through, want 128", n)
	}
	for g.running > 0 {
		g.shrunk = time.Time{} // as if they came one by one
		g.leave(2 * slow)
	}
	if n := through(); n != fewest {
		t.Errorf("with a slow store %d are let through, want %d", n, fewest)
	}
	for g.running > 0 {
		g.leave(0)
	}
	for range 20_000 {
		if g.enter(t.Context()) {
			g.leave(slow / 10)
		}
	}
	if n := through(); n != 128 {
		t.Errorf("with a quick store again %d are let through, want 128", n)
	}
	small := newGate("reads", 2, time.Minute)
	small.enter(t.Context())
	small.leave(2 * slow)
	if small.places != 2 {
		t.Errorf("a gate of 2 places was cut to %v", small.places)
	}
}
