package index

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/mappings"
)

// Several processes start at once on an empty store: each index is made once, whole, under its alias.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			outdated, older, err := openClient(t, client.Prefix, enginetest.ElasticsearchURL(t)).Migrate(context.Background())
			if err != nil || len(outdated)+len(older) > 0 {
				t.Errorf("Migrate: %v, outdated %v, older %v", err, outdated, older)
			}
		})
	}
	group.Wait()
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for name := range definitions {
		want = append(want, client.Alias(name)+"-"+FirstGeneration)
	}
	got := enginetest.Indices(t, client.Prefix)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("indices are %v, want %v", got, want)
	}
	for name, definition := range definitions {
		_, answer := enginetest.Elasticsearch(t, "GET", "/"+client.Alias(name), "")
		var found map[string]struct {
			Aliases  map[string]any `json:"aliases"`
			Mappings struct {
				Dynamic any `json:"dynamic"`
				Meta    struct {
					Hash string `json:"hash"`
				} `json:"_meta"`
			} `json:"mappings"`
			Settings struct {
				Index struct {
					Shards  string `json:"number_of_shards"`
					Mode    string `json:"mode"`
					Refresh string `json:"refresh_interval"`
				} `json:"index"`
			} `json:"settings"`
		}
		if err := json.Unmarshal(answer, &found); err != nil || len(found) != 1 {
			t.Fatalf("%s: %v %.300s", name, err, answer)
		}
		refresh := "1s"
		if definition.Internal {
			refresh = "" // when somebody searches
		}
		for _, index := range found {
			if index.Aliases[client.Alias(name)] == nil || index.Mappings.Dynamic != "strict" || index.Mappings.Meta.Hash != definition.Hash ||
				index.Settings.Index.Shards != "1" || definition.Lookup != (index.Settings.Index.Mode == "lookup") || index.Settings.Index.Refresh != refresh {
				t.Errorf("%s is %+v", name, index)
			}
		}
		// Nothing that isn't mapped gets in, at the top or below.
		for _, unknown := range []string{`{"no_such_field":1}`, `{"outcomes":{"no_such_field":1}}`, `{"evidence":{"no_such_field":1}}`, `{"target":{"no_such_field":1}}`} {
			if status, answer := enginetest.Elasticsearch(t, "POST", "/"+client.Alias(name)+"/_doc", unknown); status != http.StatusBadRequest {
				t.Errorf("%s takes %s: %d %s", name, unknown, status, answer)
			}
		}
	}
}

// An operator's shards are those of the public collections; the internal ones, which are read by id, keep one.
func TestShards(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	client.Shards, client.Replicas = Shards{"": 2}, "0"
	migrate(t, client)
	for name, want := range map[string]string{"submissions": "2", "accounts": "1", "patterns": "1"} {
		_, answer := enginetest.Elasticsearch(t, "GET", "/"+client.Alias(name)+"/_settings?flat_settings=true", "")
		if !strings.Contains(string(answer), fmt.Sprintf(`"index.number_of_shards":%q`, want)) || !strings.Contains(string(answer), `"index.number_of_replicas":"0"`) {
			t.Errorf("%s: want %s shards and no replica: %s", name, want, answer)
		}
	}
}

func TestWaitReady(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{http.StatusUnauthorized: "credentials", http.StatusForbidden: "credentials", http.StatusServiceUnavailable: "did not answer"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			w.WriteHeader(status)
		}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		began := time.Now()
		err := openClient(t, "wait", server.URL).WaitReady(ctx)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("an Elasticsearch that answers %d: %v, want %q", status, err, want)
		}
		if quick := time.Since(began) < 900*time.Millisecond; want == "credentials" && !quick {
			t.Error("a refused password was waited for")
		}
		cancel()
		server.Close()
	}
}

func TestConfigurationFaults(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "A", "a-b", "a*", "_a", "a/b", "ä", strings.Repeat("a", 64), "a,b", "a b"} {
		if _, err := Open(Config{Prefix: prefix, Addresses: []string{"http://127.0.0.1:1"}, Log: slog.New(slog.DiscardHandler)}); err == nil {
			t.Errorf("the prefix %q was taken", prefix)
		}
	}
	err := Config{Prefix: "-", CACert: []byte("no PEM")}.Check()
	if err == nil || !strings.Contains(err.Error(), "prefix") || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("two faults are %v", err)
	}
}

// Every field of what this package stores is in its mapping: strict refuses a document for one that isn't.
func TestStoredFieldsAreMapped(t *testing.T) {
	t.Parallel()
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	for collection, document := range map[string]any{
		"submissions": submissionDocument{}, "records": recordDocument{},
		"sources": lore.Source{}, "assets": lore.Asset{}, "suggestions": lore.Suggestion{}, "safety-flags": lore.SafetyFlag{}, "outcomes": lore.Outcome{}, "decisions": lore.Decision{},
	} {
		properties, _ := definitions[collection].Mappings["properties"].(map[string]any)
		for _, field := range jsonFields(reflect.TypeOf(document)) {
			if properties[field] == nil {
				t.Errorf("%s has no mapping for %s", collection, field)
			}
		}
	}
}

// jsonFields returns the names under which a struct's fields are written, with those of embedded structs.
func jsonFields(of reflect.Type) []string {
	var names []string
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			names = append(names, jsonFields(field.Type)...)
		case name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

// A search looks into every segment: of those that each refresh leaves, only a few stand side by side.
func TestSegmentsAreFew(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	for range 30 {
		put(t, client, lore.Submissions, submissionDocument{Submission: lore.Submission{ID: lore.NewID(), Summary: "oracle price is stale", CreatedAt: at(1)}})
	}
	const few = 12 // 10 of a size, and those that are being merged
	enginetest.Eventually(t, fmt.Sprintf("at most %d segments stand side by side", few), func() bool {
		_, answer := enginetest.Elasticsearch(t, "GET", "/_cat/segments/"+client.AliasOf(lore.Submissions)+"?format=json", "")
		var segments []json.RawMessage
		if err := json.Unmarshal(answer, &segments); err != nil {
			t.Fatal(err)
		}
		return len(segments) <= few
	})
}
