package migrate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// blockMark is the id of the document in the state index that names the index to which a migration blocks writes: another block is an
// operator's.
const blockMark = "migration-block"

// mark is that document.
type mark struct {
	Progress struct {
		Index string `json:"index"`
	} `json:"progress"`
}

// marked returns the index that a migration blocks or blocked, "" for none.
func (c *Migrator) marked(ctx context.Context) (string, error) {
	held, err := index.Get[mark](ctx, c.Client, c.Alias(index.StateIndex), blockMark)
	if errors.Is(err, index.ErrNotFound) {
		err = nil
	}
	return held.Source.Progress.Index, index.Wrapped("read the mark of a write block", err)
}

// refuseBlocked returns an error where somebody else than a migration blocks the old index: the new one would be without.
func (m *move) refuseBlocked(ctx context.Context) error {
	own, err := m.marked(ctx)
	if err != nil {
		return err
	}
	blocks, err := m.Blocks(ctx, []string{m.from})
	for _, block := range blocks {
		if block.Name != index.WriteBlockSetting || own != m.from {
			return fmt.Errorf("%s has the block %s, which is not of a migration: whoever set it lifts it first", m.from, block.Name)
		}
	}
	return err
}

// blockWrites blocks writes to the old index. It returns once those that came before have ended, on every shard: one that ended after
// the last copy would be lost.
func (m *move) blockWrites(ctx context.Context) error {
	if err := m.refuseBlocked(ctx); err != nil {
		return err
	}
	var own mark
	own.Progress.Index = m.from
	if err := m.WriteDocument(ctx, m.Alias(index.StateIndex), blockMark, own, nil); err != nil {
		return index.Wrapped("mark the write block", err)
	}
	var answer struct {
		Everywhere bool `json:"shards_acknowledged"`
	}
	err := m.Do(ctx, esapi.IndicesAddBlockRequest{Index: []string{m.from}, Block: "write"}, &answer)
	if err == nil && !answer.Everywhere {
		err = lore.StoreUnavailable(errors.New("a shard didn't say that its writes have ended"))
	}
	if err != nil {
		m.unblock(m.from)
	}
	return index.Wrapped("block writes", err)
}

// unblock lets writes to an index that a migration blocked go on.
func (c *Migrator) unblock(name string) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	err := c.putSettings(ctx, name, map[string]any{"blocks.write": nil})
	if err == nil {
		err = c.unmark(ctx)
	}
	if err != nil {
		c.Log.Error("writes stay blocked; a service lifts this within two minutes", "index", name, "cause", err)
	}
}

// unmark says that no migration blocks writes any more.
func (c *Migrator) unmark(ctx context.Context) error {
	return c.DeleteDocument(ctx, c.Alias(index.StateIndex), blockMark, nil)
}

// putSettings changes an index's settings.
func (c *Migrator) putSettings(ctx context.Context, name string, settings map[string]any) error {
	return c.Do(ctx, esapi.IndicesPutSettingsRequest{Index: []string{name}, Body: index.JSONBody(map[string]any{"index": settings})}, nil)
}

// ReleaseWrites lifts the write block that a killed migration left behind, and no other, and reports whether there was one. Where there may
// be one it takes a lease time to make sure that no migration is under way. Errors: store_unavailable.
func (c *Migrator) ReleaseWrites(ctx context.Context) (lifted bool, err error) {
	if name, err := c.marked(ctx); err != nil || name == "" {
		return false, err
	}
	err = c.Alone(ctx, migrationLease, func(ctx context.Context) error {
		name, err := c.marked(ctx) // a migration that ended meanwhile leaves none
		if err != nil || name == "" {
			return err
		}
		blocks, err := c.Blocks(ctx, []string{name})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(blocks, func(b index.IndexBlock) bool { return b.Name == index.WriteBlockSetting }) {
			return c.unmark(ctx) // it was killed before it blocked, or behind its last step
		}
		lifted = true
		c.unblock(name)
		return nil
	})
	return lifted, err
}

// swapAlias lets the alias lead to the new index, to which writes go on.
func (m *move) swapAlias(ctx context.Context) error {
	err := m.Do(ctx, esapi.IndicesUpdateAliasesRequest{Body: index.JSONBody(map[string]any{"actions": []any{
		map[string]any{"remove": map[string]any{"index": m.from, "alias": m.alias, "must_exist": true}},
		map[string]any{"add": map[string]any{"index": m.to, "alias": m.alias}},
	}})}, nil)
	return index.Wrapped("swap the alias", err)
}

// swapped reports whether the alias leads to the new index.
func (m *move) swapped(ctx context.Context) bool {
	var there map[string]any
	err := m.Do(ctx, esapi.IndicesGetAliasRequest{Name: []string{m.alias}}, &there)
	return err == nil && there[m.to] != nil
}

// settle waits until indices can be read and have what copies can be had. Waiting is called now and then.
func (c *Migrator) settle(ctx context.Context, indices []string, waiting func()) error {
	for {
		var health struct {
			TimedOut   bool `json:"timed_out"`
			Unassigned int  `json:"unassigned_primary_shards"`
		}
		err := c.Do(ctx, esapi.ClusterHealthRequest{
			Index: indices, WaitForStatus: "yellow", WaitForNoInitializingShards: new(true), Timeout: c.Timeout / 2,
		}, &health)
		if err == nil && !health.TimedOut {
			if health.Unassigned == 0 {
				return nil
			}
			// A shard that waits for its turn to be restored counts as yellow.
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(snapshotPoll):
			}
			continue
		}
		if err != nil && index.StatusOf(err) != http.StatusRequestTimeout { // a wait that ended without success
			return err
		}
		waiting()
	}
}

// retireAfter is how long an old index stays after the swap, for searches that began on it.
const retireAfter = 15 * time.Second

// retire deletes the old indices when no search reads them any more.
func (c *Migrator) retire(ctx context.Context, old []string) (faults error) {
	if len(old) == 0 {
		return nil
	}
	select {
	case <-time.After(retireAfter):
	case <-ctx.Done(): // all is moved; a search that began before may fail
	}
	for _, index := range old {
		faults = errors.Join(faults, c.drop(context.WithoutCancel(ctx), index))
	}
	return faults
}

// drop deletes an index, if it is there.
func (c *Migrator) drop(ctx context.Context, index string) error {
	return c.Do(ctx, esapi.IndicesDeleteRequest{Index: []string{index}, IgnoreUnavailable: new(true)}, nil)
}
