package handlers

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentlore/lore"
	"agentlore/scrubber"
)

// faultsOf returns the faults that a decoder finds in a text, as "pointer code".
func faultsOf(t *testing.T, fault error) string {
	t.Helper()
	var problem *lore.Problem
	if !errors.As(fault, &problem) {
		t.Fatalf("%v is no problem", fault)
	}
	found := []string{string(problem.Code)}
	for _, field := range problem.Fields {
		found = append(found, field.Pointer+" "+field.Code)
	}
	return strings.Join(found, "; ")
}

// A member that isn't one is named where its name is a program's and holds no secret, so that an agent can mend its request. Any
// other name is the caller's own affair and repeated nowhere.
func TestMembersAreNamedWhereTheirNamesAreHarmless(t *testing.T) {
	t.Parallel()
	clean := scrubber.New(scrubber.Config{Literal: true})
	seed := "s" + strings.Repeat("HnTq", 7) // letters alone, as a member's name
	words := []string{"legal", "winner", "thank", "year", "wave", "sausage", "worth", "useful", "legal", "winner", "thank", "yellow"}
	nested := `{"` + strings.Join(words, `":{"`) + `":1,"` + words[11] + `":1` + strings.Repeat("}", len(words))
	decoder := NewDecoder[lore.Trial](clean)
	const good = `"target":{"collection":"submissions","id":"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"},"outcome":"worked"`
	for text, want := range map[string]string{
		`{` + good + `,"title":1}`:                                "invalid_field; /title unknown",
		`{` + good + `,"Note":"x"}`:                               "invalid_field; /Note unknown",
		`{` + good + `,"note_2":1}`:                               "invalid_field;  unknown", // a digit: keys have some
		`{` + good + `,"":1}`:                                     "invalid_field;  unknown",
		`{` + good + `,"a/b":1}`:                                  "invalid_field;  unknown",
		`{` + good + `,"target.x":1}`:                             "invalid_field; /target/x unknown",
		`{` + good + `,"target.id":1}`:                            "invalid_field; /target unknown",
		`{` + good + `,"ſummary":1}`:                              "invalid_field;  unknown",
		`{` + good + `,"` + strings.Repeat("x", 33) + `":1}`:      "invalid_field;  unknown",
		`{` + good + `,"` + seed + `":1}`:                         "invalid_field;  unknown",
		`{` + good + `,"note":"a","note":"b"}`:                    "invalid_json; /note duplicate",
		`{` + good + `,"note":"a","n\u006fte":"b"}`:               "invalid_json; /note duplicate",
		`{` + good + `,"` + seed + `":1,"` + seed + `":1}`:        "invalid_json;  duplicate",
		`{` + good + `,"x":{"y":1,"y":1}}`:                        "invalid_json; /x/y duplicate",
		`{` + good + `,"x":[{"y":1,"y":1}]}`:                      "invalid_json; /x duplicate",
		strings.Replace(`{`+good+`}`, `"id"`, `"ID"`, 1):          "invalid_fields; /target/id required; /target/ID unknown",
		strings.Replace(`{`+good+`}`, `"id"`, `"id":"x","id"`, 1): "invalid_json; /target/id duplicate",
		nested:             "invalid_json; /legal/winner/thank/year duplicate",
		`{` + good + `}{}`: "invalid_json;  text_behind", `{` + good + `} x`: "invalid_json;  text_behind", `[{` + good + `}]`: "invalid_field;  wrong_type",
		"{" + good + ",\"note\":\"\xff\"}": "invalid_json; /note not_utf8", `{` + good + `,"note":"\ud800"}`: "invalid_json; /note bad_escape",
	} {
		_, err := decoder.Decode([]byte(text))
		if got := faultsOf(t, err); got != want {
			t.Errorf("%.200s: %s, want %s", text, got, want)
		}
		if err != nil && (strings.Contains(err.Error(), seed) || strings.Contains(err.Error(), "note_2")) {
			t.Errorf("%.200s: the error repeats the name: %v", text, err)
		}
	}
	if value, err := decoder.Decode([]byte(`{` + good + `,"n\u006fte":null}`)); err != nil || value.Note != "" {
		t.Errorf("an escaped name and null: %+v, %v", value, err)
	}
	// However many faults there are, an answer stays short.
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `,"member %d":1`, i)
	}
	_, err := decoder.Decode([]byte(`{` + good + many.String() + `}`))
	if got := strings.Count(faultsOf(t, err), "unknown"); got != maxFaults {
		t.Errorf("%d faults are listed, want %d", got, maxFaults)
	}
}
