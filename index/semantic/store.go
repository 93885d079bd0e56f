// Package semantic fills in the vectors of what is stored, for the semantic layer of search, and says how far it is.
package semantic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/embed"
	"agentlore/index"
	"agentlore/lore"
)

// batchSize is how many texts one request to the embeddings server has: a model on a CPU takes a second or two for them, and searches
// ask it in between. Public servers take 32 at least.
const batchSize = 32

// pageSize is how many items one search for those without vectors returns: it goes through all of them to sort.
const pageSize = 16 * batchSize

// item is a searchable item whose vector is missing or of another model.
type item struct {
	index.Hit[itemText]
	index.Revision
}

// itemText is what of an item its vector is made of.
type itemText struct {
	ID          string `json:"id"`
	Summary     string `json:"summary"`
	Content     string `json:"content"`
	Resolution  string `json:"resolution"`
	Description string `json:"description"`
}

// text returns the text that is sent of the item.
func (i item) text() string {
	return embed.Text(i.Source.Summary, i.Source.Content, i.Source.Resolution, i.Source.Description)
}

// aliases are those of the collections that searches read.
func (l *Layer) aliases() (aliases []string) {
	for _, searchable := range lore.SearchTypes() {
		aliases = append(aliases, l.client.AliasOf(searchable.Collection))
	}
	return aliases
}

// batches returns the items without a vector of the model, so many as one request to the embeddings server has, until ctx ends. Those
// whose text was refused a while ago are left out.
func (l *Layer) batches(ctx context.Context) iter.Seq2[[]item, error] {
	return func(yield func([]item, error) bool) {
		for after := ""; ctx.Err() == nil; {
			page, err := l.missing(ctx, after)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page) == 0 {
				return
			}
			after = page[len(page)-1].ID
			page = slices.DeleteFunc(page, func(i item) bool { return time.Now().Before(l.refused[i.ID]) })
			for batch := range slices.Chunk(page, batchSize) {
				if !yield(batch, nil) {
					return
				}
			}
		}
	}
}

// missing returns items without a vector of the model, in order of id, from behind an id on.
func (l *Layer) missing(ctx context.Context, after string) ([]item, error) {
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{"must_not": []any{index.Term(index.VectorModelField, l.Model())}}},
		"sort":  index.ByID, "size": pageSize, "track_total_hits": false, "seq_no_primary_term": true,
		"_source": []string{"id", "summary", "content", "resolution", "description"},
	}
	if after != "" {
		body["search_after"] = []any{after}
	}
	var answer struct {
		Hits struct {
			Hits []item `json:"hits"`
		} `json:"hits"`
	}
	if err := l.client.Query(ctx, l.aliases(), body, &answer); err != nil {
		return nil, fmt.Errorf("look for items without vectors: %w", err)
	}
	return answer.Hits.Hits, nil
}

// write gives items their vectors, unless they have changed since they were read: those are found again. It returns how many it wrote.
func (l *Layer) write(ctx context.Context, items []item, vectors []embed.Vector) (written int, err error) {
	operations := make([]index.Operation, len(items))
	for i, one := range items {
		operations[i] = index.Operation{
			Action: "update", Index: l.client.AliasOf(l.client.CollectionOf(one.Index)), ID: one.ID, Over: &one.Revision,
			Document: map[string]any{"doc": map[string]any{index.VectorField: vectors[i].Hex(), index.VectorModelField: l.Model()}},
		}
	}
	results, err := l.client.Bulk(ctx, operations)
	for _, result := range results {
		switch {
		case errors.Is(result.Err, index.ErrConflict), errors.Is(result.Err, index.ErrNotFound):
		case result.Err != nil:
			err = errors.Join(err, result.Err)
		default:
			written++
		}
	}
	return written, err
}

// Coverage returns how many items are searchable, and how many of them have a vector of the model. Errors: store_unavailable.
func (l *Layer) Coverage(ctx context.Context) (covered, all int64, err error) {
	body := map[string]any{
		"size": 0, "track_total_hits": true,
		"aggs": map[string]any{"covered": map[string]any{"filter": index.Term(index.VectorModelField, l.Model())}},
	}
	var answer index.SearchAnswer[struct{}]
	if err := l.client.Query(ctx, l.aliases(), body, &answer); err != nil {
		return 0, 0, fmt.Errorf("count vectors: %w", err)
	}
	var counted struct {
		Count int64 `json:"doc_count"`
	}
	if err := json.Unmarshal(answer.Aggregations["covered"], &counted); err != nil {
		return 0, 0, fmt.Errorf("count vectors: %w", err)
	}
	return counted.Count, answer.Hits.Total.Value, nil
}

// errOtherMapping says that the indices can't hold the model's vectors.
var errOtherMapping = errors.New("the indices are of another version, or for vectors of another size: run agentlore migrate with these settings")

// fits returns errOtherMapping unless all indices can hold the model's vectors.
func (l *Layer) fits(ctx context.Context) error {
	var answer map[string]struct {
		Mappings struct {
			Properties map[string]struct {
				Type       string `json:"element_type"`
				Dimensions int    `json:"dims"`
			} `json:"properties"`
		} `json:"mappings"`
	}
	request := esapi.IndicesGetMappingRequest{Index: l.aliases(), FilterPath: []string{"*.mappings.properties." + index.VectorField}}
	if err := l.client.Do(ctx, request, &answer); err != nil {
		return fmt.Errorf("read the mapping of vectors: %w", err)
	}
	if len(answer) < len(l.aliases()) {
		return errOtherMapping
	}
	for name, found := range answer {
		field := found.Mappings.Properties[index.VectorField]
		if field.Type != "byte" || field.Dimensions != l.dimensions {
			return fmt.Errorf("%s: %w", name[:strings.LastIndexByte(name, '-')], errOtherMapping)
		}
	}
	return nil
}
