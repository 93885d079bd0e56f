package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"agentlore/lore"
)

// open makes sure that the collection is stored and starts the service on it.
func open(ctx context.Context, o options, set collection) (*store, error) {
	s := &store{o: o, prefix: "relevance_" + strings.ReplaceAll(set.name, "-", "_")}
	if o.shards > 1 {
		s.prefix += fmt.Sprintf("_%d", o.shards)
	}
	if o.mixed {
		s.prefix += "_mixed"
	}
	if err := command(ctx, s.environment(), o.binary, "migrate"); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	old, err := s.outdated()
	if err == nil && old {
		s.stop()
		if err = s.drop(ctx); err == nil {
			err = s.start(ctx)
		}
	}
	if err == nil {
		err = s.fill(ctx, set)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// outdated reports whether the indices are of another mapping than the binary's.
func (s *store) outdated() (bool, error) {
	text, err := os.ReadFile(s.log)
	return bytes.Contains(text, []byte("created by another version")), err
}

// fill imports what isn't there yet.
func (s *store) fill(ctx context.Context, set collection) error {
	want, err := set.write(io.Discard)
	if err != nil {
		return err
	}
	have, err := s.count(ctx, lore.Submissions)
	if err != nil {
		return err
	}
	if have != want {
		fmt.Fprintf(os.Stderr, "%s: importing %d documents\n", set.name, want)
		read, written := io.Pipe()
		go func() {
			_, err := set.write(written)
			written.CloseWithError(err)
		}()
		if err := commandWith(ctx, read, s.environment(), s.o.binary, "import", "--collection", "submissions", "-"); err != nil {
			return err
		}
	}
	if s.o.mixed {
		if err := s.fillOthers(ctx, set); err != nil {
			return err
		}
	}
	if err := s.elastic(ctx, http.MethodPost, "/"+s.prefix+"-*/_refresh", nil, nil); err != nil {
		return err
	}
	have, err = s.count(ctx, lore.Submissions)
	if err == nil && have != want {
		return fmt.Errorf("%d of %d documents are stored", have, want)
	}
	return err
}

// count returns how many items a collection has.
func (s *store) count(ctx context.Context, of lore.Collection) (int, error) {
	if err := s.elastic(ctx, http.MethodPost, "/"+s.prefix+"-"+string(of)+"/_refresh", nil, nil); err != nil {
		return 0, err
	}
	var answer struct {
		Count int `json:"count"`
	}
	err := s.elastic(ctx, http.MethodGet, "/"+s.prefix+"-"+string(of)+"/_count", nil, &answer)
	return answer.Count, err
}

// drop removes the store's indices, which this program has made, and makes them anew.
func (s *store) drop(ctx context.Context) error {
	var rows []struct {
		Index string `json:"index"`
	}
	if err := s.elastic(ctx, http.MethodGet, "/_cat/indices/"+s.prefix+"-*?format=json&h=index", nil, &rows); err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.elastic(ctx, http.MethodDelete, "/"+row.Index, nil, nil); err != nil {
			return err
		}
	}
	return command(ctx, s.environment(), s.o.binary, "migrate")
}

// elastic sends Elasticsearch a request of this program's own.
func (s *store) elastic(ctx context.Context, method, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		text = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(s.o.elastic, "/")+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if user := os.Getenv("ELASTICSEARCH_USERNAME"); user != "" {
		request.SetBasicAuth(user, os.Getenv("ELASTICSEARCH_PASSWORD"))
	}
	request.Header.Set("Content-Type", "application/json")
	return answered(request, answer)
}
