package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// engine is a bare client of Elasticsearch: what a program would use that has nothing between itself and the store.
type engine struct {
	url  *url.URL
	http *http.Client
}

func newEngine(address, username, password string) *engine {
	parsed, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil {
		panic(err) // checked with the options
	}
	if username != "" {
		parsed.User = url.UserPassword(username, password)
	}
	return &engine{parsed, &http.Client{Transport: newTransport(), Timeout: 2 * time.Minute}}
}

// newTransport returns a transport that keeps as many connections as anything here has requests under way.
func newTransport() *http.Transport {
	return &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 256, IdleConnTimeout: 5 * time.Minute}
}

// call sends a request and reads the answer into out, unless out is nil. An answer other than 2xx is an error.
func (e *engine) call(ctx context.Context, method, path string, body []byte, out any) error {
	request, err := http.NewRequestWithContext(ctx, method, e.url.String()+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if strings.HasSuffix(path, "/_bulk") {
		request.Header.Set("Content-Type", "application/x-ndjson")
	}
	response, err := e.http.Do(request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: Elasticsearch answered %d: %.300s", method, path, response.StatusCode, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

func (e *engine) version(ctx context.Context) (string, error) {
	var answer struct {
		Version struct {
			Number string `json:"number"`
		} `json:"version"`
	}
	err := e.call(ctx, http.MethodGet, "/", nil, &answer)
	return answer.Version.Number, err
}

// drop deletes the indices that a pattern names, each by its own name.
func (e *engine) drop(ctx context.Context, pattern string) error {
	var found map[string]any
	if err := e.call(ctx, http.MethodGet, "/"+pattern+"/_settings/index.uuid", nil, &found); err != nil {
		return err
	}
	for name := range found {
		if err := e.call(ctx, http.MethodDelete, "/"+name, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// settings changes settings of an index.
func (e *engine) settings(ctx context.Context, index, change string) error {
	return e.call(ctx, http.MethodPut, "/"+index+"/_settings", []byte(change), nil)
}

// count returns how many documents can be found in an index, -1 where there is no such index.
func (e *engine) count(ctx context.Context, index string) (int, error) {
	var answer struct {
		Count  int `json:"count"`
		Shards struct {
			Total int `json:"total"`
		} `json:"_shards"`
	}
	if err := e.call(ctx, http.MethodGet, "/"+index+"/_count?ignore_unavailable=true", nil, &answer); err != nil {
		return 0, err
	}
	if answer.Shards.Total == 0 {
		return -1, nil
	}
	return answer.Count, nil
}

// indexStats is what is asked about an index.
type indexStats struct {
	Indexing struct {
		Total int `json:"index_total"`
	} `json:"indexing"`
	Store struct {
		Bytes int64 `json:"size_in_bytes"`
	} `json:"store"`
	Merges struct {
		Current int `json:"current"`
	} `json:"merges"`
	Segments struct {
		Count int `json:"count"`
	} `json:"segments"`
}

func (e *engine) stats(ctx context.Context, index, metrics string) (indexStats, error) {
	var answer struct {
		All struct {
			Primaries indexStats `json:"primaries"`
		} `json:"_all"`
	}
	err := e.call(ctx, http.MethodGet, "/"+index+"/_stats/"+metrics, nil, &answer)
	return answer.All.Primaries, err
}

// settleFor is the longest wait for merges: they may go on for minutes in a large index, and cost both sides alike.
const settleFor = 20 * time.Second

// settle makes indices searchable and waits until no merge is under way in them, so that one side doesn't pay for the
// other's.
func (e *engine) settle(ctx context.Context, indices ...string) error {
	name := strings.Join(indices, ",")
	if err := e.call(ctx, http.MethodPost, "/"+name+"/_refresh", nil, nil); err != nil {
		return err
	}
	for deadline := time.Now().Add(settleFor); time.Now().Before(deadline); {
		stats, err := e.stats(ctx, name, "merge")
		if err != nil || stats.Merges.Current == 0 {
			return err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// mergesWithin is the longest wait for the merges that are due after a bulk load.
const mergesWithin = 15 * time.Minute

// mergeDue carries out the merges that Elasticsearch's policy asks for, and waits for them.
func (e *engine) mergeDue(ctx context.Context, index string) error {
	var started struct {
		Task string `json:"task"`
	}
	if err := e.call(ctx, http.MethodPost, "/"+index+"/_forcemerge?wait_for_completion=false", nil, &started); err != nil {
		return err
	}
	for deadline := time.Now().Add(mergesWithin); time.Now().Before(deadline); {
		var task struct {
			Completed bool            `json:"completed"`
			Error     json.RawMessage `json:"error"`
		}
		if err := e.call(ctx, http.MethodGet, "/_tasks/"+started.Task, nil, &task); err != nil {
			return err
		}
		if len(task.Error) > 0 {
			return fmt.Errorf("merge %s: %.300s", index, task.Error)
		}
		if task.Completed {
			return nil
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
	return fmt.Errorf("merges of %s are not done after %s", index, mergesWithin)
}

// worked does something to indices, lets them settle, and returns how long Elasticsearch's processors worked for both.
func (e *engine) worked(ctx context.Context, index, copied string, work func() error) (time.Duration, error) {
	before, err := e.processorTime(ctx)
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	if err := e.settle(ctx, index, copied); err != nil {
		return 0, err
	}
	after, err := e.processorTime(ctx)
	return after - before, err
}

// statsAge is how old Elasticsearch lets what it says of its process become before it looks again.
const statsAge = time.Second

// processorTime returns how long processors have worked for Elasticsearch since its start, on all nodes.
func (e *engine) processorTime(ctx context.Context) (total time.Duration, err error) {
	if err := pause(ctx, statsAge); err != nil { // else work before an earlier question could count for what comes now
		return 0, err
	}
	var answer struct {
		Nodes map[string]struct {
			Process struct {
				CPU struct {
					Milliseconds int64 `json:"total_in_millis"`
				} `json:"cpu"`
			} `json:"process"`
		} `json:"nodes"`
	}
	err = e.call(ctx, http.MethodGet, "/_nodes/stats/process", nil, &answer)
	for _, node := range answer.Nodes {
		total += time.Duration(node.Process.CPU.Milliseconds) * time.Millisecond
	}
	return total, err
}

// copyIndex makes an empty index of the same settings and mapping.
func (e *engine) copyIndex(ctx context.Context, from, to string) error {
	var found map[string]struct {
		Mappings json.RawMessage `json:"mappings"`
		Settings struct {
			Index map[string]any `json:"index"`
		} `json:"settings"`
	}
	if err := e.call(ctx, http.MethodGet, "/"+from, nil, &found); err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(found))
	if len(names) != 1 {
		return fmt.Errorf("%s is %d indices, not one", from, len(names))
	}
	settings := found[names[0]].Settings.Index
	for _, own := range []string{"uuid", "creation_date", "provided_name", "version"} {
		delete(settings, own)
	}
	body, err := json.Marshal(map[string]any{"settings": map[string]any{"index": settings}, "mappings": found[names[0]].Mappings})
	if err != nil {
		return err
	}
	if err := e.drop(ctx, to+"*"); err != nil {
		return err
	}
	return e.call(ctx, http.MethodPut, "/"+to, body, nil)
}

// pause waits, or returns why ctx ended.
func pause(ctx context.Context, long time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(long):
		return nil
	}
}
