package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"agentlore/handlers/admit"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Bodies together take a bounded amount of memory, those of one client a part of it, and give it back.
func TestBodiesAreBounded(t *testing.T) {
	clean := scrubber.New(scrubber.Config{})
	s := &server{Dependencies: Dependencies{Recorder: nothing{}, Scrubber: clean}, memory: admit.NewQuota(40_000, 12_000)}
	router := gin.New()
	router.Use(s.identifyRequest)
	var read error
	router.POST("/", func(c *gin.Context) { _, read = s.readBody(c, maxBodyBytes) })
	post := func() {
		router.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", 1000))))
	}
	for range 20 { // each gives back what it took
		if post(); read != nil {
			t.Fatalf("read: %v", read)
		}
	}
	self := admit.Networks(netip.MustParseAddr("192.0.2.1")) // httptest's client
	if !s.memory.Take(self, 10_000) {
		t.Fatal("there is no room for what others send")
	}
	if post(); !errors.Is(read, admit.ErrFull) {
		t.Errorf("a client that holds its part: %v", read)
	}
	s.memory.Free(self, 10_000)
	for _, other := range []string{"192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"} {
		s.memory.Take(admit.Networks(netip.MustParseAddr(other)), 9_300)
	}
	if post(); !errors.Is(read, admit.ErrFull) {
		t.Errorf("with no room left for all: %v", read)
	}
}

// stuckSearcher answers only when it is told to.
type stuckSearcher chan struct{}

func (s stuckSearcher) Search(ctx context.Context, _ lore.SearchQuery) (lore.SearchResult, error) {
	select {
	case <-s:
		return lore.SearchResult{}, nil
	case <-ctx.Done():
		return lore.SearchResult{}, lore.StoreUnavailable(ctx.Err())
	}
}

func (stuckSearcher) Similar(context.Context, scrubber.Scrubbed[lore.Observation], string, int) ([]lore.Similar, error) {
	return nil, nil
}

// A slow answer is better than none, unless others wait behind it: a request that had to wait itself is answered within a second or
// given up.
func TestALateRequestIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searcher := make(stuckSearcher)
		limits := Limits{Register: LimitOff, Write: LimitOff, Read: LimitOff, Export: LimitOff}
		clean := scrubber.New(scrubber.Config{})
		router, err := New(Config{Limits: limits, Capacity: Capacity{Reads: 1, Writes: 1, Wait: 600 * time.Millisecond}}, Dependencies{
			Searcher: searcher, Knowledge: knowsNothing{}, Recorder: nothing{}, Scrubber: clean, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		search := func() chan int {
			status := make(chan int, 1)
			go func() {
				answer := httptest.NewRecorder()
				router.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/search/all?q=x", nil))
				status <- answer.Code
			}()
			synctest.Wait()
			return status
		}
		first, second := search(), search()
		time.Sleep(500 * time.Millisecond)
		searcher <- struct{}{}
		if status := <-first; status != http.StatusOK {
			t.Errorf("the first, which did not wait, is answered with %d", status)
		}
		began := time.Now()
		if status := <-second; status != http.StatusServiceUnavailable || time.Since(began) > 500*time.Millisecond {
			t.Errorf("the second, which waited, is answered with %d after %s more", status, time.Since(began))
		}
		third := search()
		time.Sleep(10 * time.Second)
		searcher <- struct{}{}
		if status := <-third; status != http.StatusOK {
			t.Errorf("one that nobody waits with is answered with %d", status)
		}
	})
}
