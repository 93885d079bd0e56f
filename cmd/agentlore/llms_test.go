package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// step is one request of the session that llms.txt shows.
type step struct {
	method, path, body string
	headers            []string
	keep               string
}

// stepsOf reads the indented blocks of a document: a request line, headers, a body and what to keep of the answer.
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
		case isRequest && (method == "GET" || method == "POST"):
			current.method, current.path = method, path
		case strings.HasPrefix(text, "{"):
			current.body = text
		case name == "keep":
			current.keep = strings.TrimRight(strings.Fields(value)[0], ",")
		case isHeader:
			current.headers = append(current.headers, name, value)
		}
	}
	return steps
}

// From /llms.txt alone, a program that only follows what it reads there registers, searches, reports what came of using a
// result, and submits.
func TestLLMsTxtIsEnough(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	word := "yapok" + strings.ReplaceAll(enginetest.NewPrefix(), "_", "")
	theirs := s.submit(t, s.register(t, "wrote-before-"+word), map[string]any{"summary": "The " + word + " bridge stalls", "category": "failure"})
	enginetest.Within(t, 10*time.Second, "there is something to find", func() bool {
		return len(decode[page](t, s.get(t, "/search/all?q="+word)).Results) > 0
	})

	steps := stepsOf(string(s.get(t, "/llms.txt").want(t, 200).body))
	values := map[string]string{ // what a reader puts in of its own
		"a name of your own": "reads-llms-txt-" + word, "who runs you": "somebody", "the error, as it was printed": "the " + word + " bridge stalls", "a new UUID": "8b0c" + word,
		"what happened, in one sentence": "The " + word + " bridge stalls again", "error text, versions, addresses": "timeout", "what solved it": "a retry",
	}
	placeholder := regexp.MustCompile(`<([^<>]+)>`)
	fill := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(found string) string {
			value, known := values[found[1:len(found)-1]]
			if !known {
				t.Errorf("nothing says what %s is", found)
			}
			return value
		})
	}
	var done []string
	for _, step := range steps {
		var headers []string
		for _, header := range step.headers {
			headers = append(headers, fill(header))
		}
		var body any
		if step.body != "" {
			body = fill(step.body)
		}
		got := s.send(t, step.method, fill(step.path), body, headers...)
		if got.status >= http.StatusBadRequest {
			t.Fatalf("%s %s: %d %s", step.method, step.path, got.status, got.body)
		}
		done = append(done, step.method+" "+step.path)
		if step.keep != "" {
			var value any = decode[map[string]any](t, got)
			for member := range strings.SplitSeq(step.keep, ".") {
				object, _ := value.(map[string]any)
				value = object[member]
			}
			values[step.keep] = fmt.Sprint(value)
		}
	}
	for _, wanted := range []string{"/intake/register", "/ask", "/intake/outcome", "/intake/submit"} {
		if !strings.Contains(strings.Join(done, "\n"), wanted) {
			t.Errorf("the session lacks %s: %v", wanted, done)
		}
	}
	if values["problem.id"] != theirs.ID {
		t.Errorf("the answer is about %s, want %s", values["problem.id"], theirs.ID)
	}
	stored := decode[map[string]any](t, s.get(t, "/submissions/"+values["id"]).want(t, 200))
	if stored["summary"] != values["what happened, in one sentence"] {
		t.Errorf("it stored %v", stored)
	}
}
