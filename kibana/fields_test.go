package kibana

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"agentlore/mappings"
)

var update = flag.Bool("update", false, "write the descriptions of fields into the data views, from the mappings")

// Data views describe each field as the mappings do.
func TestFieldsAreDescribed(t *testing.T) {
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	_, lines := mustRead(t)
	for i, line := range lines {
		o := decoded[object](t, string(line))
		if o.Type != "index-pattern" {
			continue
		}
		described := map[string]map[string]string{}
		for _, collection := range o.collections() {
			fields, _ := definitions[collection].Mappings["_meta"].(map[string]any)["fields"].(map[string]string)
			for field, text := range fields {
				described[field] = map[string]string{"customDescription": text}
			}
		}
		for field := range o.computed(t) {
			described[field] = computedFields[field]
		}
		want, err := json.Marshal(described)
		if err != nil {
			t.Fatal(err)
		}
		if o.Attributes.FieldAttrs == string(want) {
			continue
		}
		t.Errorf("%s describes fields otherwise than the mappings: go test ./kibana -update writes what they say", o.ID)
		lines[i] = bytes.Replace(line, encoded(t, o.Attributes.FieldAttrs), encoded(t, string(want)), 1)
	}
	if *update {
		if err := os.WriteFile(objectsFile, append(bytes.Join(lines, []byte("\n")), '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// encoded returns a text as the file has it.
func encoded(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		t.Fatal(fmt.Errorf("encode: %w", err))
	}
	return bytes.TrimSpace(out.Bytes())
}
