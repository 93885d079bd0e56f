package index

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

func newWriter(t *testing.T, client *Client) *Writer {
	t.Helper()
	writer := client.NewWriter()
	t.Cleanup(func() { _ = writer.Close(context.Background()) })
	return writer
}

func document(id string) lore.Asset {
	return lore.Asset{ID: id, Name: "bulk", Type: "tool", Summary: "bulk " + id, CreatedAt: time.Now().UTC()}
}

// Callers that share a bulk request each get their own answer.
func TestWriterAnswersEachCaller(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	writer := newWriter(t, client)
	alias := client.AliasOf(lore.Assets)
	taken := lore.NewID()
	if err := writer.Create(t.Context(), alias, taken, document(taken)); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 300 {
		group.Go(func() {
			id := lore.NewID()
			switch i % 3 {
			case 0:
				if err := writer.Create(t.Context(), alias, taken, document(taken)); !errors.Is(err, ErrConflict) {
					t.Errorf("an id that exists: %v, want a conflict", err)
				}
			case 1:
				err := writer.Create(t.Context(), alias, id, map[string]any{"id": id, "no_such_field": "canary-text", "summary": "canary-text"})
				var refused *responseError
				if !errors.As(err, &refused) || refused.status != http.StatusBadRequest || strings.Contains(err.Error(), "canary") {
					t.Errorf("a field that isn't mapped: %v, want a refusal that quotes nothing", err)
				}
			default:
				if err := writer.Create(t.Context(), alias, id, document(id)); err != nil {
					t.Error(err)
				}
				enginetest.Source(t, alias, id)
			}
		})
	}
	group.Wait()
}

// Without its alias a write fails, retryably, and no index springs up with a guessed mapping.
func TestNothingIsCreatedByAccident(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	writer := newWriter(t, client)
	ctx := t.Context()
	id := lore.NewID()
	for what, err := range map[string]error{
		"bulk write":     writer.Create(ctx, client.AliasOf(lore.Assets), id, document(id)),
		"single write":   client.CreateDocument(ctx, client.AliasOf(lore.Sources), id, document(id)),
		"bulk of a kind": client.BulkAll(ctx, []Operation{{Action: "index", Index: client.Alias(AccountsIndex), ID: id, Document: document(id)}}, nil),
		"record":         Records{client}.Complete(ctx, newRecord("accident", time.Now())),
	} {
		if lore.CodeOf(err) != lore.CodeStoreUnavailable {
			t.Errorf("%s without an alias: %v, want store_unavailable", what, err)
		}
	}
	if _, err := NewCollection[lore.Asset](client, lore.Assets, "asset").Get(ctx, id); lore.CodeOf(err) != lore.CodeStoreUnavailable {
		t.Errorf("read without an alias: %v, want store_unavailable, and not that there is no such asset", err)
	}
	if _, err := client.Counts(ctx, lore.Assets); lore.CodeOf(err) != lore.CodeStoreUnavailable {
		t.Errorf("count without an alias: %v, want store_unavailable", err)
	}
	if names := enginetest.Indices(t, client.Prefix); len(names) > 0 {
		t.Errorf("indices sprang up: %v", names)
	}
}

func TestWriterFaults(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	between := enginetest.NewProxy(t)
	writer := newWriter(t, openClient(t, client.Prefix, between.URL))
	alias := client.AliasOf(lore.Assets)
	bulk := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/_bulk") }
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusInternalServerError} {
		between.Set(func(*http.Request) int { return status }, nil)
		id := lore.NewID()
		if err := writer.Create(t.Context(), alias, id, document(id)); lore.CodeOf(err) != lore.CodeStoreUnavailable {
			t.Errorf("a bulk request answered %d: %v, want store_unavailable", status, err)
		}
	}
	// The answer is lost after it was carried out: the second try meets its own document.
	between.Set(nil, enginetest.Once(http.StatusBadGateway, bulk))
	id := lore.NewID()
	if err := writer.Create(t.Context(), alias, id, document(id)); !errors.Is(err, ErrConflict) {
		t.Errorf("a lost answer: %v, want a conflict, which the caller knows for its own", err)
	}
	between.Set(nil, nil)
	enginetest.Source(t, alias, id)

	// A caller who goes away is not the store's fault.
	ctx, cancel := context.WithCancel(t.Context())
	between.Set(func(*http.Request) int { cancel(); return 0 }, nil)
	if err := writer.Create(ctx, alias, lore.NewID(), document(lore.NewID())); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled write: %v", err)
	}
	between.Set(nil, nil)
	if err := writer.Create(t.Context(), alias, lore.NewID(), func() {}); err == nil {
		t.Error("what can't be encoded was stored")
	}
}

// A read-only index, as a full disk makes it, is the store's state and passes.
func TestReadOnlyIndex(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	writer := newWriter(t, client)
	wantHealth := func(index, setting, on string, want Health) {
		t.Helper()
		enginetest.Elasticsearch(t, "PUT", "/"+index+"-"+FirstGeneration+"/_settings", fmt.Sprintf(`{%q:%s}`, setting, on))
		if health := client.Health(t.Context()); health != want {
			t.Errorf("with %s of %s %s health is %s, want %s", setting, index, on, health, want)
		}
	}
	submissions := client.AliasOf(lore.Submissions)
	wantHealth(submissions, "index.blocks.read_only_allow_delete", "true", HealthReadOnly)
	wantHealth(submissions, "index.blocks.read_only_allow_delete", "null", HealthOK)
	wantHealth(submissions, "index.blocks.write", "true", HealthOK) // a migration's: writers wait for its end
	wantHealth(submissions, "index.blocks.write", "null", HealthOK)
	index := client.AliasOf(lore.Assets) + "-" + FirstGeneration
	block := func(on string) {
		enginetest.Elasticsearch(t, "PUT", "/"+index+"/_settings", fmt.Sprintf(`{"index.blocks.read_only_allow_delete":%s}`, on))
	}
	block("true")
	id := lore.NewID()
	if err := writer.Create(t.Context(), client.AliasOf(lore.Assets), id, document(id)); lore.CodeOf(err) != lore.CodeStoreUnavailable {
		t.Errorf("a write to a read-only index: %v, want store_unavailable", err)
	}
	if err := client.CreateDocument(t.Context(), client.AliasOf(lore.Assets), id, document(id)); lore.CodeOf(err) != lore.CodeStoreUnavailable {
		t.Errorf("a write to a read-only index: %v, want store_unavailable", err)
	}
	block("null")
	if err := writer.Create(t.Context(), client.AliasOf(lore.Assets), id, document(id)); err != nil {
		t.Errorf("after the block: %v", err)
	}
}
