package main

import (
	"strings"
	"testing"
)

// A message that readers could read in two ways, or with arguments of another type than the tool's schema says, does nothing.
func TestMCPMessagesAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "sends messages over MCP")
	call := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	}
	known := s.submit(t, me, observation("read over MCP")).ID
	good := call("get", `{"id":"`+known+`"}`)
	for name, c := range map[string]struct {
		message string
		status  int
		want    string // what the answer says
		not     string // what it doesn't
	}{
		"a message":                   {good, 200, `"read over MCP"`, `"isError":true`},
		"a text":                      {`"` + canary + `"`, 400, `"code":"invalid_json"`, canary},
		"null":                        {"null", 400, `"code":"invalid_json"`, ""},
		"another protocol":            {`{"jsonrpc":"` + canary + `","id":1,"method":"ping"}`, 400, `"code":"invalid_json"`, canary},
		"an unknown member":           {`{"jsonrpc":"2.0","id":{"` + canary + `":1},"method":"ping"}`, 400, `"code":"invalid_json"`, canary},
		"a batch":                     {"[" + good + "]", 400, "no batches", ""},
		"a second message":            {good + good, 400, "nothing behind it", known},
		"an argument twice":           {call("submit", `{"summary":"`+canary+`","category":"general","summary":"x"}`), 400, `"pointer":"/params/arguments/summary"`, canary},
		"an argument twice, escaped":  {call("submit", `{"summary":"x","category":"general","t\u0069tle":"x","title":"`+canary+`"}`), 400, `"pointer":"/params/arguments/title"`, canary},
		"a hostile name twice":        {call("submit", `{"`+canary+`":1,"`+canary+`":2}`), 400, `"pointer":"/params/arguments"`, canary},
		"arguments twice":             {strings.Replace(good, `"arguments"`, `"arguments":{},"arguments"`, 1), 400, `"pointer":"/params/arguments"`, known},
		"not UTF-8":                   {call("submit", "{\"summary\":\"\xff\",\"category\":\"general\"}"), 400, "UTF-8", "summary"},
		"an unknown argument":         {call("submit", `{"summary":"x","category":"general","title":"`+canary+`"}`), 200, `/title doesn't exist here`, canary},
		"an argument in another case": {call("submit", `{"summary":"x","category":"general","Tags":["a"]}`), 200, `/Tags doesn't exist here`, `"tier"`},
		"an unknown filter":           {call("search", `{"q":"x","colour":"red"}`), 200, `colour doesn't exist here`, `"results"`},
		"a number for a key":          {call("submit", `{"summary":"x","category":"general","idempotency_key":7}`), 200, "must be of the JSON type string", `"tier"`},
		"a list for a question":       {call("search", `{"q":["x"]}`), 200, "must be of the JSON type string", `"results"`},
		"a text for a limit":          {call("search", `{"q":"x","limit":"3"}`), 200, "must be of the JSON type integer", `"results"`},
		"null for a filter":           {call("search", `{"q":"x","limit":null,"since":null}`), 200, `"results"`, `"isError":true`},
		"a path for an id":            {call("get", `{"id":"../submissions/`+known+`"}`), 200, "not_found", `"read over MCP"`},
	} {
		got := s.send(t, "POST", "/mcp", c.message, append(me.bearer(), "Accept", "application/json, text/event-stream")...)
		plain := strings.NewReplacer(`\u0027`, "'", `\"`, `"`).Replace(string(got.body))
		if got.status != c.status || !strings.Contains(plain, c.want) || c.not != "" && strings.Contains(plain, c.not) {
			t.Errorf("%s: status %d, want %d with %s and without %s: %.600s", name, got.status, c.status, c.want, c.not, plain)
		}
	}
}
