package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// document is one as the service stored it, byte by byte.
type document struct {
	ID     string          `json:"_id"`
	Source json.RawMessage `json:"_source"`
	Sort   []any           `json:"sort"`
	Found  bool            `json:"found"` // by _mget
}

// readBack returns the documents with numbers from first to below end (see timeOf), as they are stored. At most so many may be
// missing.
func (e *engine) readBack(ctx context.Context, index string, first, end, missing int) ([]document, error) {
	var all []document
	var after []any
	for {
		body, err := json.Marshal(pageQuery(first, end, after))
		if err != nil {
			return nil, err
		}
		var answer struct {
			Hits struct {
				Hits []document `json:"hits"`
			} `json:"hits"`
		}
		if err := e.call(ctx, http.MethodPost, "/"+index+"/_search", body, &answer); err != nil {
			return nil, err
		}
		page := answer.Hits.Hits
		all = append(all, page...)
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1].Sort
	}
	if len(all) < end-first-missing {
		return nil, fmt.Errorf("of documents %d to %d, %d are there: the store is not what the corpus says", first, end-1, len(all))
	}
	return all, nil
}

func pageQuery(first, end int, after []any) map[string]any {
	query := map[string]any{
		"size": 2000, "track_total_hits": false, "sort": []any{map[string]any{"created_at": "asc"}},
		"query": map[string]any{"range": map[string]any{"created_at": map[string]any{
			"gte": timeOf(first).Format(time.RFC3339), "lt": timeOf(end).Format(time.RFC3339),
		}}},
	}
	if after != nil {
		query["search_after"] = after
	}
	return query
}

// readByID returns the documents with these ids, searchable yet or not.
func (e *engine) readByID(ctx context.Context, index string, ids []string) ([]document, error) {
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Docs []document `json:"docs"`
	}
	if err := e.call(ctx, http.MethodPost, "/"+index+"/_mget", body, &answer); err != nil {
		return nil, err
	}
	for _, one := range answer.Docs {
		if !one.Found {
			return nil, fmt.Errorf("submission %s was acknowledged and is not there", one.ID)
		}
	}
	return answer.Docs, nil
}

// bulkBodies packs documents into _bulk requests of at most so many documents and bytes each.
func bulkBodies(documents []document, maxDocuments, maxBytes int) [][]byte {
	var bodies [][]byte
	var body bytes.Buffer
	held := 0
	flush := func() {
		if held > 0 {
			bodies = append(bodies, bytes.Clone(body.Bytes()))
			body.Reset()
			held = 0
		}
	}
	for _, one := range documents {
		fmt.Fprintf(&body, `{"create":{"_id":%q}}`+"\n%s\n", one.ID, one.Source)
		if held++; held == maxDocuments || body.Len() >= maxBytes {
			flush()
		}
	}
	flush()
	return bodies
}

// bulk sends _bulk requests, so many at once, and returns how long all took and how long each.
func (e *engine) bulk(ctx context.Context, index string, bodies [][]byte, atOnce int) (time.Duration, []time.Duration, error) {
	each := make([]time.Duration, len(bodies))
	failures := make([]error, len(bodies))
	turns := make(chan int)
	var group sync.WaitGroup
	began := time.Now()
	for range atOnce {
		group.Go(func() {
			for turn := range turns {
				sent := time.Now()
				failures[turn] = e.bulkOnce(ctx, index, bodies[turn])
				each[turn] = time.Since(sent)
			}
		})
	}
	for turn := range bodies {
		turns <- turn
	}
	close(turns)
	group.Wait()
	return time.Since(began), each, errors.Join(failures...)
}

func (e *engine) bulkOnce(ctx context.Context, index string, body []byte) error {
	var answer struct {
		Errors bool `json:"errors"`
	}
	if err := e.call(ctx, http.MethodPost, "/"+index+"/_bulk", body, &answer); err != nil {
		return err
	}
	if answer.Errors {
		return errors.New("_bulk refused documents that the service had stored")
	}
	return nil
}
