package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
)

// Restore brings a backup into new indices and then lets all aliases lead there, in one step: until then nothing has changed. The indices
// that they led to before are returned; they stay, without an alias, unless replace has them deleted in the same step. The services
// are to be stopped: they know tokens and secrets of the store that they began with.
func (b *Backups) Restore(ctx context.Context, backup Backup, replace bool) (kept []string, err error) {
	before, highest, err := b.current(ctx)
	if err != nil {
		return nil, err
	}
	release := func() error { return nil }
	if before[b.Alias(index.StateIndex)] != "" {
		lease, err := b.AcquireLease(ctx, migrationLease, func() { b.say("waiting for a migration or a backup to end") })
		if err != nil {
			return nil, err
		}
		release = func() error { return lease.Release(context.WithoutCancel(ctx)) }
		if before, highest, err = b.current(ctx); err != nil { // after the one that was waited for
			return nil, errors.Join(err, release())
		}
	}
	for _, name := range backup.Indices {
		highest = max(highest, generation(name))
	}
	restored, err := b.bring(ctx, backup, `-\d+$`, fmt.Sprintf("-%06d", highest+1), nil)
	// The lease is given back before the aliases change, since the restored store has another. A migration that begins now meets an alias
	// that has moved, and stops.
	if err = errors.Join(err, release()); err != nil {
		b.dropAll(restored)
		return nil, err
	}
	var actions []any
	for alias, name := range before {
		if replace {
			actions = append(actions, map[string]any{"remove_index": map[string]any{"index": name}})
			continue
		}
		kept = append(kept, name)
		actions = append(actions, map[string]any{"remove": map[string]any{"index": name, "alias": alias, "must_exist": true}})
	}
	for alias, name := range restored {
		actions = append(actions, map[string]any{"add": map[string]any{"index": name, "alias": alias}})
	}
	err = b.Do(ctx, esapi.IndicesUpdateAliasesRequest{Body: index.JSONBody(map[string]any{"actions": actions})}, nil)
	if err != nil { // the answer may have been lost: what was restored stays
		return nil, fmt.Errorf("let the aliases lead to what was restored (indices with the number %06d, which are whole): %w", highest+1, err)
	}
	slices.Sort(kept)
	return kept, b.note(ctx, backup.Name)
}

// bring restores a backup's indices under other names, without aliases, waits until they can be read, and returns them by alias.
func (b *Backups) bring(ctx context.Context, backup Backup, pattern, replacement string, settings map[string]any) (map[string]string, error) {
	restored := map[string]string{}
	for alias := range backup.Indices {
		restored[alias] = alias + replacement
	}
	request := map[string]any{
		"indices": slices.Collect(maps.Values(backup.Indices)), "rename_pattern": pattern, "rename_replacement": replacement,
		"include_aliases": false, "include_global_state": false, "feature_states": []string{"none"},
	}
	if settings != nil {
		request["index_settings"] = settings
	}
	b.say("restoring %s", backup.Name)
	body := index.JSONBody(request)
	if err := b.Do(ctx, esapi.SnapshotRestoreRequest{Repository: b.repository, Snapshot: backup.Name, Body: body}, nil); err != nil {
		return nil, fmt.Errorf("begin to restore: %w", err) // nothing was made
	}
	return restored, b.settle(ctx, slices.Collect(maps.Values(restored)), func() { b.say("waiting for the copies") })
}

// dropAll deletes what was restored and isn't used.
func (b *Backups) dropAll(restored map[string]string) {
	for _, name := range restored {
		if err := b.drop(context.Background(), name); err != nil {
			b.Log.Warn("an index is left behind; it may be deleted", "index", name, "cause", err)
		}
	}
}

// Sum is how many documents there are, and a checksum of their ids and texts that doesn't depend on their order.
type Sum struct {
	Documents int64
	Checksum  [sha256.Size]byte
}

// Compared is a collection as the backup and the store have it.
type Compared struct {
	Alias         string
	Backup, Store Sum
}

// leasePrefix begins the ids of leases, which change by the second and are no data.
const leasePrefix = "lease:"

// verifySuffix ends the names of indices that a comparison makes.
const verifySuffix = "-verify"

// Verify restores a backup beside the store, compares both document by document, and deletes what it restored. It needs as much disk as
// the backup. A store that is written to meanwhile differs.
func (b *Backups) Verify(ctx context.Context, backup Backup) (compared []Compared, err error) {
	restored, err := b.bring(ctx, backup, `-\d+$`, verifySuffix, map[string]any{"index.number_of_replicas": 0, "index.auto_expand_replicas": "false"})
	defer b.dropAll(restored)
	if err != nil {
		return nil, err
	}
	for _, alias := range slices.Sorted(maps.Keys(restored)) {
		one := Compared{Alias: alias}
		if one.Backup, err = b.sum(ctx, restored[alias]); err == nil {
			one.Store, err = b.sum(ctx, alias)
		}
		if err != nil {
			return nil, err
		}
		compared = append(compared, one)
	}
	return compared, nil
}

func (b *Backups) sum(ctx context.Context, name string) (sum Sum, err error) {
	if err := b.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{name}}, nil); err != nil {
		return sum, index.Wrapped("read "+name, err)
	}
	err = index.Scan(ctx, b.Client, name, map[string]any{"match_all": map[string]any{}}, true, func(page []index.Hit[json.RawMessage]) error {
		for _, hit := range page {
			if strings.HasPrefix(hit.ID, leasePrefix) || hit.ID == backupNote {
				continue
			}
			sum.Documents++
			for i, part := range sha256.Sum256(append([]byte(hit.ID+"\x00"), hit.Source...)) {
				sum.Checksum[i] ^= part
			}
		}
		return nil
	})
	return sum, err
}
