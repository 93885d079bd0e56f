// Package indextest makes stores for the tests of packages that are built on index.
package indextest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Store returns a client of a store of the test's own, with all indices and no documents. It ends with the test.
func Store(tb testing.TB) *index.Client {
	tb.Helper()
	client := Empty(tb)
	Migrate(tb, client)
	return client
}

// Empty returns a client of a store of the test's own, without indices. It ends with the test.
func Empty(tb testing.TB) *index.Client {
	tb.Helper()
	return Open(tb, enginetest.Prefix(tb), enginetest.ElasticsearchURL(tb))
}

// Migrate makes a store's indices, which must not be there in another form, and waits for their shards.
func Migrate(tb testing.TB, client *index.Client) {
	tb.Helper()
	if outdated, older, err := client.Migrate(context.Background()); err != nil || len(outdated)+len(older) > 0 {
		tb.Fatalf("Migrate: %v, outdated %v, older %v", err, outdated, older)
	}
	// Elasticsearch answers that an index is made after 30 seconds, whether its shards have started or not: on a busy machine they
	// may not have.
	if status, answer := enginetest.Elasticsearch(tb, "GET", "/_cluster/health/"+client.Prefix+"-*?wait_for_status=yellow&timeout=2m", ""); status != http.StatusOK {
		tb.Fatalf("shards don't start: %d %s", status, answer)
	}
}

// Open returns a client of the store with a prefix, which reaches it at an address, as that of an enginetest.Proxy.
func Open(tb testing.TB, prefix, address string) *index.Client {
	tb.Helper()
	client, err := index.Open(index.Config{
		Addresses: []string{address}, Username: os.Getenv("ELASTICSEARCH_USERNAME"), Password: os.Getenv("ELASTICSEARCH_PASSWORD"),
		APIKey: os.Getenv("ELASTICSEARCH_API_KEY"), Prefix: prefix, Replicas: "auto", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return client
}

// Writer returns a writer of a store. It closes with the test.
func Writer(tb testing.TB, client *index.Client) *index.Writer {
	tb.Helper()
	writer := client.NewWriter()
	tb.Cleanup(func() { _ = writer.Close(context.Background()) })
	return writer
}

// Put stores documents under the ids in their field "id", and makes them searchable.
func Put[T any](tb testing.TB, client *index.Client, collection lore.Collection, documents ...T) {
	tb.Helper()
	operations := make([]index.Operation, len(documents))
	for i, document := range documents {
		var named struct{ ID string }
		text, err := json.Marshal(document)
		if err == nil {
			err = json.Unmarshal(text, &named)
		}
		if err != nil || named.ID == "" {
			tb.Fatalf("the id of %T: %v", document, err)
		}
		operations[i] = index.Operation{Action: "create", Index: client.AliasOf(collection), ID: named.ID, Document: document}
	}
	if err := client.BulkAll(tb.Context(), operations, nil); err != nil {
		tb.Fatalf("store in %s: %v", collection, err)
	}
	Refresh(tb, client, collection)
}

// Refresh makes what was written to collections searchable.
func Refresh[C ~string](tb testing.TB, client *index.Client, collections ...C) {
	tb.Helper()
	for _, collection := range collections {
		if status, answer := enginetest.Elasticsearch(tb, "POST", "/"+client.Alias(string(collection))+"/_refresh", ""); status != http.StatusOK {
			tb.Fatalf("refresh %s: %d %s", collection, status, answer)
		}
	}
}

// Clean puts a value through the scrubber.
func Clean[T any](tb testing.TB, value T) scrubber.Scrubbed[T] {
	tb.Helper()
	rules := scrubber.New(scrubber.Config{})
	scrubbed, err := scrubber.Scrub(context.Background(), rules, value)
	if err != nil {
		tb.Fatal(err)
	}
	return scrubbed
}

// At returns a time of one day, by its hour.
func At(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
