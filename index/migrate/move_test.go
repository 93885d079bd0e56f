package migrate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/index/indextest"
	"agentlore/lore"
	"agentlore/mappings"
)

// busy writes, deletes and searches until it is told to stop, and remembers what was acknowledged.
type busy struct {
	mu       sync.Mutex
	stored   map[string]bool // ids of submissions that were acknowledged
	accounts map[string]bool // name documents: true is there, false was deleted
	failures []error
	searches int
	slowest  time.Duration
}

func (b *busy) failed(what string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, fmt.Errorf("%s: %w", what, err))
}

// fill stores so many submissions at once, before the traffic.
func (b *busy) fill(t *testing.T, c *index.Client, documents int) {
	t.Helper()
	for len(b.stored) < documents {
		var operations []index.Operation
		for range min(1000, documents-len(b.stored)) {
			id := lore.NewID()
			b.stored[id] = true
			operations = append(operations, index.Operation{Action: "create", Index: c.AliasOf(lore.Submissions), ID: id, Document: map[string]any{
				"id": id, "summary": "there before it moved " + id, "content": strings.Repeat("some words of it ", 20), "category": "failure", "created_at": time.Now().UTC(), "tier": 1,
			}})
		}
		if err := c.BulkAll(t.Context(), operations, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// work runs until ctx ends; then it finishes what it has begun.
func (b *busy) work(ctx context.Context, t *testing.T, c *index.Client, writer *index.Writer) *sync.WaitGroup {
	var group sync.WaitGroup
	whole := context.WithoutCancel(ctx)
	for worker := range 4 {
		group.Go(func() {
			for ctx.Err() == nil {
				id := lore.NewID()
				began := time.Now()
				err := writer.Create(whole, c.AliasOf(lore.Submissions), id, map[string]any{
					"id": id, "summary": "written while it moves " + id, "category": "failure", "created_at": time.Now().UTC(), "tier": 1,
				})
				b.mu.Lock()
				b.slowest = max(b.slowest, time.Since(began))
				b.mu.Unlock()
				if err != nil {
					b.failed("write", err)
					continue
				}
				b.mu.Lock()
				b.stored[id] = true
				b.mu.Unlock()
			}
		})
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id := lore.AccountKey(fmt.Sprintf("moving %d %d", worker, i%20))
				there := i%40 < 20
				var err error
				if there { // deleted and made again: its version begins anew, or goes on
					err = c.WriteDocument(whole, c.Alias(index.AccountsIndex), id, map[string]any{"kind": accounts.KindAccount, "source_id": fmt.Sprint(i), "created_at": time.Now().UTC()}, nil)
				} else if err = New(c).removeForTest(whole, id); errors.Is(err, index.ErrNotFound) {
					err = nil
				}
				if err != nil {
					b.failed("write or delete an account", err)
					continue
				}
				b.mu.Lock()
				b.accounts[id] = there
				b.mu.Unlock()
			}
		})
	}
	group.Go(func() {
		submissions := index.NewCollection[lore.Submission](c, lore.Submissions, "submission")
		for ctx.Err() == nil {
			if _, err := submissions.List(whole, lore.ListQuery{Limit: 10}); err != nil {
				b.failed("search", err)
			}
			b.mu.Lock()
			b.searches++
			b.mu.Unlock()
		}
	})
	return &group
}

func (c *Migrator) removeForTest(ctx context.Context, id string) error {
	return c.BulkAll(ctx, []index.Operation{{Action: "delete", Index: c.Alias(index.AccountsIndex), ID: id}}, nil)
}

// A migration under traffic: nothing lost, nothing twice, nothing that was deleted comes back, and no search fails.
func TestMoveUnderTraffic(t *testing.T) {
	enginetest.Long(t)
	t.Parallel()
	documents := 200
	if given, err := strconv.Atoi(os.Getenv("AGENTLORE_MOVE")); err == nil { // the design's size is 100000
		documents = given
	}
	c := indextest.Empty(t)
	indextest.Migrate(t, c)
	writer := c.NewWriter()
	b := &busy{stored: map[string]bool{}, accounts: map[string]bool{}}
	b.fill(t, c, documents)
	ctx, stop := context.WithCancel(t.Context())
	group := b.work(ctx, t, c, writer)
	enginetest.Within(t, 20*time.Minute, "there is something to move", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.stored) >= documents+200
	})
	var said []string
	// Shards move the public collections; the hash of an older mapping would move the internal ones, so they are moved by hand.
	definitions := definitionsForTest(t)
	moved, err := New(c).Move(t.Context(), Move{Shards: index.Shards{"": 3}, Progress: func(line string) { said = append(said, line) }})
	if err != nil || moved != 7 {
		t.Errorf("moved %d collections, want the 7 public ones that aren't joined: %v", moved, err)
	}
	m := move{Migrator: New(c), definition: definitions[index.AccountsIndex], alias: c.Alias(index.AccountsIndex), from: c.Alias(index.AccountsIndex) + "-000001", to: c.Alias(index.AccountsIndex) + "-000002", shards: 2,
		Move: Move{Progress: func(line string) { said = append(said, line) }}}
	if err := errors.Join(m.run(t.Context()), m.retire(t.Context(), []string{m.from})); err != nil {
		t.Errorf("move the accounts: %v", err)
	}
	stop()
	group.Wait()
	if err := writer.Close(context.Background()); err != nil {
		t.Error(err)
	}
	t.Logf("%d submissions, %d searches, the slowest write %s; it said:\n%s", len(b.stored), b.searches, b.slowest.Round(time.Millisecond), strings.Join(said, "\n"))
	for _, failure := range b.failures[:min(len(b.failures), 5)] {
		t.Errorf("%d requests failed while it moved: %v", len(b.failures), failure)
	}
	indextest.Refresh(t, c, string(lore.Submissions), index.AccountsIndex)
	if n, err := c.Count(t.Context(), c.AliasOf(lore.Submissions), map[string]any{"match_all": map[string]any{}}); err != nil || n != int64(len(b.stored)) {
		t.Errorf("%d documents after the move: %v; %d were acknowledged", n, err, len(b.stored))
	}
	// As many as were acknowledged, and each of these there: none lost, none twice.
	for ids := range slices.Chunk(slices.Collect(maps.Keys(b.stored)), 1000) {
		status, answer := enginetest.Elasticsearch(t, "POST", "/"+c.AliasOf(lore.Submissions)+"/_mget?_source=false", `{"ids":["`+strings.Join(ids, `","`)+`"]}`)
		if found := strings.Count(string(answer), `"found":true`); status != 200 || found != len(ids) {
			t.Errorf("of %d submissions that were acknowledged, %d are there (%d)", len(ids), found, status)
		}
	}
	for id, there := range b.accounts {
		err := c.Do(t.Context(), esapi.GetRequest{Index: c.Alias(index.AccountsIndex), DocumentID: id}, nil)
		if there && err != nil || !there && !errors.Is(err, index.ErrNotFound) {
			t.Errorf("account %s: %v, want it there: %t", id, err, there)
			break
		}
	}
	for _, index := range enginetest.Indices(t, c.Prefix) {
		if strings.HasPrefix(index, c.AliasOf(lore.Submissions)+"-") && !strings.HasSuffix(index, "-000002") {
			t.Errorf("the old index %s is still there", index)
		}
	}
	for alias, want := range map[string]string{c.AliasOf(lore.Submissions): `"index.refresh_interval":"1s"`, c.Alias(index.AccountsIndex): ""} {
		_, answer := enginetest.Elasticsearch(t, "GET", "/"+alias+"/_settings/index.refresh_interval?flat_settings=true", "")
		if !strings.Contains(string(answer), want) || strings.Contains(string(answer), `"-1"`) {
			t.Errorf("%s is left with %s", alias, answer)
		}
	}
	if moved, err := New(c).Move(t.Context(), Move{Shards: index.Shards{"": 3}, Mapping: true}); err != nil || moved != 0 {
		t.Errorf("a second migration moved %d: %v, want none", moved, err)
	}
}

// A copy that goes on although its migration was killed: the next one waits for its end, or it would write old text over new.
func TestMoveWaitsForAnEarlierCopy(t *testing.T) {
	t.Parallel()
	c := indextest.Empty(t)
	indextest.Migrate(t, c)
	b := &busy{stored: map[string]bool{}}
	b.fill(t, c, 4)
	indextest.Refresh(t, c, lore.Submissions)
	alias := c.AliasOf(lore.Submissions)
	m := &move{Migrator: New(c), Move: Move{Progress: func(string) {}}, alias: alias, from: alias + "-000001", to: alias + "-000002"}
	status, answer := enginetest.Elasticsearch(t, "POST", "/_reindex?wait_for_completion=false&requests_per_second=1",
		fmt.Sprintf(`{"source":{"index":%q,"size":1},"dest":{"index":%q}}`, m.from, m.to))
	if status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	if err := m.awaitCopies(t.Context()); err != nil {
		t.Fatal(err)
	}
	indextest.Refresh(t, c, lore.Submissions+"-000002")
	if n, err := m.Count(t.Context(), m.to, map[string]any{"match_all": map[string]any{}}); err != nil || n != 4 {
		t.Errorf("the copy had %d of 4 documents when the next migration began: %v", n, err)
	}
}

// A migration that was killed while it blocked writes: a service lifts the block, and only once the migration's lease has ended.
func TestReleaseWritesOfADeadMigration(t *testing.T) {
	t.Parallel()
	c := indextest.Empty(t)
	indextest.Migrate(t, c)
	m := &move{Migrator: New(c), alias: c.Alias(index.AccountsIndex), from: c.Alias(index.AccountsIndex) + "-000001"}
	if err := m.blockWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	lease, err := c.AcquireLease(t.Context(), migrationLease, nil)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if lifted, err := New(c).ReleaseWrites(short); err != nil || lifted {
		t.Errorf("lifted the block of a migration that lives: %t, %v", lifted, err)
	}
	wrote := make(chan error, 1)
	go func() {
		wrote <- c.WriteDocument(t.Context(), c.Alias(index.AccountsIndex), "waits", map[string]any{"kind": accounts.KindAccount}, nil)
	}()
	lease.Abandon()
	if lifted, err := New(c).ReleaseWrites(t.Context()); err != nil || !lifted {
		t.Errorf("lifted the block of a dead migration: %t, %v", lifted, err)
	}
	if err := <-wrote; err != nil {
		t.Errorf("the write that waited: %v", err)
	}
}

// A write block that an operator set stays: no service lifts it, and no migration moves its index to one without it.
func TestAnOperatorsBlockStays(t *testing.T) {
	t.Parallel()
	c := indextest.Empty(t)
	indextest.Migrate(t, c)
	m := New(c)
	name := c.AliasOf(lore.Assets) + "-000001"
	for _, block := range []string{"blocks.write", "blocks.read_only"} {
		if err := m.putSettings(t.Context(), name, map[string]any{block: true}); err != nil {
			t.Fatal(err)
		}
		if lifted, err := m.ReleaseWrites(t.Context()); err != nil || lifted {
			t.Errorf("%s: a service lifted it: %t, %v", block, lifted, err)
		}
		if _, err := m.Move(t.Context(), Move{Shards: index.Shards{string(lore.Assets): 2}}); err == nil || !strings.Contains(err.Error(), "index."+block) {
			t.Errorf("%s: the migration says %v", block, err)
		}
		if blocks, err := c.Blocks(t.Context(), []string{c.AliasOf(lore.Assets)}); err != nil || len(blocks) != 1 {
			t.Errorf("%s: %v are left, %v", block, blocks, err)
		}
		if err := m.putSettings(t.Context(), name, map[string]any{block: nil}); err != nil {
			t.Fatal(err)
		}
	}
	if moved, err := m.Move(t.Context(), Move{Shards: index.Shards{string(lore.Assets): 2}}); err != nil || moved != 1 {
		t.Errorf("once it is lifted: %d moved, %v", moved, err)
	}
	if mark, err := m.marked(t.Context()); mark != "" || err != nil {
		t.Errorf("the migration left its mark on %s, %v", mark, err)
	}
}

func definitionsForTest(t *testing.T) map[string]mappings.Definition {
	t.Helper()
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	return definitions
}
