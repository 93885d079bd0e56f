package index

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/scrubber"
)

// shared is a store for tests that don't mind what others store: creating ten indices takes a second or more.
var shared struct {
	once   sync.Once
	prefix string
	client *Client
}

func TestMain(m *testing.M) {
	status := m.Run()
	if shared.prefix != "" {
		if err := enginetest.Remove(shared.prefix); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}

// sharedClient returns the client of the shared store.
func sharedClient(t *testing.T) *Client {
	t.Helper()
	address := enginetest.ElasticsearchURL(t)
	shared.once.Do(func() {
		shared.prefix = enginetest.NewPrefix()
		shared.client = openClient(t, shared.prefix, address)
		migrate(t, shared.client)
	})
	if shared.client == nil {
		t.Fatal("the shared store could not be made")
	}
	return shared.client
}

// ownClient returns a client of a store of the test's own, without indices.
func ownClient(t *testing.T) *Client {
	t.Helper()
	return openClient(t, enginetest.Prefix(t), enginetest.ElasticsearchURL(t))
}

func openClient(t *testing.T, prefix, address string) *Client {
	t.Helper()
	client, err := Open(Config{
		Addresses: []string{address}, Username: os.Getenv("ELASTICSEARCH_USERNAME"), Password: os.Getenv("ELASTICSEARCH_PASSWORD"),
		APIKey: os.Getenv("ELASTICSEARCH_API_KEY"), Prefix: prefix, Replicas: "auto", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func migrate(t *testing.T, client *Client) {
	t.Helper()
	if outdated, older, err := client.Migrate(context.Background()); err != nil || len(outdated)+len(older) > 0 {
		t.Fatalf("Migrate: %v, outdated %v, older %v", err, outdated, older)
	}
	// Elasticsearch answers that an index is made after 30 seconds, whether its shards have started or not: on a busy machine they
	// may not have.
	if status, answer := enginetest.Elasticsearch(t, "GET", "/_cluster/health/"+client.Prefix+"-*?wait_for_status=yellow&timeout=2m", ""); status != http.StatusOK {
		t.Fatalf("shards don't start: %d %s", status, answer)
	}
}

// refresh makes what was written searchable.
func refresh(t *testing.T, client *Client, collections ...string) {
	t.Helper()
	for _, collection := range collections {
		if status, answer := enginetest.Elasticsearch(t, "POST", "/"+client.Alias(collection)+"/_refresh", ""); status != http.StatusOK {
			t.Fatalf("refresh %s: %d %s", collection, status, answer)
		}
	}
}

// clean puts a value through the scrubber.
func clean[T any](t *testing.T, value T) scrubber.Scrubbed[T] {
	t.Helper()
	rules := scrubber.New(scrubber.Config{})
	scrubbed, err := scrubber.Scrub(context.Background(), rules, value)
	if err != nil {
		t.Fatal(err)
	}
	return scrubbed
}

func at(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
