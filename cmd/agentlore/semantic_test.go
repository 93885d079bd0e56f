package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/ask"
	"agentlore/enginetest"
	"agentlore/lore"
)

// embeddings is an embeddings server that knows which of two things a text is about: it stands in for a model where a test is of how the
// service works with one, not of how well it finds.
type embeddings struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
	down bool
}

func newEmbeddings(t *testing.T) *embeddings {
	e := new(embeddings)
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string
			Input []string
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.sent = append(e.sent, asked.Input...)
		if e.down || asked.Model != "test-model" {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		var data []map[string]any
		for i, text := range asked.Input {
			vector := make([]float64, 384)
			if vector[1] = 1; strings.Contains(text, "loan") || strings.Contains(text, "borrow") {
				vector[0] = 3
			}
			data = append(data, map[string]any{"index": i, "embedding": vector})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *embeddings) setDown(down bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down = down
}

func (e *embeddings) texts() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.sent, "\n")
}

// With an embeddings server, stored items are soon found by their meaning, GET /status shows how many have a vector, and no secret
// reaches that server. While it fails, searches use words alone, and the missing vectors are made later.
func TestSemanticLayer(t *testing.T) {
	t.Parallel()
	server := newEmbeddings(t)
	server.setDown(true)
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix, "--embeddings-url="+server.URL+"/v1/embeddings", "--embeddings-model=test-model")
	me := s.register(t, "is-near")
	secret := "someone" + "@" + "example.org"
	near := s.submit(t, me, observation("A loan is worth more than what secures it, mail "+secret))
	s.submit(t, me, observation("A bridge relayer stalls"))
	inTime(t, "both are stored", func() bool { return len(s.searchFor(t, "", "sort=newest").Results) == 2 })

	type layered struct {
		Layers  map[string]lore.LayerState
		Results []lore.SearchHit
	}
	search := func(q string) layered {
		return decode[layered](t, s.get(t, "/search/all?q="+strings.ReplaceAll(q, " ", "+")).want(t, 200))
	}
	type status struct {
		Semantic *struct {
			Model    string
			Coverage float64
		}
	}
	if got := search("relayer"); got.Layers["semantic"] != lore.LayerUnavailable || len(got.Results) != 1 || !slices.Equal(got.Results[0].MatchedBy, []string{"keyword"}) {
		t.Errorf("while the server is down: %+v", got)
	}
	if got := decode[status](t, s.get(t, "/status").want(t, 200)); got.Semantic == nil || got.Semantic.Model != "test-model" || got.Semantic.Coverage != 0 {
		t.Errorf("while the server is down: %+v", got.Semantic)
	}
	server.setDown(false)
	enginetest.Within(t, time.Minute, "all items have vectors", func() bool {
		return decode[status](t, s.get(t, "/status").want(t, 200)).Semantic.Coverage == 1
	})
	enginetest.Within(t, time.Minute, "searches ask the server again", func() bool { return search("credit borrowed by " + secret).Layers["semantic"] == lore.LayerActive })
	got := search("credit borrowed by " + secret)
	if len(got.Results) == 0 || got.Results[0].ID != near.ID || !slices.Contains(got.Results[0].MatchedBy, "semantic") {
		t.Errorf("found %+v", got.Results)
	}
	if answer := s.asked(t, "credit borrowed"); !slices.ContainsFunc(answer.Also, func(o ask.OtherProblem) bool { return o.ID == near.ID }) || len(answer.Why) != 1 {
		t.Errorf("an ask in other words is answered %+v", answer)
	}
	if texts := server.texts(); strings.Contains(texts, secret) || !strings.Contains(texts, "credit borrowed by [") || !strings.Contains(texts, "A loan is worth more") {
		t.Errorf("the server got %s", texts)
	}
	if written := metric(t, s, "agentlore_semantic_vectors_written_total"); written != "2" {
		t.Errorf("%s vectors are counted", written)
	}
	if item := string(s.get(t, "/submissions/"+near.ID).want(t, 200).body); strings.Contains(item, "embedding") {
		t.Errorf("an item shows its vector: %.300s", item)
	}

	checked := append([]string{"check", "--listen=127.0.0.1:0", "--embeddings-url=" + server.URL, "--embeddings-model=test-model"}, storeFlags(t, prefix)...)
	if _, printed, _ := run(t, checked...); !strings.Contains(printed, "ok       Embeddings server: it answers") {
		t.Errorf("check prints %s", printed)
	}

	without := serve(t, prefix)
	body := string(without.get(t, "/status").want(t, 200).body)
	if strings.Contains(body, "semantic") || fmt.Sprint(decode[layered](t, without.get(t, "/search/all?q=credit").want(t, 200)).Layers["semantic"]) != "reserved" {
		t.Errorf("a service without the layer: %s", body)
	}
}

// Whatever is wrong with the embeddings server, an ask is answered as by words alone, and says so.
func TestAsksDoWithoutTheEmbeddingsServer(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	without := serve(t, prefix, "--no-curate")
	known := without.submit(t, without.register(t, "knows"), observation("Quoll vault refuses a withdrawal with ShareLocked"))
	const question = "ShareLocked at a Quoll vault"
	inTime(t, "it is known", func() bool { return without.asked(t, question).Problem != nil })
	want := without.asked(t, question)
	if want.Problem.ID != known.ID {
		t.Fatalf("by words: %+v", want)
	}
	for name, fault := range map[string]http.HandlerFunc{
		"slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"down": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadGateway) },
		"of other size": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data": [{"index": 0, "embedding": [1, 2]}]}`)
		},
		"without direction": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data": [{"index": 0, "embedding": [`+strings.Repeat("0,", 383)+`0]}]}`)
		},
		"answers no numbers": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), question) { // else an item's vector is wanted
					asked.Store(true)
				}
				fault(w, r)
			}))
			t.Cleanup(server.Close)
			s := serve(t, prefix, "--no-curate", "--embeddings-url="+server.URL, "--embeddings-model=test-model")
			inTime(t, "the server is asked", func() bool {
				got, expected := s.asked(t, question), want
				expected.Why = append(slices.Clone(want.Why), "searched by words alone: the semantic layer is unavailable")
				if difference := cmp.Diff(expected, got); difference != "" {
					t.Fatal(difference)
				}
				return asked.Load()
			})
		})
	}
}

func TestEmbeddingsNeedAnAddressAndAModel(t *testing.T) {
	t.Parallel()
	status, _, errs := run(t, append([]string{"serve", "--listen=127.0.0.1:0", "--embeddings-url=ftp://user:word@x", "--embeddings-dimensions=0"}, storeFlags(t, enginetest.Prefix(t))...)...)
	if status == 0 || !strings.Contains(errs, "AGENTLORE_EMBEDDINGS_URL") || !strings.Contains(errs, "AGENTLORE_EMBEDDINGS_MODEL") || !strings.Contains(errs, "AGENTLORE_EMBEDDINGS_DIMENSIONS") || strings.Contains(errs, "word") {
		t.Errorf("status %d, %s", status, errs)
	}
}
