package worker_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/scrubber"
)

// noon is the given clock's time.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bench is a store with a curator's lease.
type bench struct {
	t         *testing.T
	prefix    string
	client    *index.Client
	writer    *index.Writer
	clean     *scrubber.Scrubber
	lease     *index.Lease
	enrolled  map[string]bool // names of sources
	enrolling sync.Mutex
	profiles  int  // that a worker keeps, bytes; 0: the usual
	lives     bool // one worker does all passes, with the store that the first is given
	living    *worker.Worker
	library   library   // that passes know kinds by
	now       time.Time // of the pass
	version   string    // of the program
	rescored  int       // reports that a pass scores anew at most; 0: the usual
	breaks    string    // the title at which the library panics; empty: none
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, prefix: enginetest.Prefix(t), enrolled: map[string]bool{}, library: library{"stale price"}}
	var err error
	check := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b.client, err = index.Open(index.Config{
		Addresses: []string{enginetest.ElasticsearchURL(t)}, Prefix: b.prefix, Replicas: "0", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	check()
	_, _, err = b.client.Migrate(t.Context())
	check()
	b.clean = scrubber.New(scrubber.Config{})
	b.writer = b.client.NewWriter()
	b.lease, err = b.client.AcquireLease(t.Context(), "curator", nil)
	check()
	t.Cleanup(func() {
		if err := errors.Join(b.lease.Release(context.Background()), b.writer.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return b
}

// submit stores reports of sources of the names that they bear, under ids that follow from what they say, so that several stores hold the same.
func (b *bench) submit(reports ...lore.Report) {
	b.t.Helper()
	store := index.OpenSubmissions(b.client, b.writer)
	failed := make(chan error, len(reports))
	for _, r := range reports {
		go func() {
			text, err := scrubber.Scrub(b.t.Context(), b.clean, lore.Observation{Summary: r.Summary, Category: r.Category, Content: r.Content, Resolution: r.Resolution})
			if err == nil {
				b.enrol(r.SourceID, person{})
				identity := lore.Identity{SourceID: sourceOf(r.SourceID)}
				_, _, err = store.Create(b.t.Context(), lore.Draft{ID: r.ID, Identity: identity, ClassifiedBy: lore.BySubmitter, CreatedAt: r.CreatedAt}, text)
			}
			failed <- err
		}()
	}
	for range reports {
		if err := <-failed; err != nil {
			b.t.Fatal(err)
		}
	}
	b.refresh()
}

// refresh makes all that was written visible to searches: a pass sees the last second's only in the next one.
func (b *bench) refresh() { enginetest.Elasticsearch(b.t, "POST", "/"+b.prefix+"-*/_refresh", "") }

// person is who stands behind a source, as tests say it; what is left out is the name's own.
type person struct{ principal, owner, network string }

// enrol stores the account of a source of this name, which is known from noon on, as registration does; ids follow from names, so
// that several stores hold the same. A source that was enrolled stays what it was.
func (b *bench) enrol(name string, who person) {
	b.t.Helper()
	b.enrolling.Lock()
	defer b.enrolling.Unlock()
	if b.enrolled[name] {
		return
	}
	b.enrolled[name] = true
	principal := cmp.Or(who.principal, name)
	b.put("accounts", lore.AccountKey(name), map[string]any{
		"kind": "account", "name": name, "pending": false, "source_id": sourceOf(name), "principal": principalOf(principal),
		"owner_key": "owner of " + cmp.Or(who.owner, principal), "network": "network of " + cmp.Or(who.network, principal), "since": noon, "created_at": noon,
	})
	b.put("sources", sourceOf(name), lore.Source{ID: sourceOf(name), Name: name, Type: lore.SourceAgent, Reputation: lore.NeutralReputation, CreatedAt: noon})
}

func (b *bench) put(index, id string, document any) {
	b.t.Helper()
	body, err := json.Marshal(document)
	if err != nil {
		b.t.Fatal(err)
	}
	if status, answer := enginetest.Elasticsearch(b.t, "PUT", "/"+b.prefix+"-"+index+"/_doc/"+id, string(body)); status != 200 && status != 201 {
		b.t.Fatalf("%d %s", status, answer)
	}
}

func sourceOf(name string) string    { return lore.DerivedID("source", name) }
func principalOf(name string) string { return lore.DerivedID("principal", name) }

func principalTarget(name string) lore.Target {
	return lore.Target{Collection: lore.Principals, ID: principalOf(name)}
}

// vouch gives principals standing.
func (b *bench) vouch(names ...string) {
	b.t.Helper()
	for _, name := range names {
		b.enrol(name, person{})
		b.decide(noon, principalTarget(name), lore.VerdictVouch, nil)
	}
	b.refresh()
}

// curate does a pass with a worker that remembers nothing, unless the bench's lives.
func (b *bench) curate(store worker.Store, rebuild bool) (int64, error) {
	b.t.Helper()
	return b.curateAt(store, noon, rebuild)
}

// curateAt is curate at a time.
func (b *bench) curateAt(store worker.Store, now time.Time, rebuild bool) (int64, error) {
	b.t.Helper()
	b.now = now
	if b.living == nil || !b.lives {
		similarity, err := curator.LearnedSimilarity()
		if err != nil {
			b.t.Fatal(err)
		}
		b.living = worker.New(worker.Config{
			Store: store, Similarity: similarity, Library: func(context.Context) (worker.Library, error) {
				if b.breaks != "" {
					return brittle{b.library, b.breaks}, nil
				}
				return b.library, nil
			}, Rules: curator.DefaultRules(), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return b.now }, Profiles: b.profiles, Version: b.version, Rescored: b.rescored,
		})
	}
	return b.living.Pass(b.t.Context(), rebuild)
}

// library is a reference library of one entry with one sign.
type library struct{ sign string }

func (l library) Version() string { return l.sign }

func (l library) Kind(title string) curator.Kind {
	if strings.Contains(title, l.sign) {
		return curator.Kind{Entry: "stale", Why: l.sign}
	}
	words := strings.FieldsFunc(title, func(r rune) bool { return r < 'A' || r > 'z' })
	return curator.Kind{Words: words}
}

func (library) Core(family string) (curator.FamilyCore, bool) {
	return curator.FamilyCore{Title: "A price is stale", Fix: "Check its age.", Category: lore.CategorySecurity}, family == curator.FamilyID("stale")
}

func (library) Names(string) bool { return false }

func (library) Title(title string) string { return strings.ToLower(title) }

func (b *bench) store() *curation.Store { return curation.New(b.client, b.lease) }

// corpus returns reports of eight things by several owners each, in words of their own, and some that are alone.
func corpus() []lore.Report {
	var reports []lore.Report
	add := func(owner, summary, content, resolution string) {
		reports = append(reports, lore.Report{Submission: lore.Submission{
			SourceID: owner, ID: lore.DerivedID("corpus", owner, summary), Summary: summary, Category: lore.CategoryFailure, Content: content, Resolution: resolution,
			CreatedAt: noon.Add(-time.Duration(len(reports)) * time.Hour),
		}})
	}
	things := []string{"harvestYield", "settleAuction", "claimVesting", "syncOracle", "bridgeRelay", "splitFees", "stakeRewards", "castVote"}
	faults := []string{"pays the first caller", "rounds against the user", "skips a period", "takes a stale price", "loses the message", "divides by zero", "forgets the index", "counts twice"}
	for i, thing := range things {
		code := fmt.Sprintf("```\nuint256 owed%d = pending%s[msg.sender];\nupdate%sIndex();\n```", i, thing, thing)
		for k, opening := range []string{"`%s` %s when it is called twice", "Whoever calls %s first: it %s", "%s %s because the order of updates is wrong", "In %s the contract %s"}[:2+i%3] {
			summary := fmt.Sprintf(opening, thing, faults[i])
			add(fmt.Sprintf("owner %d", (i+k)%6), summary, fmt.Sprintf("See Vault%d.sol#L%d-L%d: `%s` %s.\n%s", i, 40+k, 60+k, thing, faults[i], code), fmt.Sprintf("Call update%sIndex() before reading pending%s.", thing, thing))
		}
	}
	for i := range 12 {
		add(fmt.Sprintf("owner %d", i%6), fmt.Sprintf("A remark on subject%d that nobody else makes", i), strings.Repeat(fmt.Sprintf("detail%d of matter%d ", i, i*7), 5), "")
	}
	// The same words with other numbers: equal fingerprints.
	for k := range 3 {
		add(fmt.Sprintf("owner %d", k), fmt.Sprintf("Endpoint returned status %d after %d retries of the request", 500+k, k), "", "")
	}
	return reports
}

// stored returns what curation made, without what differs from run to run: times of making, epochs and passes.
func (b *bench) stored() map[string]any {
	b.t.Helper()
	found := map[string]any{}
	b.refresh()
	for _, name := range []string{"submissions", "patterns", "knowledge-units", "families", "links"} {
		_, answer := enginetest.Elasticsearch(b.t, "POST", "/"+b.prefix+"-"+name+"/_search?size=1000", "")
		var hits struct {
			Hits struct {
				Hits []struct {
					ID     string         `json:"_id"`
					Source map[string]any `json:"_source"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if err := json.Unmarshal(answer, &hits); err != nil {
			b.t.Fatal(err)
		}
		for _, hit := range hits.Hits.Hits {
			for _, field := range []string{"epoch", "pass", "signature", "revised_at"} {
				delete(hit.Source, field)
			}
			if name != "submissions" {
				delete(hit.Source, "created_at")
				delete(hit.Source, "promoted_at")
			}
			found[name+" "+hit.ID] = hit.Source
		}
	}
	return found
}
