package handlers

import (
	"encoding/json"
	"reflect"
	"testing"

	"agentlore/lore"
	"agentlore/scrubber"
)

// Whatever a decoder takes, it has read as it was written: written again and read again it is the same, and every member of the
// text stands in the value under exactly its name. `go test -fuzz=FuzzDecoder ./handlers` looks for a text that isn't.
func FuzzDecoder(f *testing.F) {
	for _, text := range []string{
		`{"source":"s","summary":"a \"quoted\" \u00e9\ud83d\ude00 line","category":"security","content":"c\n","tags":["a","b"],"ref":"r/1"}`,
		`{"source":"s","summary":"x","usefulness_score":70e-1,"created_at":"2024-02-29T12:00:00.123456789+02:00"}`,
		`{"source":"s","summary":"x","tags":null,"category":null,"created_at":null}`,
		`{"source":"s","summary":"first","Summary":"last"}`, `{"source":"s","summary":"first","\u0073ummary":"last"}`, `{"source":"s","ſummary":"x"}`,
		`{"target":{"collection":"submissions","id":"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"},"outcome":"worked","note":"n"}`,
		`{"target":{"collection":"submissions","ID":"x","id":"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"},"outcome":"worked"}`,
		`{"name":"n","type":"chain","ecosystem":"solana","addresses":["0x1","0x2"]}`, `{"name":"n","type":"chain","ecosystem":["a","b"]}{}`,
		"{\"source\":\"s\",\"summary\":\"\xff\"}", `{"source":"s","summary":"\ud800"}`, ` [{"source":"s"}] `, `null`, `{}`,
	} {
		f.Add(text)
	}
	clean := scrubber.New(scrubber.Config{})
	line, trial, entry := NewDecoder[lore.SubmissionLine](clean), NewDecoder[lore.Trial](clean), NewDecoder[lore.CatalogEntry](clean)
	f.Fuzz(func(t *testing.T, text string) {
		readsAsWritten(t, line, text)
		readsAsWritten(t, trial, text)
		readsAsWritten(t, entry, text)
	})
}

func readsAsWritten[T checker](t *testing.T, decoder *Decoder[T], text string) {
	t.Helper()
	value, err := decoder.Decode([]byte(text))
	if err != nil {
		_ = faultsOf(t, err)
		return
	}
	again, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("%q is read as what can't be written: %v", text, err)
	}
	second, err := decoder.Decode(again)
	if err != nil {
		t.Fatalf("%q is written as %q, which isn't taken: %v", text, again, err)
	}
	if third, err := json.Marshal(second); err != nil || string(third) != string(again) {
		t.Fatalf("%q is %q, and read again %q", text, again, third)
	}
	var members, kept map[string]any
	if json.Unmarshal([]byte(text), &members) != nil || json.Unmarshal(again, &kept) != nil {
		t.Fatalf("%q was taken and is no object", text)
	}
	for name, member := range members {
		if list, is := member.([]any); member == nil || member == "" || is && len(list) == 0 {
			continue // left out when it is written
		}
		if one, is := member.(string); is && name == "ecosystem" && reflect.TypeFor[T]() == reflect.TypeFor[lore.CatalogEntry]() {
			member = []any{one}
		}
		if name == "created_at" {
			continue // a time has several spellings
		}
		if !reflect.DeepEqual(kept[name], member) {
			t.Fatalf("%q: %s is %v, want %v", text, name, kept[name], member)
		}
	}
}
