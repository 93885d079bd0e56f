package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestSidesGetTheSameQuestions(t *testing.T) {
	count := func() (*side, func() map[string]int) {
		var mu sync.Mutex
		asked := map[string]int{}
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked[r.Header.Get(questionHeader)]++
		}))
		t.Cleanup(server.Close)
		return newSide("side", newTransport(), func(int) string { return server.URL }), func() map[string]int { return asked }
	}
	first, firstAsked := count()
	second, secondAsked := count()
	if _, err := alternate(t.Context(), 40, time.Second, [][]*side{{first, second}}, calmHost); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []map[string]int{firstAsked(), secondAsked()} {
		if want := questionsFor(40, time.Second); len(asked) != want {
			t.Errorf("%d different questions were asked, not %d", len(asked), want)
		}
	}
}

// calmHost takes nothing.
func calmHost() time.Duration { return 0 }

// A round that met the host's other guests is asked again, on both sides, and only the calmer try counts.
func TestDisturbedRoundsAreAskedAgain(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	newOne := func() *side { return newSide("side", newTransport(), func(int) string { return server.URL }) }
	first, second := newOne(), newOne()
	var looked int
	var taken time.Duration
	met, err := alternate(t.Context(), 40, time.Second, [][]*side{{first, second}}, func() time.Duration {
		if looked++; looked == 2 { // the end of the first round
			taken += 500 * time.Millisecond
		}
		return taken
	})
	if err != nil {
		t.Fatal(err)
	}
	if met.rounds != 2 || met.again != 1 || met.stolen != 0 {
		t.Errorf("%+v, want one of two rounds asked again and nothing taken from those that count", met)
	}
	questions := questionsFor(40, time.Second)
	if got := len(first.took.all); got != questions || len(second.took.all) != questions {
		t.Errorf("%d and %d questions count, want %d each", got, len(second.took.all), questions)
	}
	if want := int64(3 * questions); asked.Load() != want || met.asked != int(want)/2 {
		t.Errorf("%d questions were asked, %d of each side, want %d of both", asked.Load(), met.asked, want)
	}
}

func TestStolenTimeIsRead(t *testing.T) {
	const stat = "cpu  100927 3433 17440 213051 1007 0 1241 20169 0 0\ncpu0 1 1 1 1 1 1 1 7 0 0\n"
	if got, want := stolenIn(stat), 201690*time.Millisecond; got != want {
		t.Errorf("%s were taken, not %s", got, want)
	}
	if got := stolenIn("intr 1 2 3\n"); got != 0 {
		t.Errorf("%s out of nothing", got)
	}
}
