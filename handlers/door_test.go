package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// untouched is a body that nobody may read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body of a refused request is read")
	return 0, errors.New("read")
}

// What has no chance of its turn gets the same problem as every other refusal, and costs nothing but that.
func TestDoor(t *testing.T) {
	full, free := newGate("reads", 1, 1, time.Minute), newGate("writes", 1, 1, time.Minute)
	full.waiting = make([]chan struct{}, queueFactor)
	s := &server{}
	d := newDoor(nothing{}, slog.New(slog.DiscardHandler))
	d.guard(operation{Method: http.MethodPost, Path: "/full/{id}"}, full)
	d.guard(operation{Method: http.MethodPost, Path: "/free"}, free)
	router := gin.New()
	router.Use(d.pass(s))
	for _, path := range []string{"/full/:id", "/free", "/health"} {
		router.POST(path, func(c *gin.Context) { c.String(http.StatusOK, "worked on") })
	}
	post := func(path string, body io.Reader) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, body))
		return answer
	}
	for _, path := range []string{"/free", "/health"} {
		if answer := post(path, http.NoBody); answer.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
	seen := map[string]bool{}
	for range 2 {
		answer := post("/full/7", untouched{t})
		header := answer.Header()
		if answer.Code != http.StatusServiceUnavailable || header.Get("Retry-After") != "1" || header.Get("Content-Type") != "application/problem+json" ||
			header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%d %v", answer.Code, header)
		}
		var got, want problem
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
			t.Fatalf("%v: %s", err, answer.Body)
		}
		id := header.Get("X-Request-ID")
		if seen[id] || id == "" {
			t.Errorf("the request's id is %q", id)
		}
		seen[id] = true
		text, _ := json.Marshal(newProblem(&request{id: id, route: "/full/{id}"}, overloaded()))
		_ = json.Unmarshal(text, &want)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(problem{})); diff != "" || got.Code != lore.CodeStoreUnavailable {
			t.Errorf("not the problem of other refusals: %s", diff)
		}
	}
}

// Refused requests are told of in the log, in a line a second.
func TestRefusalsAreLoggedTogether(t *testing.T) {
	t.Parallel()
	lines := make(chan string, 9)
	r := refusals{log: slog.New(slog.NewTextHandler(told(lines), nil))}
	for range 1000 {
		r.note()
	}
	select {
	case line := <-lines:
		if !bytes.Contains([]byte(line), []byte("count=1000 ")) {
			t.Errorf("the log says %q", line)
		}
	case <-time.After(time.Minute):
		t.Error("nobody is told")
	}
}

// told is a writer that hands on what is written.
type told chan string

func (w told) Write(p []byte) (int, error) { w <- string(p); return len(p), nil }
