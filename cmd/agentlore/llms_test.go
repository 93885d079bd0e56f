package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// step is one request that a document shows.
type step struct {
	method, path, body string
	headers            []string
	answer             string // what of its answer the document shows
	keep               string
}

// stepsOf reads the indented blocks of a document: a request line, headers, a body, the answer and what to keep of it.
func stepsOf(document string) []step {
	var steps []step
	current := step{}
	for line := range strings.SplitSeq(document+"\n", "\n") {
		text, indented := strings.CutPrefix(line, "    ")
		method, path, isRequest := strings.Cut(text, " ")
		name, value, isHeader := strings.Cut(text, ": ")
		switch {
		case !indented:
			if current.method != "" {
				steps = append(steps, current)
			}
			current = step{}
		case isRequest && slices.Contains([]string{"GET", "POST", "PATCH"}, method):
			current.method, current.path = method, path
		case strings.HasPrefix(text, "{"):
			current.body = text
		case name == "answer":
			current.answer = value
		case name == "keep":
			current.keep = strings.TrimRight(strings.Fields(value)[0], ",")
		case isHeader:
			current.headers = append(current.headers, name, value)
		}
	}
	return steps
}

// placeholder stands for what a reader puts in of its own, or for what differs in each answer.
var placeholder = regexp.MustCompile(`<([^<>]+)>`)

// differs says where an answer lacks something that a document shows of it; "": it has all. A text that ends in … is
// cut.
func differs(shown, answered any) string {
	switch shown := shown.(type) {
	case map[string]any:
		members, _ := answered.(map[string]any)
		for name, value := range shown {
			if where := differs(value, members[name]); where != "" {
				return "/" + name + where
			}
		}
		return ""
	case []any:
		items, _ := answered.([]any)
		if len(shown) != len(items) {
			return fmt.Sprintf(" has %d items, not %d", len(items), len(shown))
		}
		for i, value := range shown {
			if where := differs(value, items[i]); where != "" {
				return fmt.Sprint("/", i, where)
			}
		}
		return ""
	case string:
		text, _ := answered.(string)
		begins, cut := strings.CutSuffix(shown, "…")
		if cut && strings.HasPrefix(text, begins) || placeholder.FindString(shown) == shown && answered != nil {
			return ""
		}
	}
	if shown == answered {
		return ""
	}
	return fmt.Sprintf(" is %.300q, not %.300q", fmt.Sprint(answered), fmt.Sprint(shown))
}

// reader is a program that knows the service from a document alone, and does what it shows.
type reader struct {
	s      *service
	values map[string]string // what it puts in, by placeholder; what it kept
	done   []string
}

// follow takes each step, and compares its answer with the one that the document shows.
func (r *reader) follow(t *testing.T, document string) {
	t.Helper()
	fill := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(found string) string {
			value, known := r.values[found[1:len(found)-1]]
			if !known {
				t.Errorf("nothing says what %s is", found)
			}
			return value
		})
	}
	for _, step := range stepsOf(document) {
		var headers []string
		for _, header := range step.headers {
			headers = append(headers, fill(header))
		}
		var body any
		if step.body != "" {
			body = fill(step.body)
		}
		got := r.s.send(t, step.method, fill(step.path), body, headers...)
		if got.status >= http.StatusBadRequest {
			t.Fatalf("%s %s: %d %s", step.method, step.path, got.status, got.body)
		}
		r.done = append(r.done, step.method+" "+step.path)
		if step.answer != "" {
			var shown any
			if err := json.Unmarshal([]byte(step.answer), &shown); err != nil {
				t.Fatalf("%s %s: the answer in the document: %v", step.method, step.path, err)
			}
			if where := differs(shown, decode[any](t, got)); where != "" {
				t.Errorf("%s %s %s: the answer's %s", step.method, step.path, step.body, where)
			}
		}
		if step.keep != "" {
			var value any = decode[map[string]any](t, got)
			for member := range strings.SplitSeq(step.keep, ".") {
				object, _ := value.(map[string]any)
				value = object[member]
			}
			r.values[step.keep] = fmt.Sprint(value)
		}
	}
}

// From /llms.txt alone, a program that only follows what it reads there asks, registers, reports what came of using a
// result, submits, amends, follows up, withdraws and keeps a question; then it does what /skill.md shows. Each answer
// is the one that the document shows.
func TestWhatDocumentsShowIsWhatHappens(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	if status, _, stderr := run(t, append([]string{"import", "--reference"}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, prefix, "--no-curate")
	theirs := s.submit(t, s.register(t, "wrote-before"), map[string]any{"summary": "The yapok bridge stalls", "category": "failure"})
	enginetest.Within(t, 10*time.Second, "there is something to find", func() bool {
		return len(decode[page](t, s.get(t, "/search/all?q=yapok").want(t, 200)).Results) > 0
	})
	r := &reader{s: s, values: map[string]string{
		"a name of your own": "reads-llms-txt", "who runs you": "somebody", "the error, as it was printed": "the yapok bridge stalls",
		"a new UUID":                     "8b0c7a52-0f5e-4b39-9d0c-5a1c4bb6a001",
		"what happened, in one sentence": "The yapok bridge stalls again", "error text, versions, addresses": "timeout", "what solved it": "a retry",
		"what solved it, put better": "a retry after a minute", "what you learned since": "it held", "why it is wrong": "another cause",
	}}
	r.follow(t, string(s.get(t, "/llms.txt").want(t, 200).body))
	for _, wanted := range []string{
		"/intake/register", "/ask", "/intake/outcome", "/intake/submit", "/intake/follow-up", "/intake/withdraw", "/intake/question",
	} {
		if !strings.Contains(strings.Join(r.done, "\n"), wanted) {
			t.Errorf("the session lacks %s: %v", wanted, r.done)
		}
	}
	if r.values["problem.id"] != theirs.ID {
		t.Errorf("the answer is about %s, want %s", r.values["problem.id"], theirs.ID)
	}
	mine := decode[page](t, s.get(t, "/intake/mine", "Authorization", "Bearer "+r.values["api_token"]).want(t, 200)).Results
	if len(mine) != 2 || mine[1]["resolution"] != "a retry after a minute" || mine[1]["status"] != "withdrawn" {
		t.Errorf("it stored %v", mine)
	}

	r.done, r.values["a new UUID"] = nil, "8b0c7a52-0f5e-4b39-9d0c-5a1c4bb6a002"
	r.values["what happened, in one sentence"] = "The yapok relayer stalls"
	skill := string(s.get(t, "/skill.md").want(t, 200).body)
	if r.follow(t, skill); len(r.done) < 6 {
		t.Errorf("the skill shows %v", r.done)
	}
	for _, wanted := range []string{"`ecosystem`", "`limit`", "`tried`", "newcomer"} {
		if !strings.Contains(skill, wanted) {
			t.Errorf("the skill lacks %s", wanted)
		}
	}
}
