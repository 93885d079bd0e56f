package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// lever runs a command of an operator in a store, which must succeed, and returns what it prints.
func lever(t *testing.T, prefix string, words ...string) string {
	t.Helper()
	status, stdout, stderr := pull(t, prefix, words...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s%s", words, status, stdout, stderr)
	}
	return stdout
}

// pull runs a command of an operator in a store.
func pull(t *testing.T, prefix string, words ...string) (status int, stdout, stderr string) {
	t.Helper()
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	status, stdout, stderr = run(t, append(slices.Clone(words), storeFlags(t, prefix)...)...)
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	return status, stdout, stderr
}

// curateOnce does a pass over what is new.
func curateOnce(t *testing.T, prefix string) {
	t.Helper()
	lever(t, prefix, "curate", "--once")
}

// storedDocument is a document wherever it is stored, as a write leaves it.
type storedDocument struct {
	Index  string          `json:"_index"`
	ID     string          `json:"_id"`
	SeqNo  int64           `json:"_seq_no"`
	Source json.RawMessage `json:"_source"`
}

// storedDocuments returns all documents of a store but those of some collections.
func storedDocuments(t *testing.T, prefix string, but ...string) []storedDocument {
	t.Helper()
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	where := prefix + "-*"
	for _, collection := range but {
		where += ",-" + prefix + "-" + collection + "*"
	}
	_, answer := enginetest.Elasticsearch(t, "POST", "/"+where+"/_search?size=10000&seq_no_primary_term=true", `{"sort": [{"_index": "asc"}, {"_doc": "asc"}]}`)
	var found struct {
		Hits struct{ Hits []storedDocument } `json:"hits"`
	}
	if err := json.Unmarshal(answer, &found); err != nil || len(found.Hits.Hits) == 0 {
		t.Fatalf("%v: %.300s", err, answer)
	}
	slices.SortFunc(found.Hits.Hits, func(a, b storedDocument) int { return strings.Compare(a.Index+" "+a.ID, b.Index+" "+b.ID) })
	return found.Hits.Hits
}

// wantNowhere fails if a document outside of the decisions holds one of the texts.
func wantNowhere(t *testing.T, prefix string, texts ...string) {
	t.Helper()
	for _, document := range storedDocuments(t, prefix, "decisions") {
		for _, text := range texts {
			if strings.Contains(document.ID+string(document.Source), text) {
				t.Errorf("%q is in %s/%s: %.400s", text, document.Index, document.ID, document.Source)
			}
		}
	}
}

// wantUntouched fails if commands of an operator change any document of a store. Searches of before are logged meanwhile.
func wantUntouched(t *testing.T, prefix string, commands ...[]string) {
	t.Helper()
	dump := func() string {
		var dump strings.Builder
		for _, document := range storedDocuments(t, prefix, "searchlog") {
			fmt.Fprintf(&dump, "%s/%s %d %s\n", document.Index, document.ID, document.SeqNo, document.Source)
		}
		return dump.String()
	}
	before := dump()
	for _, command := range commands {
		printed := lever(t, prefix, append(slices.Clone(command), "--dry-run")...)
		if !strings.HasPrefix(printed, "would ") {
			t.Errorf("the dry run of %v prints %q", command, printed)
		}
		if after := dump(); after != before {
			t.Fatalf("the dry run of %v changes the store:\n%s\nbefore:\n%s", command, after, before)
		}
	}
}
