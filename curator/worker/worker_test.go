package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// noon is the given clock's time.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bench is a store with a curator's lease.
type bench struct {
	t        *testing.T
	prefix   string
	client   *index.Client
	writer   *index.Writer
	clean    *scrubber.Scrubber
	lease    *index.Lease
	source   map[string]string // of each owner
	profiles int               // that a worker keeps, bytes; 0: the usual
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, prefix: enginetest.Prefix(t), source: map[string]string{}}
	var err error
	check := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b.client, err = index.Open(index.Config{
		Addresses: []string{enginetest.ElasticsearchURL(t)}, Prefix: b.prefix, Shards: 1, Replicas: "0", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	check()
	_, err = b.client.Migrate(t.Context())
	check()
	b.clean, err = scrubber.New(scrubber.Config{TokenPrefix: "agl"})
	check()
	b.writer, err = b.client.NewWriter(50 * time.Millisecond)
	check()
	b.lease, err = b.client.AcquireLease(t.Context(), "curator", nil)
	check()
	t.Cleanup(func() {
		if err := errors.Join(b.lease.Release(context.Background()), b.writer.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return b
}

// submit stores reports under ids that follow from what they say, so that several stores hold the same.
func (b *bench) submit(reports ...lore.Report) {
	b.t.Helper()
	store := index.OpenSubmissions(b.client, b.writer)
	failed := make(chan error, len(reports))
	for _, r := range reports {
		go func() {
			text, err := scrubber.Scrub(b.t.Context(), b.clean, lore.Observation{Summary: r.Summary, Category: r.Category, Content: r.Content, Resolution: r.Resolution})
			if err == nil {
				identity := lore.Identity{SourceID: lore.DerivedID("source", r.OwnerKey), OwnerKey: r.OwnerKey}
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

// vouch makes an owner count.
func (b *bench) vouch(accounts *index.Accounts, owner string) {
	b.t.Helper()
	registration, err := scrubber.Scrub(b.t.Context(), b.clean, lore.Registration{Name: owner, Type: lore.SourceAgent, Owner: owner})
	if err != nil {
		b.t.Fatal(err)
	}
	source, err := accounts.Register(b.t.Context(), registration, owner, "", noon)
	if err != nil {
		b.t.Fatal(err)
	}
	decision, err := scrubber.Scrub(b.t.Context(), b.clean, lore.Decision{
		ID: lore.NewID(), Subject: lore.Target{Collection: lore.Sources, ID: source.ID}, Verdict: lore.VerdictVouch, Who: "operator", Why: "known", At: noon,
	})
	if err == nil {
		err = index.NewDecisions(b.client).Record(b.t.Context(), decision)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// curate does a pass with a worker that remembers nothing.
func (b *bench) curate(store worker.Store, rebuild bool) (int64, error) {
	b.t.Helper()
	return b.curateAt(store, noon, rebuild)
}

// curateAt is curate at a time.
func (b *bench) curateAt(store worker.Store, now time.Time, rebuild bool) (int64, error) {
	b.t.Helper()
	similarity, err := curator.LearnedSimilarity()
	if err != nil {
		b.t.Fatal(err)
	}
	w := worker.New(worker.Config{
		Store: store, Similarity: similarity, Rules: curator.DefaultRules(), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }, Profiles: b.profiles,
	})
	return w.Pass(b.t.Context(), rebuild)
}

func (b *bench) store() *index.Curation { return index.NewCuration(b.client, b.lease) }

// corpus returns reports of eight things by several owners each, in words of their own, and some that are alone.
func corpus() []lore.Report {
	var reports []lore.Report
	add := func(owner, summary, content, resolution string) {
		reports = append(reports, lore.Report{OwnerKey: owner, Submission: lore.Submission{
			ID: lore.DerivedID("corpus", owner, summary), Summary: summary, Category: lore.CategoryFailure, Content: content, Resolution: resolution,
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
	for _, name := range []string{"submissions", "patterns", "knowledge-units", "links"} {
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
			for _, field := range []string{"epoch", "pass", "signature"} {
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

// errKilled ends a worker in the middle of a write.
var errKilled = errors.New("killed")

// mortal is a store whose worker dies after some writes: of the last one, half gets through.
type mortal struct {
	worker.Store
	left int
}

func (m *mortal) dies() bool {
	m.left--
	return m.left < 0
}

func (m *mortal) Write(ctx context.Context, changes []lore.Change) (int, error) {
	if len(changes) > 0 && m.dies() {
		_, err := m.Store.Write(ctx, changes[:len(changes)/2])
		return 0, errors.Join(errKilled, err)
	}
	return m.Store.Write(ctx, changes)
}

func (m *mortal) WriteLinks(ctx context.Context, links []lore.Links) error {
	if len(links) > 0 && m.dies() {
		return errors.Join(errKilled, m.Store.WriteLinks(ctx, links[:len(links)/2]))
	}
	return m.Store.WriteLinks(ctx, links)
}

func (m *mortal) SaveState(ctx context.Context, name string, progress any, data []byte) error {
	if m.dies() {
		return errKilled
	}
	return m.Store.SaveState(ctx, name, progress, data)
}

// A pass that is killed again and again, in the middle of writes, makes what an undisturbed one makes; a second pass, and
// a rebuild from scratch, change nothing.
func TestKilledAtAnyPoint(t *testing.T) {
	t.Parallel()
	for name, profiles := range map[string]int{"candidates in memory": 0, "candidates in the store": noProfiles} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedAtAnyPoint(t, profiles)
		})
	}
}

// noProfiles is a memory that holds no profile.
const noProfiles = 1

func killedAtAnyPoint(t *testing.T, profiles int) {
	reports := corpus()
	calm, killed := newBench(t), newBench(t)
	for _, b := range []*bench{calm, killed} {
		b.profiles = profiles
		accounts, err := index.OpenAccounts(t.Context(), b.client)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			b.vouch(accounts, fmt.Sprintf("owner %d", i))
		}
		b.submit(reports...)
	}
	if _, err := calm.curate(calm.store(), false); err != nil {
		t.Fatal(err)
	}
	want := calm.stored()
	kinds := map[string]int{}
	for id := range want {
		kind, _, _ := strings.Cut(id, " ")
		kinds[kind]++
	}
	if kinds["patterns"] < 5 || kinds["knowledge-units"] < 2 {
		t.Fatalf("the corpus makes %v: too little to tell anything", kinds)
	}

	random := rand.New(rand.NewPCG(7, 8))
	deaths := 0
	for {
		_, err := killed.curate(&mortal{killed.store(), random.IntN(7)}, false)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if deaths++; deaths > 100 {
			t.Fatal("the pass doesn't come to an end")
		}
	}
	if deaths < 3 {
		t.Errorf("killed %d times only", deaths)
	}
	if diff := cmp.Diff(want, killed.stored()); diff != "" {
		t.Errorf("killed %d times (-undisturbed +killed):\n%s", deaths, diff)
	}

	if written, err := calm.curate(calm.store(), false); err != nil || written != 0 {
		t.Errorf("a second pass changes %d items, %v", written, err)
	}
	if written, err := calm.curate(calm.store(), true); err != nil || written != 0 {
		t.Errorf("a rebuild changes %d items, %v", written, err)
	}
	if diff := cmp.Diff(withoutLinks(want), withoutLinks(calm.stored())); diff != "" {
		t.Errorf("after a second pass and a rebuild (-before +after):\n%s", diff)
	}
}

// Candidates found in memory and those found in the store lead to the same patterns, and each way is taken where it should be.
func TestCandidatesInMemoryAndInTheStore(t *testing.T) {
	t.Parallel()
	reports := corpus()
	var found [2]map[string]string
	for i, profiles := range []int{0, noProfiles} {
		b := newBench(t)
		b.profiles = profiles
		b.submit(reports...)
		asked := &asking{Store: b.store()}
		if _, err := b.curate(asked, false); err != nil {
			t.Fatal(err)
		}
		if inStore := profiles == noProfiles; asked.queries > 0 != inStore {
			t.Errorf("%d look-ups in the store with %d bytes of profiles", asked.queries, profiles)
		}
		found[i] = patternsOf(b.stored())
		// A few more don't make a pass read the corpus again: they are looked up.
		b.submit(lore.Report{OwnerKey: "owner 9", Submission: lore.Submission{ID: lore.DerivedID("one more"), Summary: "`harvestYield` pays the first caller", Category: lore.CategoryFailure,
			Content: reports[0].Content, CreatedAt: noon}})
		asked.queries = 0
		if _, err := b.curate(asked, false); err != nil || asked.queries != 1 {
			t.Errorf("one more report: %d look-ups, %v", asked.queries, err)
		}
		after := patternsOf(b.stored())
		if id := lore.DerivedID("one more"); after[id] == "" || after[id] != after[reports[0].ID] {
			t.Errorf("one more report is in pattern %q, the others in %q", after[id], after[reports[0].ID])
		}
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" {
		t.Errorf("patterns differ (-memory +store):\n%s", diff)
	}
}

// A worker that was killed when it had counted terms and not yet said so is followed by one that finds candidates as it would have.
func TestKilledRightAfterCounting(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.submit(corpus()...)
	if _, err := b.curate(&mortal{b.store(), 1}, false); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	asked := &asking{Store: b.store()}
	if written, err := b.curate(asked, false); err != nil || written == 0 || asked.queries != 0 {
		t.Errorf("%d items changed, %d look-ups in the store, %v", written, asked.queries, err)
	}
}

// asking counts what candidates are looked up for in the store.
type asking struct {
	worker.Store
	queries int
}

func (a *asking) Candidates(ctx context.Context, queries []string, limit int) ([][]string, error) {
	a.queries += len(queries)
	return a.Store.Candidates(ctx, queries, limit)
}

// withoutLinks leaves out links, each of which says which pass made it.
func withoutLinks(stored map[string]any) map[string]any {
	found := maps.Clone(stored)
	maps.DeleteFunc(found, func(id string, _ any) bool { return strings.HasPrefix(id, "links ") })
	return found
}

// Reports that come one after the other end in the patterns that they would be in had they come together.
func TestReportsComeOneByOne(t *testing.T) {
	t.Parallel()
	reports := corpus()
	b := newBench(t)
	for part := range slices.Chunk(reports, 8) {
		b.submit(part...)
		if _, err := b.curate(b.store(), false); err != nil {
			t.Fatal(err)
		}
	}
	step := patternsOf(b.stored())
	if _, err := b.curate(b.store(), true); err != nil {
		t.Fatal(err)
	}
	whole := patternsOf(b.stored())
	differ := 0
	for id, pattern := range whole {
		if step[id] != pattern {
			differ++
		}
	}
	if differ > 2 { // words were rarer when few reports were there
		t.Errorf("%d of %d reports are in another pattern (-together +step by step):\n%s", differ, len(whole), cmp.Diff(whole, step))
	}
}

// patternsOf returns the pattern of each submission.
func patternsOf(stored map[string]any) map[string]string {
	patterns := map[string]string{}
	for id, source := range stored {
		if name, found := strings.CutPrefix(id, "submissions "); found {
			pattern, _ := source.(map[string]any)["pattern_id"].(string)
			patterns[name] = pattern
		}
	}
	return patterns
}
