package handlers

import (
	"errors"
	"strings"
	"testing"

	"agentlore/lore"
	"agentlore/scrubber"
)

// Malformed JSON is answered with the place and the kind of its first fault, and nothing of the text: an agent that pasted a log
// finds what to mend.
func TestMalformedJSONSaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	const canary = "canary7f3e" // stands for what must not come back
	decoder := NewDecoder[lore.Trial](scrubber.New(scrubber.Config{}))
	for _, tc := range []struct{ text, faults, place string }{
		{``, " empty", "the body is empty"}, {" \r\n", " empty", "the body is empty"},
		{"\xef\xbb\xbf{}", " byte_order_mark", "line 1, column 1 (byte offset 0)"},
		{`{"note":"` + canary + `"`, " incomplete", "line 1, column 21 (byte offset 20)"},
		{`{"note":"` + canary, "/note incomplete", "line 1, column 20 (byte offset 19)"},
		{"{\"note\":\"\\u12", "/note incomplete", "line 1, column 14 (byte offset 13)"},
		{"{\n \"note\": \"éé" + canary + "\nmore\"}", "/note line_break", "line 2, column 23 (byte offset 26)"},
		{"{\"target\":{\"id\":\"a\r\nb\"}}", "/target/id line_break", "line 1, column 19 (byte offset 18)"},
		{"{\"" + canary + "\n\":1}", " line_break", "line 1, column 13 (byte offset 12)"},
		{"{\"legal\":\"a\nb\"}", " line_break", "line 1, column 12 (byte offset 11)"}, // no member of ours: a fault may make a name of any word
		{"{\"note\":\"a\tb\"}", "/note control_character", "line 1, column 11 (byte offset 10)"},
		{`{"note":"C:\Users\` + canary + `"}`, "/note bad_escape", "line 1, column 12 (byte offset 11)"},
		{`{"note":"\ud800"}`, "/note bad_escape", "line 1, column 10 (byte offset 9)"},
		{"{\"note\":\"a\xff\"}", "/note not_utf8", "line 1, column 11 (byte offset 10)"},
		{`{'note':'` + canary + `'}`, " single_quote", "line 1, column 2 (byte offset 1)"},
		{`{"note":'` + canary + `'}`, "/note single_quote", "line 1, column 9 (byte offset 8)"},
		{"{\"note\":\"a\",\n}", " trailing_comma", "line 1, column 12 (byte offset 11)"},
		{`{"x":[1, ]}`, " trailing_comma", "line 1, column 8 (byte offset 7)"},
		{"// " + canary + "\n{}", " comment", "line 1, column 1 (byte offset 0)"},
		{`{}{}`, " text_behind", "line 1, column 3 (byte offset 2)"}, {`{} ` + canary, " text_behind", "line 1, column 4 (byte offset 3)"},
		{`{"note":"he said "` + canary + `" to me"}`, " unexpected", "line 1, column 19 (byte offset 18)"},
		{`{"note":True}`, "/note unexpected", "line 1, column 9 (byte offset 8)"},
		{"{\"note\":tru\n}", "/note unexpected", "line 1, column 12 (byte offset 11)"},
		{`{id:1}`, " unexpected", "line 1, column 2 (byte offset 1)"}, {canary, " unexpected", "line 1, column 1 (byte offset 0)"},
		{"\x1f\x8b\b", " unexpected", "line 1, column 1 (byte offset 0)"},
	} {
		_, err := decoder.Decode([]byte(tc.text))
		if got := faultsOf(t, err); got != "invalid_json; "+tc.faults {
			t.Errorf("%q: %s, want %s", tc.text, got, tc.faults)
			continue
		}
		problem, _ := errors.AsType[*lore.Problem](err)
		field := problem.Fields[0]
		if !strings.Contains(problem.Detail, tc.place+": "+field.Detail) || strings.Contains(problem.Detail+field.Detail, canary) {
			t.Errorf("%q: %s, want it to say %s", tc.text, problem.Detail, tc.place)
		}
	}
}
