package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// checkpoints are, shard by shard, the number of the last write of which all earlier ones are done. nil: none is copied yet.
type checkpoints map[string]int64

// since returns how many writes lie between two looks.
func (c checkpoints) since(earlier checkpoints) int64 {
	var writes int64
	for shard, at := range c {
		writes += at - earlier[shard]
	}
	return writes
}

// lowest returns the number from which on, in some shard, writes may be missing. Shards count each for itself, and a reindex
// can't tell them apart: the lowest takes some documents twice, which does no harm.
func (c checkpoints) lowest() int64 {
	lowest, first := int64(-1), true
	for _, at := range c {
		if first || at < lowest {
			lowest, first = at, false
		}
	}
	return lowest
}

// checkpoints looks at the primary shards of the old index.
func (m *move) checkpoints(ctx context.Context) (checkpoints, error) {
	var answer struct {
		Indices map[string]struct {
			Shards map[string][]struct {
				Routing struct {
					Primary bool `json:"primary"`
				} `json:"routing"`
				SeqNo struct {
					LocalCheckpoint int64 `json:"local_checkpoint"`
				} `json:"seq_no"`
			} `json:"shards"`
		} `json:"indices"`
	}
	if err := m.Do(ctx, esapi.IndicesStatsRequest{Index: []string{m.from}, Level: "shards", Metric: []string{"docs"}}, &answer); err != nil {
		return nil, err
	}
	found := checkpoints{}
	for shard, copies := range answer.Indices[m.from].Shards {
		for _, one := range copies {
			if one.Routing.Primary {
				found[shard] = one.SeqNo.LocalCheckpoint
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s shows no primary shard", m.from)
	}
	return found, nil
}

// droppedFields are in documents of older versions and in no mapping of this one: who stands behind an item is told by its source's
// account alone.
var droppedFields = []string{"owner_key"}

// copyBatch is how many documents one bulk request of a copy holds: few, so that submits come in between.
const copyBatch = 250

// copy copies what was written after seen, everything where that is nil, and makes it visible. The first copy keeps a pace, and
// takes external versions: the documents keep theirs. A later one overwrites, since it alone writes there and what it brings is
// newer; the version of a document that was deleted and made again may be lower than the one it replaces. Where writes are held
// there is little to copy, and at once answers sooner than a task that is asked how far it is.
func (m *move) copy(ctx context.Context, seen checkpoints, atOnce bool) (copied int64, err error) {
	if err := m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.from}}, nil); err != nil {
		return 0, err
	}
	source, dest := map[string]any{"index": m.from, "size": copyBatch, "_source": map[string]any{"excludes": droppedFields}}, map[string]any{"index": m.to}
	request := esapi.ReindexRequest{WaitForCompletion: &atOnce}
	if seen == nil {
		dest["version_type"] = "external"
		request.RequestsPerSecond = new(firstPace)
	} else {
		source["query"] = map[string]any{"range": map[string]any{"_seq_no": map[string]any{"gt": seen.lowest()}}}
	}
	if request.Body, err = jsonBody(map[string]any{"source": source, "dest": dest}); err != nil {
		return 0, err
	}
	var answer struct {
		Task string `json:"task"`
		copyResult
	}
	if err := m.Do(ctx, request, &answer); err != nil {
		return 0, err
	}
	if atOnce {
		copied, err = answer.copied()
	} else {
		copied, err = m.await(ctx, answer.Task, seen == nil)
	}
	if err != nil {
		return copied, err
	}
	return copied, m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.to}}, nil)
}

// jsonBody encodes a request's body.
func jsonBody(value any) (io.Reader, error) {
	text, err := json.Marshal(value)
	return bytes.NewReader(text), err
}

// copyResult is what Elasticsearch says of a copy that has ended.
type copyResult struct {
	Created  int64             `json:"created"`
	Updated  int64             `json:"updated"`
	Failures []json.RawMessage `json:"failures"` // their texts may quote documents
}

// copied returns how many documents were copied, or that some failed.
func (r copyResult) copied() (int64, error) {
	if len(r.Failures) > 0 {
		return 0, fmt.Errorf("copy: %d documents failed", len(r.Failures))
	}
	return r.Created + r.Updated, nil
}

// taskPoll is how soon a copy is asked how far it is, at first; later every second.
const taskPoll = 20 * time.Millisecond

// await waits for a copy, and keeps it at its pace.
func (m *move) await(ctx context.Context, task string, paced bool) (copied int64, err error) {
	var keep pace
	for wait := taskPoll; ; wait = min(2*wait, time.Second) {
		var answer struct {
			Completed bool `json:"completed"`
			Task      struct {
				Running time.Duration `json:"running_time_in_nanos"`
				Status  copyStatus    `json:"status"`
			} `json:"task"`
			Error    json.RawMessage `json:"error"`
			Response copyResult      `json:"response"`
		}
		if err := m.Do(ctx, esapi.TasksGetRequest{TaskID: task}, &answer); err != nil {
			return 0, fmt.Errorf("ask how far the copy is: %w", err)
		}
		if paced && !answer.Completed {
			answer.Task.Status.running = answer.Task.Running
			if rate, due := keep.next(answer.Task.Status); due {
				if err := m.rethrottle(ctx, task, rate); err != nil {
					return 0, fmt.Errorf("keep the copy's pace: %w", err)
				}
			}
		}
		if answer.Completed {
			if len(answer.Error) > 0 {
				return 0, fmt.Errorf("copy: Elasticsearch's task %s has the details", task)
			}
			return answer.Response.copied()
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return 0, ctx.Err()
		case <-timer.C:
		}
	}
}

// removeDeleted removes from the new index what was deleted from the old one after it was copied: a search by _seq_no shows
// what is there, not what is gone. Writes are held. After the last copy the new index has all that the old one has, so
// nothing is left over where they count the same.
func (m *move) removeDeleted(ctx context.Context) (removed int, err error) {
	before, err := m.count(ctx, m.from)
	if err != nil {
		return 0, err
	}
	after, err := m.count(ctx, m.to)
	if err != nil || after == before {
		return 0, err
	}
	if after < before {
		return 0, fmt.Errorf("the copy has %d documents, the original %d", after, before)
	}
	if removed, err = m.sweepCopy(ctx); err == nil && int64(removed) != after-before {
		err = fmt.Errorf("the copy has %d documents more than the original, and %d were found", after-before, removed)
	}
	return removed, err
}

func (m *move) count(ctx context.Context, index string) (int64, error) {
	var answer struct {
		Count int64 `json:"count"`
	}
	err := m.Do(ctx, esapi.CountRequest{Index: []string{index}}, &answer)
	return answer.Count, err
}

// sweepPage is how many ids are compared at once.
const sweepPage = 5000

// sweepCopy compares the new index's ids with the old one's.
func (m *move) sweepCopy(ctx context.Context) (removed int, err error) {
	var view struct {
		ID string `json:"id"`
	}
	if err := m.Do(ctx, esapi.OpenPointInTimeRequest{Index: []string{m.to}, KeepAlive: "1m"}, &view); err != nil {
		return 0, err
	}
	defer func() {
		body, _ := json.Marshal(map[string]any{"id": view.ID})
		_ = m.Do(context.WithoutCancel(ctx), esapi.ClosePointInTimeRequest{Body: bytes.NewReader(body)}, nil) // it expires
	}()
	query := map[string]any{"size": sweepPage, "_source": false, "track_total_hits": false, "pit": map[string]any{"id": view.ID, "keep_alive": "1m"}, "sort": []any{"_shard_doc"}}
	for {
		body, err := json.Marshal(query)
		if err != nil {
			return removed, err
		}
		var page searchAnswer[struct{}]
		if err := m.Do(ctx, esapi.SearchRequest{Body: bytes.NewReader(body)}, &page); err != nil {
			return removed, err
		}
		gone, err := m.missing(ctx, page.Hits.Hits)
		if err == nil && len(gone) > 0 {
			err = m.removeCopies(ctx, gone)
		}
		if removed += len(gone); err != nil || len(page.Hits.Hits) < sweepPage {
			return removed, err
		}
		query["search_after"] = page.Hits.Hits[len(page.Hits.Hits)-1].Sort
	}
}

// missing returns which of the new index's documents the old one doesn't have.
func (m *move) missing(ctx context.Context, copies []hit[struct{}]) ([]string, error) {
	if len(copies) == 0 {
		return nil, nil
	}
	ids := make([]string, len(copies))
	for i, one := range copies {
		ids[i] = one.ID
	}
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Docs []struct {
			ID    string `json:"_id"`
			Found bool   `json:"found"`
		} `json:"docs"`
	}
	if err := m.Do(ctx, esapi.MgetRequest{Index: m.from, Body: bytes.NewReader(body), Source: []string{"false"}}, &answer); err != nil {
		return nil, err
	}
	var gone []string
	for _, document := range answer.Docs {
		if !document.Found {
			gone = append(gone, document.ID)
		}
	}
	return gone, nil
}

// removeCopies deletes documents from the new index.
func (m *move) removeCopies(ctx context.Context, ids []string) error {
	operations := make([]Operation, len(ids))
	for i, id := range ids {
		operations[i] = Operation{Action: "delete", Index: m.to, Concrete: true, ID: id}
	}
	return m.BulkAll(ctx, operations)
}
