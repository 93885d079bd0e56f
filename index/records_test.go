package index

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

func newRecord(name string, created time.Time) lore.Record {
	return lore.Record{
		ID: lore.DerivedID("record", name), SourceID: lore.NewID(), Body: "body of " + name,
		CreatedAt: created.UTC(), ExpiresAt: created.Add(24 * time.Hour).UTC(),
	}
}

// longAgo is when a claim would have to be from for a test to find it abandoned.
var longAgo = time.Time{}

func TestRecords(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	r := Records{client}
	ctx := t.Context()
	first, later := newRecord("life", time.Now()), newRecord("life", time.Now().Add(time.Second))

	if _, claimed, err := r.Claim(ctx, first, longAgo); err != nil || !claimed {
		t.Fatalf("a new key: claimed %v, %v", claimed, err)
	}
	held, claimed, err := r.Claim(ctx, later, longAgo)
	if err != nil || claimed || held.Body != first.Body || held.SourceID != first.SourceID || len(held.Answer) > 0 {
		t.Errorf("a key in flight: %+v, claimed %v, %v", held, claimed, err)
	}
	first.Answer = []byte(`{"id":"1","text":"ü \" \\ "}`)
	if err := r.Complete(ctx, first); err != nil {
		t.Fatal(err)
	}
	if held, claimed, err = r.Claim(ctx, later, longAgo); err != nil || claimed || string(held.Answer) != string(first.Answer) {
		t.Errorf("an answered key: %s, claimed %v, %v; want the answer byte by byte", held.Answer, claimed, err)
	}
	for range 2 { // releasing what isn't there is no error
		if err := r.Release(ctx, first); err != nil {
			t.Fatal(err)
		}
	}
	if _, claimed, err = r.Claim(ctx, later, longAgo); err != nil || !claimed {
		t.Errorf("a released key: claimed %v, %v", claimed, err)
	}
	// Past its life a record counts as not there.
	muchLater := newRecord("life", time.Now().Add(25*time.Hour))
	if _, claimed, err = r.Claim(ctx, muchLater, longAgo); err != nil || !claimed {
		t.Errorf("a key from yesterday: claimed %v, %v", claimed, err)
	}
}

// Of many who claim one key at once, one gets it; also where a record past its life, or one whose request died, is in the way.
func TestOneClaimWins(t *testing.T) {
	t.Parallel()
	r := Records{sharedClient(t)}
	before := map[string]time.Duration{"expired": 48 * time.Hour, "abandoned": time.Minute}
	for _, name := range []string{"new", "expired", "abandoned"} {
		abandoned := time.Now().Add(-time.Minute / 2)
		if age, taken := before[name]; taken {
			if _, _, err := r.Claim(t.Context(), newRecord("crowd "+name, time.Now().Add(-age)), longAgo); err != nil {
				t.Fatal(err)
			}
		}
		var won atomic.Int64
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				_, claimed, err := r.Claim(context.Background(), newRecord("crowd "+name, time.Now().Add(time.Duration(i)*time.Microsecond)), abandoned)
				if err != nil {
					t.Error(err)
				}
				if claimed {
					won.Add(1)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Errorf("a %s key was claimed %d times", name, won.Load())
		}
	}
}

// Whoever comes late to a claim that another request has taken over, changes nothing: neither a claim from before nor one
// with an answer is abandoned, and what the first request lets go is the other's.
func TestAbandonedClaims(t *testing.T) {
	t.Parallel()
	r := Records{sharedClient(t)}
	ctx, now := t.Context(), time.Now()
	dead, second, third := newRecord("abandoned", now.Add(-time.Minute)), newRecord("abandoned", now), newRecord("abandoned", now.Add(time.Second))
	claims := func(record lore.Record, abandoned time.Time) bool {
		t.Helper()
		_, claimed, err := r.Claim(ctx, record, abandoned)
		if err != nil {
			t.Fatal(err)
		}
		return claimed
	}
	if !claims(dead, longAgo) || claims(second, now.Add(-2*time.Minute)) {
		t.Fatal("want a claim, and another one refused while the first is younger than what counts as abandoned")
	}
	other := second
	other.Body = "another body"
	if claims(other, now) {
		t.Error("another body took over a key: its agent would never hear of the mismatch")
	}
	if !claims(second, now) {
		t.Error("an abandoned claim was not given to the next")
	}
	if err := r.Release(ctx, dead); err != nil {
		t.Fatal(err)
	}
	if claims(third, now.Add(-time.Minute)) {
		t.Error("a request that came back released the claim of the one that had taken over")
	}
	second.Answer = []byte(`{"id":"1"}`)
	if err := r.Complete(ctx, second); err != nil {
		t.Fatal(err)
	}
	if claims(third, now.Add(time.Minute)) {
		t.Error("a key with an answer was taken over")
	}
}

func TestSweepOfRecords(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	r := Records{client}
	for i := range 4 {
		age := time.Duration(i%2) * 300 * time.Hour
		if _, _, err := r.Claim(t.Context(), newRecord(fmt.Sprint("sweep ", i), time.Now().Add(-age)), longAgo); err != nil {
			t.Fatal(err)
		}
	}
	refresh(t, client, RecordsIndex)
	// Of a time when only these two are past their life.
	if deleted, err := r.Sweep(t.Context(), time.Now().Add(-100*time.Hour)); err != nil || deleted != 2 {
		t.Errorf("the sweep deleted %d, %v; want the two that are past their life", deleted, err)
	}
	for i := range 4 {
		_, claimed, err := r.Claim(t.Context(), newRecord(fmt.Sprint("sweep ", i), time.Now()), longAgo)
		if gone := i%2 == 1; err != nil || claimed != gone {
			t.Errorf("record %d: free %v, want %v (%v)", i, claimed, gone, err)
		}
	}
}

// More documents than one request may delete go all the same: the store answers before it is done, and is waited for.
func TestManyDocumentsAreDeleted(t *testing.T) {
	t.Parallel()
	var waited atomic.Bool
	client, err := Open(Config{
		Addresses: []string{enginetest.ElasticsearchURL(t)}, Prefix: enginetest.Prefix(t), Replicas: "auto", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
		Observer: observed(func(operation string) { waited.CompareAndSwap(false, operation == "tasks") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	migrate(t, client)
	alias := client.Alias(SearchLogIndex)
	var operations []Operation
	for i := range deletedAtOnce + 2 {
		age := 40
		if i == 0 {
			age = 1
		}
		operations = append(operations, Operation{Action: "index", Index: alias, ID: fmt.Sprint(i), Document: map[string]any{"created_at": time.Now().AddDate(0, 0, -age)}})
	}
	if err := client.BulkAll(t.Context(), operations, nil); err != nil {
		t.Fatal(err)
	}
	refresh(t, client, SearchLogIndex)
	if err := client.Prune(t.Context(), SearchLogIndex, 30); err != nil {
		t.Fatal(err)
	}
	refresh(t, client, SearchLogIndex)
	if left, err := client.Count(t.Context(), alias, map[string]any{"match_all": map[string]any{}}); err != nil || left != 1 {
		t.Errorf("%d are left, %v; want the one that is young", left, err)
	}
	if !waited.Load() {
		t.Error("they were deleted within one request, which has a deadline")
	}
}

// observed hears which operations are called.
type observed func(operation string)

func (o observed) Call(operation string, _ time.Duration) { o(operation) }
func (o observed) Bulk(int)                               {}
func (o observed) BulkWait(time.Duration)                 {}
