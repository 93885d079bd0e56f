package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// curateScript changes a document unless a curator of a later epoch has written it. What has the value already is no
// change: a second pass over the same reports writes nothing.
const curateScript = `
if (ctx._source.epoch != null && ctx._source.epoch > params.epoch) { ctx.op = 'none'; return; }
if (params.delete) { ctx.op = 'delete'; return; }
boolean changed = false;
for (def entry : params.set.entrySet()) {
  if (ctx._source[entry.getKey()] != entry.getValue()) { ctx._source[entry.getKey()] = entry.getValue(); changed = true; }
}
for (def field : params.drop) { if (ctx._source.remove(field) != null) { changed = true; } }
if (changed) { ctx._source.epoch = params.epoch; } else { ctx.op = 'none'; }`

const (
	// curateBatch is how many documents one bulk request of the curator holds: small, so that submits come in between.
	curateBatch = 100
	// linkBatch is the same for links, which are small and have nothing to be analysed.
	linkBatch = 1000
)

// Write carries out changes in their order and returns how many changed something. Its requests go one at a time: Elasticsearch
// takes one through by a single thread a shard and merges segments by others, so that searches keep a processor of two. Errors:
// ErrLeaseLost, where a curator of a later epoch has been at work, store_unavailable.
func (c *Curation) Write(ctx context.Context, changes []lore.Change) (written int, err error) {
	for some := range slices.Chunk(changes, curateBatch) {
		changed, err := c.writeSome(ctx, some)
		written += changed
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// writeSome carries changes out in their order, by one request.
func (c *Curation) writeSome(ctx context.Context, some []lore.Change) (written int, err error) {
	lines, err := c.changeLines(some)
	if err != nil {
		return 0, err
	}
	results, err := c.bulk(ctx, lines)
	if err != nil {
		return 0, err
	}
	for i, result := range results {
		switch {
		case some[i].Once && result.Status == http.StatusConflict: // it is there
		case result.Status == http.StatusNotFound: // redacted away or removed: nothing to change
		case result.Status >= 300:
			return written, result.problem()
		case result.Get.Source.Epoch > c.lease.Epoch():
			return written, ErrLeaseLost
		case result.Result != "noop":
			written++
		}
	}
	return written, nil
}

// changeLines returns the lines of a bulk request.
func (c *Curation) changeLines(changes []lore.Change) (lines [][]byte, err error) {
	for _, change := range changes {
		if change.Set, err = signed(change.Target.Collection, change.Set); err != nil {
			return nil, err
		}
		place := map[string]any{"_index": c.client.aliasOf(change.Target.Collection), "_id": change.Target.ID}
		if change.Once {
			if err := addLines(&lines, map[string]any{"create": place}, change.Set); err != nil {
				return nil, err
			}
			continue
		}
		set, drop := change.Set, change.Drop
		if set == nil {
			set = map[string]any{}
		}
		if drop == nil {
			drop = []string{}
		}
		body := map[string]any{"script": map[string]any{"source": curateScript, "lang": "painless", "params": map[string]any{
			"epoch": c.lease.Epoch(), "set": set, "drop": drop, "delete": change.Delete,
		}}}
		if change.Make {
			body["scripted_upsert"], body["upsert"] = true, map[string]any{}
		}
		place["retry_on_conflict"], place["_source"] = 5, "epoch"
		if err := addLines(&lines, map[string]any{"update": place}, body); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// WriteLinks stores links in place of those that were there. Errors: as Write.
func (c *Curation) WriteLinks(ctx context.Context, all []lore.Links) error {
	for some := range slices.Chunk(all, linkBatch) {
		var lines [][]byte
		for _, one := range some {
			document, err := packLinks(one)
			if err != nil {
				return err
			}
			if err := addLines(&lines, map[string]any{"index": c.owned(c.client.alias(links), one.ID)}, document); err != nil {
				return err
			}
		}
		if err := c.writeOwned(ctx, lines); err != nil {
			return err
		}
	}
	return nil
}

// owned is the header of a document that only the curator writes: its version is the epoch, and Elasticsearch itself refuses
// an older one.
func (c *Curation) owned(alias, id string) map[string]any {
	return map[string]any{"_index": alias, "_id": id, "version": c.lease.Epoch(), "version_type": "external_gte"}
}

func (c *Curation) writeOwned(ctx context.Context, lines [][]byte) error {
	results, err := c.bulk(ctx, lines)
	if err != nil {
		return err
	}
	for _, result := range results {
		switch {
		case result.Status == http.StatusConflict:
			return ErrLeaseLost
		case result.Status >= 300:
			return result.problem()
		}
	}
	return nil
}

// bulkResult is one document's part of a bulk answer.
type bulkResult struct {
	Status int    `json:"status"`
	Result string `json:"result"`
	Get    struct {
		Source struct {
			Epoch int64 `json:"epoch"`
		} `json:"_source"`
	} `json:"get"`
	Error struct {
		Type string `json:"type"`
	} `json:"error"`
}

// problem turns a failure into one of the package's errors.
func (r bulkResult) problem() error {
	cause := &responseError{status: r.Status, kind: r.Error.Type}
	if r.Status == http.StatusTooManyRequests || r.Status >= 500 || r.Status == http.StatusConflict || r.Error.Type == "cluster_block_exception" {
		return lore.StoreUnavailable(cause)
	}
	return cause
}

// bulk sends lines as one request, if the lease still holds.
func (c *Curation) bulk(ctx context.Context, lines [][]byte) ([]bulkResult, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	if err := c.lease.Sure(ctx); err != nil {
		return nil, err
	}
	var answer struct {
		Items []map[string]bulkResult `json:"items"`
	}
	required := true
	if err := c.client.do(ctx, esapi.BulkRequest{RequireAlias: &required, Body: newBody(joinLines(lines))}, &answer); err != nil {
		return nil, fmt.Errorf("write: %w", err)
	}
	results := make([]bulkResult, 0, len(answer.Items))
	for _, item := range answer.Items {
		for _, result := range item {
			results = append(results, result)
		}
	}
	return results, nil
}

// curationState is a document of the state index that belongs to the curator.
type curationState struct {
	Progress json.RawMessage `json:"progress,omitempty"`
	Data     []byte          `json:"data,omitempty"`
}

// LoadState reads what was stored under a name: a small object and bytes. Both are empty where nothing was.
func (c *Curation) LoadState(ctx context.Context, name string) (progress json.RawMessage, data []byte, err error) {
	stored, err := c.loadState(ctx, name)
	return stored.Progress, stored.Data, err
}

// LoadProgress reads the object that was stored under a name, without the bytes. It is empty where nothing was.
func (c *Curation) LoadProgress(ctx context.Context, name string) (json.RawMessage, error) {
	stored, err := c.loadState(ctx, name, "progress")
	return stored.Progress, err
}

// loadState reads these fields of a state, all where none is named.
func (c *Curation) loadState(ctx context.Context, name string, fields ...string) (curationState, error) {
	var stored struct {
		Source curationState `json:"_source"`
	}
	err := c.client.do(ctx, esapi.GetRequest{Index: c.client.alias(state), DocumentID: name, SourceIncludes: fields}, &stored)
	if errors.Is(err, errNotFound) {
		err = nil
	}
	return stored.Source, err
}

// SaveState stores an object of plain values and bytes under a name. Errors: as Write.
func (c *Curation) SaveState(ctx context.Context, name string, progress any, data []byte) error {
	text, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	var lines [][]byte
	if err := addLines(&lines, map[string]any{"index": c.owned(c.client.alias(state), name)}, curationState{text, data}); err != nil {
		return err
	}
	return c.writeOwned(ctx, lines)
}

// addLines appends values as JSON, a line each.
func addLines(lines *[][]byte, values ...any) error {
	for _, value := range values {
		line, err := json.Marshal(value)
		if err != nil {
			return err
		}
		*lines = append(*lines, line)
	}
	return nil
}

// joinLines ends every line, as msearch and bulk want it.
func joinLines(lines [][]byte) []byte {
	return append(bytes.Join(lines, []byte{'\n'}), '\n')
}

func newBody(content []byte) io.Reader { return bytes.NewReader(content) }
