package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentlore/enginetest"
)

// verdict says what must become of a text.
type verdict int

const (
	refused verdict = iota // nothing is stored
	either                 // refused, or stored as a strict reader reads it: other rules than the schema's decide
	stored                 // stored as a strict reader reads it
)

// judge tells what must become of an object's text, and what a strict reader reads in it.
func (in intake) judge(document map[string]any, base map[string]any, text string) (verdict, map[string]any) {
	value, ok := readStrictly(text)
	object, is := withoutNulls(value).(map[string]any)
	unknown := func(fault string) bool { return strings.Contains(fault, "undescribed") }
	if !ok || !is || slices.ContainsFunc(mismatches(document, in.schema, value, ""), unknown) || len(mismatches(document, in.schema, object, "")) > 0 || strings.Contains(text, `"\u0000"`) {
		return refused, nil
	}
	switch {
	case in.index == "":
		return either, object
	case in.path+in.operation == "/intake/follow-up" && object["content"] == nil && object["resolution"] == nil:
		return either, object // one of them must be there
	case in.path == "/intake/connect":
		full := map[string]any{"name": object["name"], "type": object["type"]}
		for name := range full {
			if full[name] == nil || full[name] == "" {
				full[name] = object["agent_"+name]
			}
			if full[name] == nil {
				return refused, nil
			}
		}
		object = full
	}
	if id, isFree := object["id"], base["kind"] != nil && object["kind"] != "correction" && object["kind"] != "merge"; base["id"] != nil && id != base["id"] && (id != nil || !isFree) {
		return refused, nil // it names no item
	}
	if base["name"] != nil && object["name"] != base["name"] {
		return either, object // a name can be taken
	}
	return stored, object
}

// send sends an object's text and returns whether it was taken, and the id of what was stored.
func (in intake) send(s *service, t *testing.T, me agent, text string, message func(arguments string) string) (taken bool, id string) {
	path, body, headers := in.path, text, me.bearer()
	if in.tool != "" {
		path, body, headers = "/mcp", message(text), append(headers, "Accept", "application/json, text/event-stream")
	}
	got, err := s.try(t.Context(), "POST", path, body, headers...)
	if err != nil {
		t.Errorf("%s%s: %v", in.tool, in.path, err)
		return false, ""
	}
	if got.status >= 500 {
		t.Errorf("%s%s: status %d: %.300s", in.tool, in.path, got.status, got.body)
	}
	answer := got.body
	if in.tool != "" && got.status < 300 {
		var reply struct {
			Result *struct {
				IsError bool `json:"isError"`
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
			} `json:"result"`
		}
		if err := json.Unmarshal(answer, &reply); err != nil || reply.Result == nil || reply.Result.IsError {
			return false, ""
		}
		answer = []byte(reply.Result.Content[0].Text)
	}
	var named struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(answer, &named) // no answer of a read has one
	return got.status < 300, named.ID
}

// Objects are taken as a strict reader reads them, or not at all: 1,000 variants of members' spelling, doubling and nesting on
// every POST and every tool. What the store holds in the end is what the schema allows, byte for byte, and nothing else.
func TestHostileJSONIsStoredAsAStrictReaderReadsItOrNotAtAll(t *testing.T) {
	t.Parallel()
	const variants, seed = 1000, 28
	s := serve(t, enginetest.Prefix(t))
	me, other := s.register(t, "spells members"), s.register(t, "is warned of")
	intakes, document := intakesOf(t, s, me)
	known := map[string]bool{me.id: true, other.id: true}
	targets := make([]string, 2*(variants/len(intakes)+1)) // a source has one outcome an item: those of endpoint and tool differ
	for i := range targets {
		targets[i] = s.submit(t, other, observation(fmt.Sprintf("item %d to speak of", i))).ID
		known[targets[i]] = true
	}

	type sent struct {
		in      intake
		text    string
		message string // of a tool: what stands around the arguments is a variant too
		verdict verdict
		object  map[string]any
		taken   bool
		id      string
	}
	random := &jsonVariants{Rand: rand.New(rand.NewPCG(seed, seed))}
	all := make([]sent, variants)
	for i := range all {
		in := intakes[i%len(intakes)]
		base := in.object(i)
		if known[in.child] = true; base["id"] == "" {
			base["id"] = targets[i/len(intakes)*2+min(len(in.tool), 1)]
			if in.own { // one each: what is withdrawn can't be amended
				own := s.submit(t, me, observation(fmt.Sprintf("item %d of one's own", i))).ID
				base["id"], known[own] = own, true
			}
		}
		base = readBack(base)
		all[i] = sent{in: in}
		if in.tool != "" && random.IntN(4) == 0 {
			call := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": in.tool, "arguments": base}}
			all[i].message = random.of(readBack(call))
			all[i].verdict, all[i].object = in.judgeMessage(document, base, all[i].message)
			continue
		}
		all[i].text = random.of(base)
		all[i].verdict, all[i].object = in.judge(document, base, all[i].text)
	}

	var group sync.WaitGroup
	turns := make(chan int)
	for range 8 {
		group.Go(func() {
			for i := range turns {
				one := &all[i]
				one.taken, one.id = one.in.send(s, t, me, one.text, func(arguments string) string {
					if one.message != "" {
						return one.message
					}
					return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, one.in.tool, arguments)
				})
			}
		})
	}
	for i := range all {
		turns <- i
	}
	close(turns)
	group.Wait()

	held := documentsUnder(t, s.prefix, "sources", "submissions", "suggestions", "safety-flags", "outcomes")
	counts := map[verdict]int{}
	for i, one := range all {
		where := fmt.Sprintf("variant %d, %s%s, %.400s", i, one.in.tool, one.in.path, one.text+one.message)
		counts[one.verdict]++
		if one.taken && one.verdict == refused || !one.taken && one.verdict == stored {
			t.Errorf("%s: taken %v, want %v", where, one.taken, !one.taken)
		}
		if !one.taken || one.in.index == "" || one.verdict == refused || one.object["dry_run"] == true {
			continue
		}
		known[one.id] = true
		for _, name := range one.in.names {
			if _, said := one.object[name]; !said && one.in.tool == "update" { // what an amendment doesn't say stays
				continue
			}
			if got, want := held[one.id][name], one.object[name]; !sameStored(got, want) {
				t.Errorf("%s: %s is stored as %.300v, want %.300v", where, name, got, want)
			}
		}
	}
	for id, document := range held {
		if !known[id] {
			t.Errorf("stored without a word: %.300v", document)
		}
	}
	t.Logf("%d to be refused, %d to be stored, %d either way", counts[refused], counts[stored], counts[either])
	if counts[refused] < variants/4 || counts[stored] < variants/10 {
		t.Error("the variants are of one kind")
	}
}

// judgeMessage is judge for a whole message of the protocol, whose own members may have others beside them, which nobody reads.
func (in intake) judgeMessage(document, base map[string]any, text string) (verdict, map[string]any) {
	value, ok := readText(text, true)
	call, _ := value.(map[string]any)
	params, _ := call["params"].(map[string]any)
	if !ok || params["name"] != in.tool || call["method"] != "tools/call" || call["jsonrpc"] != "2.0" {
		return refused, nil
	}
	arguments, given := params["arguments"]
	if !given || arguments == nil {
		arguments = map[string]any{}
	}
	inner, object := in.judge(document, base, quotedJSON(arguments))
	return min(inner, either), object
}

// sameStored compares what is stored with what was read: an absent value is stored as none, or as an empty list.
func sameStored(got, want any) bool {
	empty := func(value any) bool {
		list, is := value.([]any)
		return value == nil || value == "" || is && len(list) == 0
	}
	return empty(got) && empty(want) || reflect.DeepEqual(got, want)
}

// readBack returns an object as a reader of its JSON has it.
func readBack(object map[string]any) map[string]any {
	value, _ := readStrictly(quotedJSON(object))
	return value.(map[string]any)
}

// documentsUnder returns the documents of collections by their ids, as Elasticsearch holds them.
func documentsUnder(t *testing.T, prefix string, collections ...string) map[string]map[string]any {
	t.Helper()
	aliases := prefix + "-" + strings.Join(collections, ","+prefix+"-")
	enginetest.Elasticsearch(t, "POST", "/"+aliases+"/_refresh", "")
	status, answer := enginetest.Elasticsearch(t, "GET", "/"+aliases+"/_search?size=10000", "")
	var found struct {
		Hits struct {
			Hits []struct {
				ID     string         `json:"_id"`
				Source map[string]any `json:"_source"`
			} `json:"hits"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(answer, &found); err != nil || status != 200 {
		t.Fatalf("read %s: %d %.200s", aliases, status, answer)
	}
	documents := map[string]map[string]any{}
	for _, hit := range found.Hits.Hits {
		documents[hit.ID] = hit.Source
	}
	return documents
}
