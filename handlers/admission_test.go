package handlers

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"agentlore/handlers/admit"
	"agentlore/scrubber"
)

// Bodies together take a bounded amount of memory, those of one client a part of it, and give it back.
func TestBodiesAreBounded(t *testing.T) {
	clean, err := scrubber.New(scrubber.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Dependencies: Dependencies{Recorder: nothing{}, Scrubber: clean}, bodies: admit.NewQuota(10_000, 3_000)}
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
	if !s.bodies.Take(self, 2_500) {
		t.Fatal("there is no room for what others send")
	}
	if post(); !errors.Is(read, admit.ErrFull) {
		t.Errorf("a client that holds its part: %v", read)
	}
	s.bodies.Free(self, 2_500)
	for _, other := range []string{"192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"} {
		s.bodies.Take(admit.Networks(netip.MustParseAddr(other)), 2_400)
	}
	if post(); !errors.Is(read, admit.ErrFull) {
		t.Errorf("with no room left for all: %v", read)
	}
}
