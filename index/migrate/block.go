package migrate

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// blockWrites blocks writes to the old index. It returns once those that came before have ended, on every shard: one that ended after
// the last copy would be lost.
func (m *move) blockWrites(ctx context.Context) error {
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

// unblock lets writes to an index go on.
func (c *Migrator) unblock(index string) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	if err := c.putSettings(ctx, index, map[string]any{"blocks.write": nil}); err != nil {
		c.Log.Error("writes stay blocked; a service lifts this within two minutes", "index", index, "cause", err)
	}
}

// putSettings changes an index's settings.
func (c *Migrator) putSettings(ctx context.Context, name string, settings map[string]any) error {
	return c.Do(ctx, esapi.IndicesPutSettingsRequest{Index: []string{name}, Body: index.JSONBody(map[string]any{"index": settings})}, nil)
}

// ReleaseWrites lifts write blocks that a killed migration left behind, and returns how many. Where there are any it takes a lease
// time to make sure that no migration is under way. Errors: store_unavailable.
func (c *Migrator) ReleaseWrites(ctx context.Context) (lifted int, err error) {
	if blocked, err := c.writeBlocked(ctx); err != nil || len(blocked) == 0 {
		return 0, err
	}
	waiting, cancel := context.WithTimeout(ctx, index.LeaseTime+3*index.LeaseLook)
	defer cancel()
	lease, err := c.AcquireLease(waiting, migrationLease, nil)
	if errors.Is(err, context.DeadlineExceeded) { // a migration that lives unblocks by itself
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	blocked, err := c.writeBlocked(ctx) // one that ended meanwhile needs nothing
	for _, index := range blocked {
		c.unblock(index)
	}
	return len(blocked), err
}

// writeBlocked returns the indices to which writes are blocked.
func (c *Migrator) writeBlocked(ctx context.Context) (indices []string, err error) {
	blocks, err := c.Blocks(ctx, []string{c.Prefix + "-*"})
	for _, block := range blocks {
		if block.Name == index.WriteBlockSetting {
			indices = append(indices, block.Index)
		}
	}
	return indices, err
}

// swapAlias lets the alias lead to the new index.
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
