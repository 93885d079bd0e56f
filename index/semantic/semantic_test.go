package semantic

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"agentlore/embed"
	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/index/indextest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// letters makes vectors of the letters in a text: it stands in for a model where a test is of what is stored, not of what it means.
type letters struct {
	mu     sync.Mutex
	texts  []string // that were asked for
	refuse string   // texts with it fail their batch
	how    error    // they do so
	asked  int      // times
}

func (l *letters) Question(ctx context.Context, text string) (embed.Vector, error) {
	vectors, err := l.Vectors(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

func (l *letters) Vectors(_ context.Context, texts []string) ([]embed.Vector, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	var vectors []embed.Vector
	for _, text := range texts {
		if l.refuse != "" && strings.Contains(text, l.refuse) {
			return nil, l.how
		}
		l.texts = append(l.texts, text)
		vector := make(embed.Vector, 384)
		for _, letter := range text {
			vector[letter%384]++
		}
		vectors = append(vectors, vector)
	}
	return vectors, nil
}

// layerOf returns a layer of a store, for vectors of a model.
func layerOf(t *testing.T, client *index.Client, embedder Embedder, model string) *Layer {
	t.Helper()
	l := New(client, embedder, model, 384, slog.New(slog.DiscardHandler))
	if err := l.fits(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

func sure(context.Context) error { return nil }

// fillAll goes once through what is missing, and wants so many items covered then.
func fillAll(t *testing.T, l *Layer, want int64) {
	t.Helper()
	if err := l.round(t.Context(), sure); err != nil {
		t.Fatal(err)
	}
	for _, searchable := range lore.SearchTypes() {
		enginetest.Elasticsearch(t, "POST", "/"+l.client.AliasOf(searchable.Collection)+"/_refresh", "")
	}
	if covered, all, err := l.Coverage(t.Context()); err != nil || covered != want {
		t.Fatalf("%d of %d items have a vector of %s, want %d; %v", covered, all, l.model, want, err)
	}
}

// items returns a submission and a unit.
func items() (lore.Submission, lore.KnowledgeUnit) {
	return lore.Submission{ID: lore.NewID(), Summary: "Oracle  is\nstale", Content: strings.Repeat("x", 600), Tags: []string{}, CreatedAt: indextest.At(1)},
		lore.KnowledgeUnit{ID: lore.NewID(), Summary: "Swap without a deadline", Resolution: "Take one", Tags: []string{}, CreatedAt: indextest.At(1)}
}

// Every item gets a vector of its text's beginning, once. A text that changes loses it and gets another; another model makes all anew.
func TestVectorsFollowTextsAndModel(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	report, unit := items()
	indextest.Put(t, client, lore.Submissions, report)
	indextest.Put(t, client, lore.KnowledgeUnits, unit)
	model := new(letters)
	first := layerOf(t, client, model, "first")
	fillAll(t, first, 2)
	fillAll(t, first, 2)
	if len(model.texts) != 2 || !contains(model.texts, "Oracle is stale xxx") || !contains(model.texts, "Swap without a deadline Take one") {
		t.Errorf("asked for %q", model.texts)
	}

	lease, err := client.AcquireLease(t.Context(), "curator", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lease.Release(context.Background()) }()
	target := lore.Target{Collection: lore.KnowledgeUnits, ID: unit.ID}
	store := curation.New(client, lease)
	for _, change := range []struct {
		set     map[string]any
		covered int64
	}{
		{map[string]any{"summary": unit.Summary, "resolution": unit.Resolution, "content": "", "tags": []string{}, "tier": 4}, 2}, // the same words
		{map[string]any{"summary": "Swap without slippage", "resolution": "Set one", "content": "", "tags": []string{}}, 1},
	} {
		if _, _, err := store.Write(t.Context(), []lore.Change{{Target: target, Set: change.set}}); err != nil {
			t.Fatal(err)
		}
		enginetest.Elasticsearch(t, "POST", "/"+client.AliasOf(lore.KnowledgeUnits)+"/_refresh", "")
		if covered, _, err := first.Coverage(t.Context()); err != nil || covered != change.covered {
			t.Errorf("after %v %d items have a vector, want %d; %v", change.set, covered, change.covered, err)
		}
	}
	fillAll(t, first, 2)
	if !contains(model.texts, "Swap without slippage Set one") {
		t.Errorf("asked for %q", model.texts)
	}
	clean := scrubber.New(scrubber.Config{})
	if _, err := curation.NewReview(client).Redact(t.Context(), clean, lore.Target{Collection: lore.Submissions, ID: report.ID}, []string{"stale"}, false); err != nil {
		t.Fatal(err)
	}
	enginetest.Elasticsearch(t, "POST", "/"+client.AliasOf(lore.Submissions)+"/_refresh", "")
	if covered, _, err := first.Coverage(t.Context()); err != nil || covered != 1 {
		t.Errorf("a redacted text still has its vector: %d covered, %v", covered, err)
	}

	fillAll(t, layerOf(t, client, model, "second"), 2)
	if covered, _, err := first.Coverage(t.Context()); err != nil || covered != 0 {
		t.Errorf("%d items still have a vector of the first model, %v", covered, err)
	}
}

// A text that the server refuses costs no other its vector. It isn't sent again and again, and has its vector when the server takes it.
func TestOneRefusedTextCostsNoOther(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	var reports []lore.Submission
	for range 3 * batchSize {
		report, _ := items()
		reports = append(reports, report)
	}
	reports[0].Summary, reports[1].Summary, reports[2*batchSize+5].Summary = "poison", "poison too", "more poison"
	indextest.Put(t, client, lore.Submissions, reports...)
	model := &letters{refuse: "poison", how: embed.ErrRefused}
	l := layerOf(t, client, model, "m")
	fillAll(t, l, 3*batchSize-3)
	asked := model.asked
	fillAll(t, l, 3*batchSize-3)
	if model.asked != asked {
		t.Errorf("%d requests with texts that were refused a moment ago", model.asked-asked)
	}
	if stats := l.Stats(); stats.Failures != 3 {
		t.Errorf("%+v", stats)
	}
	model.refuse = ""
	clear(l.refused) // an hour later
	fillAll(t, l, 3*batchSize)
}

// A server that fails, or refuses everything, is asked little, and what it didn't make is made up for when it is well again.
func TestBackfillGoesOnAfterFailures(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]struct {
		fails error
		most  int // requests
	}{"down": {errors.New("down"), 1}, "refuses everything": {embed.ErrRefused, hopeless}} {
		client := indextest.Store(t)
		var reports []lore.Submission
		for range batchSize {
			report, _ := items()
			reports = append(reports, report)
		}
		indextest.Put(t, client, lore.Submissions, reports...)
		model := &letters{refuse: "Oracle", how: server.fails}
		l := layerOf(t, client, model, "m")
		fillAll(t, l, 0)
		if model.asked > server.most {
			t.Errorf("%s: asked %d times", name, model.asked)
		}
		model.refuse = ""
		clear(l.refused)
		fillAll(t, l, batchSize)
	}
}

// An item that changes while its vector is being made doesn't get the vector of its former text.
func TestVectorOfAFormerTextIsNotStored(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	report, _ := items()
	indextest.Put(t, client, lore.Submissions, report)
	l := layerOf(t, client, new(letters), "m")
	found, err := l.missing(t.Context(), "")
	if err != nil || len(found) != 1 {
		t.Fatalf("%d items, %v", len(found), err)
	}
	report.Summary = "Oracle is fresh"
	if err := client.WriteDocument(t.Context(), client.AliasOf(lore.Submissions), report.ID, report, nil); err != nil {
		t.Fatal(err)
	}
	vectors, _ := l.embedder.Vectors(t.Context(), []string{"Oracle is stale"})
	if written, err := l.write(t.Context(), found, vectors); written != 0 || err != nil {
		t.Errorf("%d written, %v", written, err)
	}
}

// Vectors of a size that the indices don't have are asked of no server.
func TestAnotherSizeNeedsAMigration(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	model := new(letters)
	l := New(client, model, "m", 768, slog.New(slog.DiscardHandler))
	if err := l.fits(t.Context()); !errors.Is(err, errOtherMapping) {
		t.Errorf("fits: %v", err)
	}
	if _, err := l.Question(t.Context(), "q"); err == nil || len(model.texts) > 0 {
		t.Errorf("a question was sent: %v, %v", model.texts, err)
	}
}

func contains(texts []string, beginning string) bool {
	for _, text := range texts {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	return false
}
