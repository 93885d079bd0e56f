package handlers

import (
	"encoding/json"
	"reflect"
	"testing"

	"agentlore/lore"
)

// What is filled from an object that was read is what encoding/json reads from its text, faults and all.
func TestMembersAreFilledAsFromText(t *testing.T) {
	t.Parallel()
	asFromText[lore.SubmissionLine](t,
		`{"source":"s","summary":"a \"quoted\" \u00e9\ud83d\ude00 line","category":"security","content":"c\n","resolution":"","tags":["a","b"],"ecosystem":"solana","ref":"r/1"}`,
		`{"source":"s","usefulness_score":7.0,"created_at":"2024-02-29T12:00:00.123456789+02:00"}`,
		`{"tags":[],"category":null,"created_at":null,"usefulness_score":null,"tags":null}`,
		`{"tags":["a",null]}`,
		`{"summary":"first","summary":"last"}`,
		`{"source":"s","Summary":"a line","CONTENT":"c","Tags":["a"],"Ref":"r/1"}`, `{"Summary":"first","summary":"last"}`,
		`{"usefulness_score":7.5}`, `{"usefulness_score":"7"}`, `{"created_at":"yesterday"}`, `{"created_at":1}`,
		`{"summary":1}`, `{"summary":["a"]}`, `{"tags":"a"}`, `{"tags":[1]}`, `{"tags":{"a":"b"}}`)
	asFromText[lore.CatalogEntry](t,
		`{"name":"n","type":"chain","ecosystem":"solana","tags":["a"],"addresses":["0x1","0x2"],"url":"https://example.org"}`,
		`{"ecosystem":["solana","ethereum"]}`, `{"Name":"n","URL":"https://example.org","Addresses":["0x1"]}`, `{"ecosystem":[1]}`, `{"ecosystem":7}`)
}

func asFromText[T checker](t *testing.T, texts ...string) {
	t.Helper()
	decoder := NewDecoder[T]()
	for _, text := range texts {
		var raw any
		if err := json.Unmarshal([]byte(text), &raw); err != nil {
			t.Fatal(err)
		}
		var got, want T
		fault, wanted := decoder.fill(&got, raw, []byte(text)), json.Unmarshal([]byte(text), &want)
		if (fault == nil) != (wanted == nil) {
			t.Errorf("%s: %v, want %v", text, fault, wanted)
		}
		if wanted == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v, want\n%+v", text, got, want)
		}
	}
}
