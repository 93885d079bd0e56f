package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
)

// corpus is what the panels are run on: a prefix and all its documents by collection.
type corpus struct {
	prefix    string
	documents map[string][]document
	given     bool // by AGENTLORE_ANALYST_PREFIX: a corpus that is there already, such as the imported real one
}

// analystCorpus returns the corpus of AGENTLORE_ANALYST_PREFIX, read only, or makes a small one with every collection filled.
func analystCorpus(t *testing.T) corpus {
	t.Helper()
	c := corpus{prefix: os.Getenv("AGENTLORE_ANALYST_PREFIX"), documents: map[string][]document{}}
	if c.given = c.prefix != ""; !c.given {
		c.prefix = enginetest.Prefix(t)
		client, err := index.Open(index.Config{
			Addresses: []string{enginetest.ElasticsearchURL(t)}, Prefix: c.prefix, Shards: 1, Replicas: "auto", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := client.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fill(t, c.prefix)
	}
	for _, view := range views[:len(views)-1] {
		for _, collection := range view.collections {
			c.read(t, collection)
		}
	}
	return c
}

// read reads every document of a collection, past the queries under test.
func (c *corpus) read(t *testing.T, collection string) {
	t.Helper()
	after := ""
	for {
		body := `{"size":2000,"sort":[{"created_at":"asc"},"_doc"],"_source":{"excludes":["content","embedding","signature"]}` + after + `}`
		status, answer := enginetest.Elasticsearch(t, "POST", "/"+c.prefix+"-"+collection+"/_search", body)
		var page struct {
			Hits struct {
				Hits []struct {
					Source map[string]any  `json:"_source"`
					Sort   json.RawMessage `json:"sort"`
				}
			}
		}
		if status == http.StatusNotFound {
			return
		}
		if status != http.StatusOK || json.Unmarshal(answer, &page) != nil {
			t.Fatalf("read %s: %d %.300s", collection, status, answer)
		}
		for _, hit := range page.Hits.Hits {
			c.documents[collection] = append(c.documents[collection], flat("", hit.Source, document{}))
		}
		if len(page.Hits.Hits) == 0 {
			return
		}
		after = `,"search_after":` + string(page.Hits.Hits[len(page.Hits.Hits)-1].Sort)
	}
}
