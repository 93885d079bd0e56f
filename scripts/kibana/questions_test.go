package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agentlore/enginetest"
)

var questionRow = regexp.MustCompile("(?m)^\\| ([^|]+) \\| ([a-z-]+) \\| `([^`]+)` \\| (\\d+) \\|$")

// The questions of docs/analysts.md are KQL that Elasticsearch reads, with the numbers of a count; on the corpus of
// AGENTLORE_ANALYST_PREFIX their answers are those that the page gives.
func TestQuestionsOfTheDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(enginetest.Root(), "docs", "analysts.md"))
	if err != nil {
		t.Fatal(err)
	}
	c := analystCorpus(t)
	rows := questionRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 10 {
		t.Fatalf("%d questions, want ten", len(rows))
	}
	for _, row := range rows {
		question, collection, kql := row[1], row[2], row[3]
		documented, _ := strconv.Atoi(row[4])
		body, err := json.Marshal(map[string]any{"size": 0, "track_total_hits": true, "query": map[string]any{"kql": map[string]any{"query": kql}}})
		if err != nil {
			t.Fatal(err)
		}
		status, answer := enginetest.Elasticsearch(t, "POST", "/"+c.prefix+"-"+collection+"/_search", string(body))
		var got struct {
			Hits struct{ Total struct{ Value int } }
		}
		if status != http.StatusOK || json.Unmarshal(answer, &got) != nil {
			t.Errorf("%s: %d %.300s", question, status, answer)
			continue
		}
		found := got.Hits.Total.Value
		if c.given && found != documented {
			t.Errorf("%s: %d, documented %d", question, found, documented)
		}
		if strings.Contains(kql, "text:") {
			continue // words are Elasticsearch's to find
		}
		counted := 0
		for _, d := range c.documents[collection] {
			if matches(t, kql, d) {
				counted++
			}
		}
		if found != counted {
			t.Errorf("%s: %d, counted %d", question, found, counted)
		}
	}
}
