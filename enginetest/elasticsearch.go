package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// direct asks Elasticsearch without the code under test.
var direct = &http.Client{Timeout: time.Minute}

// Elasticsearch sends one request past the code under test, to the first address of ELASTICSEARCH_URL, and returns status
// and body of the answer. A body that isn't empty is sent as JSON.
func Elasticsearch(tb testing.TB, method, path, body string) (int, []byte) {
	tb.Helper()
	return ElasticsearchAt(tb, ElasticsearchURL(tb), method, path, body)
}

// ElasticsearchAt is Elasticsearch for a base URL of the test's own.
func ElasticsearchAt(tb testing.TB, base, method, path, body string) (int, []byte) {
	tb.Helper()
	status, answer, err := ask(base, method, path, body)
	if err != nil {
		tb.Fatalf("Elasticsearch doesn't answer: %v; %s", err, hint)
	}
	return status, answer
}

// ask sends one request to the first of comma-separated addresses.
func ask(base, method, path, body string) (status int, answer []byte, err error) {
	base, _, _ = strings.Cut(base, ",")
	request, err := http.NewRequest(method, strings.TrimRight(base, "/")+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if key := os.Getenv("ELASTICSEARCH_API_KEY"); key != "" {
		request.Header.Set("Authorization", "ApiKey "+key)
	} else if user := os.Getenv("ELASTICSEARCH_USERNAME"); user != "" {
		request.SetBasicAuth(user, os.Getenv("ELASTICSEARCH_PASSWORD"))
	}
	response, err := direct.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// Indices returns the names of the indices under a prefix.
func Indices(tb testing.TB, prefix string) []string {
	tb.Helper()
	names, err := indices(ElasticsearchURL(tb), prefix)
	if err != nil {
		tb.Fatal(err)
	}
	return names
}

func indices(base, prefix string) ([]string, error) {
	status, answer, err := ask(base, "GET", "/_cat/indices/"+prefix+"-*?h=index&format=json", "")
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Index string `json:"index"`
	}
	if err := json.Unmarshal(answer, &rows); err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("list indices: %d %.200s", status, answer)
	}
	names := make([]string, 0, len(rows))
	for _, row := range rows {
		names = append(names, row.Index)
	}
	return names, nil
}

// Everything returns every document under a prefix as Elasticsearch holds it, refreshed first: what a test of secrets
// looks through.
func Everything(tb testing.TB, prefix string) string {
	tb.Helper()
	Elasticsearch(tb, "POST", "/"+prefix+"-*/_refresh", "")
	status, answer := Elasticsearch(tb, "POST", "/"+prefix+"-*/_search?size=10000", "")
	var found struct {
		Hits struct {
			Total struct{ Value int } `json:"total"`
		} `json:"hits"`
	}
	if status != http.StatusOK || json.Unmarshal(answer, &found) != nil {
		tb.Fatalf("read everything: %d %.200s", status, answer)
	}
	if found.Hits.Total.Value >= 10_000 {
		tb.Fatal("read everything: more documents than one page holds")
	}
	return string(answer)
}

// Remove removes what lies under a prefix, in the engine's Elasticsearch and, where REDIS_URL is set, in its Redis. Tests
// that take their prefix from Prefix need not call it.
func Remove(prefix string) error {
	base := os.Getenv("ELASTICSEARCH_URL")
	names, err := indices(base, prefix)
	if err != nil {
		return err
	}
	if len(names) > 0 { // by name: Elasticsearch deletes nothing by a pattern
		status, answer, err := ask(base, "DELETE", "/"+strings.Join(names, ","), "")
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("remove indices: %d %.200s %w", status, answer, err)
		}
	}
	return removeKeys(os.Getenv("REDIS_URL"), prefix)
}

// Source returns the _source of a document as Elasticsearch holds it.
func Source(tb testing.TB, alias, id string) string {
	tb.Helper()
	status, answer := Elasticsearch(tb, "GET", fmt.Sprintf("/%s/_source/%s", alias, id), "")
	if status != http.StatusOK {
		tb.Fatalf("document %s of %s: %d %.200s", id, alias, status, answer)
	}
	return string(answer)
}
