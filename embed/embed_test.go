package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server is an embeddings server of two dimensions that answers what a test says; asked counts its requests and holds what was sent last.
type server struct {
	client *Client
	asked  atomic.Int64
	sent   atomic.Value
}

func serve(t *testing.T, answer func(w http.ResponseWriter, texts []string)) *server {
	t.Helper()
	s := new(server)
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		s.sent.Store(r.Header.Get("Authorization") + " " + string(body))
		var asked struct{ Input []string }
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Error(err)
		}
		answer(w, asked.Input)
	}))
	t.Cleanup(listening.Close)
	client, err := New(Config{
		URL: listening.URL, Model: "m", Key: "key", Dimensions: 2, Prefix: "query: ", Clean: func(text string) string { return strings.ReplaceAll(text, "secret", "[removed]") },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	return s
}

// answered writes vectors in the form of OpenAI, the last first: a server may answer in any order.
func answered(w io.Writer, vectors ...string) {
	var data []string
	for i := len(vectors) - 1; i >= 0; i-- {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, vectors[i]))
	}
	fmt.Fprintf(w, `{"object":"list","model":"m","data":[%s]}`, strings.Join(data, ","))
}

func TestVectorsAreOfTheirTexts(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, texts []string) { answered(w, `[0.5, 0]`, `[0, -0.25]`) })
	vectors, err := s.client.Vectors(t.Context(), []string{"a", "b"})
	if err != nil || fmt.Sprint(vectors) != "[[127 0] [0 -127]]" {
		t.Fatalf("%v, %v", vectors, err)
	}
	if sent := s.sent.Load().(string); sent != `Bearer key {"input":["a","b"],"model":"m"}` {
		t.Errorf("sent %s", sent)
	}
	if got := Cosine(vectors[0], ReadHex(vectors[0].Hex())); got != 1 {
		t.Errorf("a vector that was written and read is %v like itself", got)
	}
}

// Whatever a server answers that isn't a vector for each text is an error, and none repeats what the server said.
func TestRubbishIsNoVector(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter){
		"an error":           func(w http.ResponseWriter) { http.Error(w, "rubbish", http.StatusInternalServerError) },
		"a redirect":         func(w http.ResponseWriter) { w.Header().Set("Location", "/rubbish"); w.WriteHeader(http.StatusFound) },
		"no JSON":            func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>rubbish") },
		"words":              func(w http.ResponseWriter) { answered(w, `["rubbish", 1]`, `[1, 2]`) },
		"one vector of two":  func(w http.ResponseWriter) { answered(w, `[1, 2]`) },
		"one of other size":  func(w http.ResponseWriter) { answered(w, `[1, 2]`, `[1, 2, 3]`) },
		"one of zeros":       func(w http.ResponseWriter) { answered(w, `[1, 2]`, `[0, 0]`) },
		"one beyond numbers": func(w http.ResponseWriter) { answered(w, `[1, 2]`, `[1e999, 2]`) },
		"the first twice": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ []string) { answer(w) })
			vectors, err := s.client.Vectors(t.Context(), []string{"a", "b"})
			if err == nil || strings.Contains(err.Error(), "rubbish") {
				t.Errorf("%v, %v", vectors, err)
			}
		})
	}
}

// Of a failed batch the error says whether one of its texts may be why, or the server.
func TestARefusedTextIsToldFromAServerThatIsDown(t *testing.T) {
	t.Parallel()
	for status, refused := range map[int]bool{400: true, 413: true, 422: true, 500: true, 401: false, 404: false, 429: false, 503: false} {
		s := serve(t, func(w http.ResponseWriter, _ []string) { w.WriteHeader(status) })
		if _, err := s.client.Vectors(t.Context(), []string{"a", "b"}); err == nil || errors.Is(err, ErrRefused) != refused {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A question's vector is asked for once, of its scrubbed text.
func TestQuestionIsScrubbedAndKept(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, texts []string) { answered(w, `[1, 0]`) })
	for range 3 {
		if _, err := s.client.Question(t.Context(), "why is secret  "+strings.Repeat("refused ", 200)); err != nil {
			t.Fatal(err)
		}
	}
	sent := s.sent.Load().(string)
	if s.asked.Load() != 1 || strings.Contains(sent, "secret") || !strings.Contains(sent, `"query: why is [removed] refused`) || len(sent) > textLength+100 {
		t.Errorf("asked %d times, last with %s", s.asked.Load(), sent)
	}
}

// A server that hangs holds up a few questions for the deadline, and then none.
func TestSlowServerIsLeftAlone(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(http.ResponseWriter, []string) { <-release })
	defer close(release)
	for i := range failuresInRow {
		began := time.Now()
		if _, err := s.client.Question(t.Context(), fmt.Sprint(i)); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("question %d: %v", i, err)
		}
		if took := time.Since(began); took < questionDeadline {
			t.Errorf("question %d waited %v", i, took)
		}
	}
	for i := range 20 {
		if _, err := s.client.Question(t.Context(), fmt.Sprint("later ", i)); err == nil {
			t.Error("a vector came from nowhere")
		}
	}
	if asked := s.asked.Load(); asked != failuresInRow {
		t.Errorf("asked %d times", asked)
	}
}

// A caller that goes away says nothing of the server.
func TestCancelledQuestionIsNoFailure(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ []string) { answered(w, `[1, 0]`) })
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 2 * failuresInRow {
		if _, err := s.client.Question(gone, fmt.Sprint(i)); !errors.Is(err, context.Canceled) {
			t.Fatalf("question %d: %v", i, err)
		}
	}
	if _, err := s.client.Question(t.Context(), "here"); err != nil {
		t.Errorf("then: %v", err)
	}
}
