package curation

import (
	"context"
	"encoding/json"
	"errors"

	"agentlore/index"
	"agentlore/lore"
)

// curateScript changes a document unless a curator of a later epoch has written it. What has the value already is no
// change: a second pass over the same reports writes nothing. A text of other words loses the vector of its former ones.
const curateScript = `
if (ctx._source.epoch != null && ctx._source.epoch > params.epoch) { ctx.op = 'none'; return; }
if (params.read != null) {
  def held = ctx._source.fingerprint == null ? '' : ctx._source.fingerprint;
  if (held != params.read && held != params.set.fingerprint) { ctx.op = 'none'; return; }
}
if (params.delete) { ctx.op = 'delete'; return; }
boolean changed = false;
for (def entry : params.set.entrySet()) {
  if (ctx._source[entry.getKey()] == entry.getValue()) { continue; }
  ctx._source[entry.getKey()] = entry.getValue();
  changed = true;
  if (entry.getKey() == 'signature') { ctx._source.remove('embedding'); ctx._source.remove('embedding_model'); }
}
for (def field : params.drop) { if (ctx._source.remove(field) != null) { changed = true; } }
if (changed) { ctx._source.epoch = params.epoch; } else { ctx.op = 'none'; }`

// Write carries changes out in their order, by one request, and returns how many changed something, and those that the store refused for
// what they hold. Errors: ErrLeaseLost, where a curator of a later epoch has been at work, store_unavailable.
func (c *Store) Write(ctx context.Context, changes []lore.Change) (written int, refused []lore.Refusal, err error) {
	operations := make([]index.Operation, len(changes))
	for i, change := range changes {
		if operations[i], err = c.operation(change); err != nil {
			return 0, nil, err
		}
	}
	results, err := c.bulk(ctx, operations)
	if err != nil {
		return 0, nil, err
	}
	for i, result := range results {
		var stored struct {
			Epoch int64 `json:"epoch"`
		}
		_ = json.Unmarshal(result.Source, &stored) // only updates return one
		switch {
		case changes[i].Once && errors.Is(result.Err, index.ErrConflict): // it is there
		case errors.Is(result.Err, index.ErrNotFound): // redacted away or removed: nothing to change
		case errors.Is(result.Err, index.ErrConflict):
			return written, refused, lore.StoreUnavailable(result.Err)
		case index.IsRefusal(result.Err):
			refused = append(refused, lore.Refusal{Target: changes[i].Target, Reason: result.Err.Error()})
		case result.Err != nil:
			return written, refused, result.Err
		case stored.Epoch > c.lease.Epoch():
			return written, refused, index.ErrLeaseLost
		case result.Result != "noop":
			written++
		}
	}
	return written, refused, nil
}

// operation returns what carries a change out.
func (c *Store) operation(change lore.Change) (index.Operation, error) {
	set, err := index.Signed(change.Target.Collection, change.Set)
	if err != nil {
		return index.Operation{}, err
	}
	operation := index.Operation{Action: "create", Index: c.client.AliasOf(change.Target.Collection), ID: change.Target.ID, Document: set}
	if change.Once {
		return operation, nil
	}
	if set == nil {
		set = map[string]any{}
	}
	drop := change.Drop
	if drop == nil {
		drop = []string{}
	}
	body := map[string]any{"script": map[string]any{"source": curateScript, "lang": "painless", "params": map[string]any{
		"epoch": c.lease.Epoch(), "set": set, "drop": drop, "delete": change.Delete, "read": change.Read,
	}}}
	if change.Make {
		body["scripted_upsert"], body["upsert"] = true, map[string]any{}
	}
	operation.Action, operation.Document = "update", body
	operation.Header = map[string]any{"retry_on_conflict": 5, "_source": "epoch"}
	return operation, nil
}

// WriteLinks stores links in place of those that were there, by one request, and returns the reports whose links the store refused for what
// they hold. Errors: as Write.
func (c *Store) WriteLinks(ctx context.Context, all []lore.Links) (refused []lore.Refusal, err error) {
	operations := make([]index.Operation, len(all))
	for i, one := range all {
		operations[i] = c.owned(c.client.Alias(links), one.ID, one)
	}
	results, err := c.bulk(ctx, operations)
	if err != nil {
		return nil, err
	}
	for i, result := range results {
		if index.IsRefusal(result.Err) {
			refused = append(refused, lore.Refusal{Target: lore.Target{Collection: lore.Submissions, ID: all[i].ID}, Reason: result.Err.Error()})
		} else if err := ownedError(result.Err); err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// owned stores a document that only the curator writes: its version is the epoch, and Elasticsearch itself refuses an older one.
func (c *Store) owned(alias, id string, document any) index.Operation {
	header := map[string]any{"version": c.lease.Epoch(), "version_type": "external_gte"}
	return index.Operation{Action: "index", Index: alias, ID: id, Document: document, Header: header}
}

func (c *Store) writeOwned(ctx context.Context, operations []index.Operation) error {
	results, err := c.bulk(ctx, operations)
	if err != nil {
		return err
	}
	for _, result := range results {
		if err := ownedError(result.Err); err != nil {
			return err
		}
	}
	return nil
}

// ownedError returns what an error of writing an owned document means: a conflict is the work of a later curator.
func ownedError(err error) error {
	if errors.Is(err, index.ErrConflict) {
		return index.ErrLeaseLost
	}
	return err
}

// bulk sends operations as one request, if the lease still holds.
func (c *Store) bulk(ctx context.Context, operations []index.Operation) ([]index.Result, error) {
	if len(operations) == 0 {
		return nil, nil
	}
	if err := c.lease.Sure(ctx); err != nil {
		return nil, err
	}
	results, err := c.client.Bulk(ctx, operations)
	return results, index.Wrapped("write", err)
}

// curationState is a document of the state index.
type curationState struct {
	Progress json.RawMessage `json:"progress,omitempty"`
	Data     []byte          `json:"data,omitempty"`
}

// LoadState reads what was stored under a name: a small object and bytes. Both are empty where nothing was.
func (c *Store) LoadState(ctx context.Context, name string) (progress json.RawMessage, data []byte, err error) {
	stored, err := loadState(ctx, c.client, name)
	return stored.Progress, stored.Data, err
}

func loadState(ctx context.Context, client *index.Client, name string) (curationState, error) {
	stored, err := index.Get[curationState](ctx, client, client.Alias(index.StateIndex), name)
	if errors.Is(err, index.ErrNotFound) {
		err = nil
	}
	return stored.Source, err
}

// SaveState stores an object of plain values and bytes under a name. Errors: as Write.
func (c *Store) SaveState(ctx context.Context, name string, progress any, data []byte) error {
	text, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	return c.writeOwned(ctx, []index.Operation{c.owned(c.client.Alias(index.StateIndex), name, curationState{text, data})})
}
