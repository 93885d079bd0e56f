package index

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"agentlore/lore"
	"agentlore/terms"
)

// Only searchable documents are signed, and one that is written again has the signature of its present text.
func TestEncodedDocument(t *testing.T) {
	t.Parallel()
	read := func(alias string, document any) map[string]any {
		t.Helper()
		body, err := encodeDocument(alias, document)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(body), `"signature"`) > 1 {
			t.Errorf("two signatures: %s", body)
		}
		var fields map[string]any
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return fields
	}
	first := read("p-submissions", submissionDocument{Submission: lore.Submission{Summary: "oracle is stale", Content: "price"}})
	if want := base64.StdEncoding.EncodeToString(terms.Sign("oracle is stale", "price", "", "")); first["signature"] != want {
		t.Errorf("signature %v, want %s", first["signature"], want)
	}
	first["summary"] = "vault is paused"
	second := read("p-submissions", first)
	if want := base64.StdEncoding.EncodeToString(terms.Sign("vault is paused", "price", "", "")); second["signature"] != want || second["content"] != "price" {
		t.Errorf("signature %v, want %s", second["signature"], want)
	}
	if other := read("p-sources", map[string]string{"summary": "oracle"}); other["signature"] != nil {
		t.Errorf("a source has the signature %v", other["signature"])
	}
	if empty := read("p-assets", map[string]string{}); len(empty) != 0 {
		t.Errorf("nothing becomes %v", empty)
	}
}
