package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
)

// stockBatch is how many documents go into one request.
const stockBatch = 1000

// stock makes sure that the collection is also in an index as Elasticsearch makes it, and returns a search in it by
// multi_match: what one has without any work.
func (s *store) stock(ctx context.Context, set collection) (func(context.Context, string) ([]string, error), error) {
	index := s.prefix + "_stock"
	if err := s.fillStock(ctx, set, index); err != nil {
		return nil, err
	}
	return func(ctx context.Context, text string) ([]string, error) {
		var answer struct {
			Hits struct {
				Hits []struct {
					ID string `json:"_id"`
				} `json:"hits"`
			} `json:"hits"`
		}
		err := s.elastic(ctx, http.MethodPost, "/"+index+"/_search", map[string]any{
			"size": depth, "_source": false,
			"query": map[string]any{"multi_match": map[string]any{"query": text, "fields": []string{"summary", "content"}}},
		}, &answer)
		ids := []string{}
		for _, hit := range answer.Hits.Hits {
			ids = append(ids, hit.ID)
		}
		return ids, err
	}, nil
}

// fillStock fills the stock index unless an earlier run has.
func (s *store) fillStock(ctx context.Context, set collection, index string) error {
	want, err := s.count(ctx, "submissions")
	if err != nil {
		return err
	}
	var there struct {
		Count int `json:"count"`
	}
	if s.elastic(ctx, http.MethodGet, "/"+index+"/_count", nil, &there) == nil && there.Count == want {
		return nil
	}
	_ = s.elastic(ctx, http.MethodDelete, "/"+index, nil, nil) // it may not be there
	err = s.elastic(ctx, http.MethodPut, "/"+index, map[string]any{
		"settings": map[string]any{"number_of_shards": s.o.shards, "number_of_replicas": 0},
		"mappings": map[string]any{"properties": map[string]any{
			"summary": map[string]any{"type": "text"}, "content": map[string]any{"type": "text"},
		}},
	}, nil)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	waiting := 0
	send := func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.o.elastic+"/"+index+"/_bulk", &lines)
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/x-ndjson")
		var answer struct {
			Errors bool `json:"errors"`
		}
		if err := answered(request, &answer); err != nil || answer.Errors {
			return fmt.Errorf("fill the stock index: %w", err)
		}
		lines.Reset()
		waiting = 0
		return nil
	}
	encoder := json.NewEncoder(&lines)
	err = readLines(filepath.Join(set.folder, "corpus.jsonl.gz"), func(one document) error {
		as := one.observe()
		if err := encoder.Encode(map[string]any{"index": map[string]any{"_id": one.ID}}); err != nil {
			return err
		}
		if err := encoder.Encode(map[string]string{"summary": as.Summary, "content": as.Content}); err != nil {
			return err
		}
		if waiting++; waiting == stockBatch {
			return send()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if waiting > 0 {
		if err := send(); err != nil {
			return err
		}
	}
	return s.elastic(ctx, http.MethodPost, "/"+index+"/_refresh", nil, nil)
}
