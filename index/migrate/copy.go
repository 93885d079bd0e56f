package migrate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
)

// nothingCopied is the checkpoint behind which all documents lie.
const nothingCopied = -1

// checkpoint returns the number of a write to the old index: all up to it are done, in every shard. Shards count each for itself, and a
// reindex can't tell them apart: the lowest takes some documents twice, which does no harm.
func (m *move) checkpoint(ctx context.Context) (int64, error) {
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
		return 0, err
	}
	lowest, primaries := int64(0), 0
	for _, copies := range answer.Indices[m.from].Shards {
		for _, one := range copies {
			if !one.Routing.Primary {
				continue
			}
			if primaries++; primaries == 1 || one.SeqNo.LocalCheckpoint < lowest {
				lowest = one.SeqNo.LocalCheckpoint
			}
		}
	}
	if primaries == 0 {
		return 0, fmt.Errorf("%s shows no primary shard", m.from)
	}
	return max(lowest, 0), nil
}

// droppedFields are left out of a copy: documents of older versions have them, and this version's mappings refuse them. Accounts
// keep them: only an account says now who owns an item.
var droppedFields = []string{"owner_key"}

// copyBatch is how many documents one bulk request of a copy holds: few, so that submits come in between.
const copyBatch = 250

// copy copies what was written after a checkpoint, and makes it visible. The first copy keeps to the rate, and takes external
// versions: the documents keep theirs. A later one overwrites, since it alone writes there and what it brings is newer; the version
// of a document that was deleted and made again may be lower than the one it replaces. Where writes are blocked there is little
// to copy, and at once answers sooner than a task that is asked how far it is.
func (m *move) copy(ctx context.Context, seen int64, atOnce bool) (copied int64, err error) {
	if err := m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.from}}, nil); err != nil {
		return 0, err
	}
	dropped := []string{}
	if m.alias != m.Alias(index.AccountsIndex) {
		dropped = droppedFields
	}
	if m.vectors != m.Dimensions { // of another model, which is asked anew
		dropped = append(slices.Clone(dropped), index.VectorField, index.VectorModelField)
	}
	source := map[string]any{"index": m.from, "size": copyBatch, "_source": map[string]any{"excludes": dropped}}
	dest := map[string]any{"index": m.to}
	request := esapi.ReindexRequest{WaitForCompletion: &atOnce}
	if seen == nothingCopied {
		dest["version_type"] = "external"
		if m.Rate > 0 {
			request.RequestsPerSecond = &m.Rate
		}
	} else {
		source["query"] = map[string]any{"range": map[string]any{"_seq_no": map[string]any{"gt": seen}}}
	}
	request.Body = index.JSONBody(map[string]any{"source": source, "dest": dest})
	var answer struct {
		Task string `json:"task"`
		copyResult
	}
	if err := m.Do(ctx, request, &answer); err != nil {
		return 0, err
	}
	result := answer.copyResult
	if !atOnce {
		if result, err = index.AwaitTask[copyResult](ctx, m.Client, answer.Task); err != nil {
			return 0, index.Wrapped("copy", err)
		}
	}
	if len(result.Failures) > 0 {
		return 0, fmt.Errorf("copy: %d documents failed", len(result.Failures))
	}
	return result.Created + result.Updated, m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.to}}, nil)
}

// copyResult is what Elasticsearch says of a copy that has ended.
type copyResult struct {
	Created  int64             `json:"created"`
	Updated  int64             `json:"updated"`
	Failures []json.RawMessage `json:"failures"` // their texts may quote documents
}

// awaitCopies waits until no copy writes to the new index any more. One whose migration was killed, or waited no longer, goes on in
// Elasticsearch, and what it writes late may be older than what is there by then.
func (m *move) awaitCopies(ctx context.Context) error {
	for said := false; ; said = true {
		var answer struct {
			Nodes map[string]struct {
				Tasks map[string]struct {
					Description string `json:"description"` // reindex from [...] to [...]
				} `json:"tasks"`
			} `json:"nodes"`
		}
		if err := m.Do(ctx, esapi.TasksListRequest{Actions: []string{"indices:data/write/reindex"}, Detailed: new(true)}, &answer); err != nil {
			return fmt.Errorf("look for earlier copies: %w", err)
		}
		running := false
		for _, node := range answer.Nodes {
			for _, task := range node.Tasks {
				running = running || strings.Contains(task.Description, m.to)
			}
		}
		if !running {
			return nil
		}
		if !said {
			m.say("waiting for an earlier copy to %s to end", m.to)
		}
		select {
		case <-ctx.Done():
			return index.TransportError(ctx, ctx.Err())
		case <-time.After(time.Second):
		}
	}
}

// removeDeleted removes from the new index what was deleted from the old one after it was copied: a search by _seq_no shows
// what is there, not what is gone. Writes are blocked. After the last copy the new index has all that the old one has, so
// nothing is left over where they count the same.
func (m *move) removeDeleted(ctx context.Context) (removed int64, err error) {
	all := map[string]any{"match_all": map[string]any{}}
	before, err := m.Count(ctx, m.from, all)
	if err != nil {
		return 0, err
	}
	after, err := m.Count(ctx, m.to, all)
	if err != nil || after == before {
		return 0, err
	}
	err = index.Scan(ctx, m.Client, m.to, all, false, func(page []index.Hit[json.RawMessage]) error {
		ids := make([]string, len(page))
		for i, one := range page {
			ids[i] = one.ID
		}
		there, err := index.ReadByID[struct{}](ctx, m.Client, m.from, ids, "*")
		if err != nil {
			return err
		}
		var gone []index.Operation
		for _, id := range ids {
			if _, found := there[id]; !found {
				gone = append(gone, index.Operation{Action: "delete", Index: m.to, Concrete: true, ID: id})
			}
		}
		removed += int64(len(gone))
		return m.BulkAll(ctx, gone, nil)
	})
	if err == nil && removed != after-before {
		err = fmt.Errorf("the copy has %d documents more than the original, and %d were found", after-before, removed)
	}
	return removed, err
}
