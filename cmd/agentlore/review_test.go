package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// operator runs `agentlore review` in a store.
type operator struct {
	t      *testing.T
	prefix string
}

// does runs a subcommand that must succeed, and returns what it prints.
func (o operator) does(words ...string) string {
	o.t.Helper()
	if words[0] != "list" {
		words = append(words, "--who=dana", "--why=looked at it")
	}
	enginetest.Elasticsearch(o.t, "POST", "/"+o.prefix+"-*/_refresh", "")
	status, stdout, stderr := run(o.t, append(append([]string{"review"}, words...), storeFlags(o.t, o.prefix)...)...)
	if status != 0 {
		o.t.Fatalf("review %v: status %d: %s", words, status, stderr)
	}
	enginetest.Elasticsearch(o.t, "POST", "/"+o.prefix+"-*/_refresh", "")
	return stdout
}

// refused runs a subcommand that must fail and returns why.
func (o operator) refused(words ...string) string {
	o.t.Helper()
	status, _, stderr := run(o.t, append(append([]string{"review"}, words...), storeFlags(o.t, o.prefix)...)...)
	if status == 0 {
		o.t.Errorf("review %v was done", words)
	}
	return stderr
}

// decided returns the decisions of a store on a subject, by their verdicts in order.
func (o operator) decided(subject string) (verdicts []string) {
	o.t.Helper()
	_, answer := enginetest.Elasticsearch(o.t, "POST", "/"+o.prefix+"-decisions/_search",
		`{"query": {"term": {"subject.id": "`+subject+`"}}, "sort": [{"at": "asc"}, {"id": "asc"}]}`)
	var found struct {
		Hits struct {
			Hits []struct {
				Source struct{ Decision, Who, Why string } `json:"_source"`
			}
		}
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		o.t.Fatal(err)
	}
	for _, hit := range found.Hits.Hits {
		if hit.Source.Who != "dana" || hit.Source.Why != "looked at it" {
			o.t.Errorf("a decision by %q because %q", hit.Source.Who, hit.Source.Why)
		}
		verdicts = append(verdicts, hit.Source.Decision)
	}
	return verdicts
}

func TestAnOperatorDecidesOnFlags(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	o := operator{t, s.prefix}
	author, critic := s.register(t, "author"), s.register(t, "critic")
	item := s.submit(t, author, observation("Quokka faucet pays twice"))
	flag := func(reason string) string {
		t.Helper()
		return decode[proposed](t, s.send(t, "POST", "/intake/flag", map[string]any{
			"target": map[string]any{"collection": "submissions", "id": item.ID}, "reason": reason, "note": "no\u001b[2J it doesn't",
		}, critic.bearer()...).want(t, 201)).ID
	}
	incorrect, leak := flag("incorrect"), flag("leak")
	listed := o.does("list")
	if !strings.Contains(listed, incorrect) || !strings.Contains(listed, leak) || !strings.Contains(listed, "Safety flags: 2") || strings.ContainsRune(listed, '\u001b') {
		t.Errorf("what waits:\n%q\nwant both flags, the hidden one too, without control characters", listed)
	}
	found := func() bool {
		return slices.Contains(decode[page](t, s.get(t, "/search/all?q=quokka+faucet").want(t, 200)).ids(), item.ID)
	}
	if !found() {
		t.Error("an open flag hides the item already")
	}
	o.does("confirm", incorrect)
	if found() {
		t.Error("a confirmed flag doesn't hide the item from search")
	}
	if shown := decode[map[string]any](t, s.get(t, "/submissions/"+item.ID).want(t, 200)); shown["status"] != "flagged" {
		t.Errorf("by id it is %v", shown)
	}
	if hits := decode[page](t, s.get(t, "/search/all?q=quokka+faucet&status=flagged")).ids(); !slices.Contains(hits, item.ID) {
		t.Error("asked for by status it isn't found")
	}
	if flag := decode[map[string]any](t, s.get(t, "/safety-flags/"+incorrect)); flag["status"] != "confirmed" {
		t.Errorf("the flag is %v", flag)
	}
	o.does("confirm", leak)
	o.does("dismiss", incorrect)
	if found() {
		t.Error("shown although another confirmed flag is on it")
	}
	o.does("dismiss", leak)
	if !found() {
		t.Error("not shown again after all flags were dismissed")
	}
	if got := o.decided(incorrect); !slices.Equal(got, []string{"confirm", "dismiss"}) {
		t.Errorf("kept decisions %v", got)
	}
	if fault := o.refused("confirm", item.ID, "--who=dana", "--why=x"); !strings.Contains(fault, "this is for [safety-flags]") {
		t.Errorf("a submission confirmed: %s", fault)
	}
	o.refused("confirm", incorrect, "--who=dana")
	o.refused("confirm", incorrect, "--who=dana", "--why= ")
}

func TestAnOperatorDecidesOnSuggestions(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	o := operator{t, s.prefix}
	me := s.register(t, "suggester")
	suggest := func(body map[string]any) string {
		t.Helper()
		return decode[proposed](t, s.send(t, "POST", "/intake/suggest", body, me.bearer()...).want(t, 201)).ID
	}
	item := s.submit(t, me, observation("Quokka relayer is slow"))
	target := map[string]any{"collection": "submissions", "id": item.ID}
	asset := suggest(map[string]any{"kind": "asset", "summary": "Add Permit2", "content": "Type tool, ecosystem Ethereum, address 0x000000000022D473030F116dDEE9F6B43aC78BA3."})
	category := suggest(map[string]any{"kind": "category", "summary": "It is an optimization", "target": target})
	feature := suggest(map[string]any{"kind": "feature", "summary": "More charts"})
	if listed := o.does("list", "--json"); strings.Count(listed, `"waiting":"suggestion"`) != 3 {
		t.Errorf("what waits: %s", listed)
	}

	if fault := o.refused("accept", asset, "--who=dana", "--why=x"); !strings.Contains(fault, "--name") {
		t.Errorf("an asset without a name: %s", fault)
	}
	o.does("accept", asset, "--name=Permit2")
	assets := decode[page](t, s.get(t, "/assets?type=tool").want(t, 200))
	if len(assets.Results) != 1 || assets.Results[0]["name"] != "Permit2" || assets.Results[0]["ecosystem"].([]any)[0] != "ethereum" || len(assets.Results[0]["addresses"].([]any)) != 1 {
		t.Errorf("the catalog has %v", assets.Results)
	}
	o.refused("accept", category, "--who=dana", "--why=x")
	o.refused("accept", category, "--category=nonsense", "--who=dana", "--why=x")
	o.does("accept", category, "--category=optimization")
	if shown := decode[map[string]any](t, s.get(t, "/submissions/"+item.ID)); shown["category"] != "optimization" || shown["classified_by"] != "operator" {
		t.Errorf("the submission is %v, by %v", shown["category"], shown["classified_by"])
	}
	other := s.submit(t, me, observation("Relayers of quokkas lag behind"))
	o.does("accept", suggest(map[string]any{"kind": "merge", "summary": "They are one", "target": target}), "--into="+other.ID)
	if got := o.decided(item.ID); !slices.Equal(got, []string{"merge"}) {
		t.Errorf("the accepted merge is kept as %v", got)
	}
	o.does("reject", feature)
	for id, want := range map[string]string{asset: "accepted", category: "accepted", feature: "rejected"} {
		if shown := decode[map[string]any](t, s.get(t, "/suggestions/"+id)); shown["status"] != want {
			t.Errorf("a suggestion is %v, want %s", shown["status"], want)
		}
	}
	if listed := o.does("list"); !strings.Contains(listed, "Suggestions: 0") {
		t.Errorf("still waiting: %s", listed)
	}
}

func TestAnOperatorWithdrawsSplitsAndVouches(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	o := operator{t, s.prefix}
	me := s.register(t, "author")
	a, b, c := s.submit(t, me, observation("Numbat vault rounds down")), s.submit(t, me, observation("Numbat vault rounds to zero")), s.submit(t, me, observation("Numbat vault is paused"))
	o.does("withdraw", a.ID)
	if shown := decode[map[string]any](t, s.get(t, "/submissions/"+a.ID)); shown["status"] != "withdrawn" {
		t.Errorf("withdrawn, it is %v", shown["status"])
	}
	if slices.Contains(decode[page](t, s.get(t, "/search/all?q=numbat+vault")).ids(), a.ID) {
		t.Error("a withdrawn item is found")
	}
	o.does("restore", a.ID)
	if shown := decode[map[string]any](t, s.get(t, "/submissions/"+a.ID)); shown["status"] != nil {
		t.Errorf("restored, it is %v", shown["status"])
	}
	if got := o.decided(a.ID); !slices.Equal(got, []string{"withdraw", "restore"}) {
		t.Errorf("kept decisions %v", got)
	}

	pattern := "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"
	o.refused("split", a.ID, "--who=dana", "--why=x") // in no pattern
	for _, member := range []submitted{a, b, c} {
		if status, answer := enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-submissions/_update/"+member.ID, `{"doc": {"pattern_id": "`+pattern+`"}}`); status != 200 {
			t.Fatalf("%d %s", status, answer)
		}
	}
	o.does("split", c.ID)
	_, answer := enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-decisions/_search", `{"query": {"term": {"decision": "split"}}}`)
	for _, staying := range []string{a.ID, b.ID, `"object":{"collection":"patterns","id":"` + pattern} {
		if !strings.Contains(string(answer), staying) {
			t.Errorf("the split doesn't name %s: %s", staying, answer)
		}
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	o.refused("split", a.ID, b.ID, c.ID, "--who=dana", "--why=x") // nothing would stay
}

// What curation set aside is listed, and an operator has it tried again. The service curates on meanwhile.
func TestAnOperatorHasItemsTriedAgain(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--curate=false")
	o := operator{t, s.prefix}
	item := s.submit(t, s.register(t, "author"), observation("Quokka faucet pays twice"))
	if listed := o.does("list", "--failed"); !strings.Contains(listed, "set aside: 0") {
		t.Errorf("of nothing it lists %q", listed)
	}
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	fmt.Fprintf(packer, `[{"target": {"collection": "submissions", "id": %q}, "reason": "judging it failed", "at": "2026-11-27T06:20:11Z", "version": "2.1"}]`, item.ID)
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"progress": map[string]any{"items": 1}, "data": packed.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Elasticsearch(t, "PUT", "/"+s.prefix+"-state/_doc/curation-set-aside?version=1&version_type=external_gte", string(body))
	if listed := o.does("list", "--failed"); !strings.Contains(listed, item.ID) || !strings.Contains(listed, "judging it failed") {
		t.Errorf("it lists %q", listed)
	}
	for _, words := range [][]string{{"retry", "--why=x"}, {"retry", "01a21976-0fdb-7dae-b258-63e3c17c3393", "--why=x"}} {
		if why := o.refused(words...); !strings.Contains(why, "review list --failed") {
			t.Errorf("review %v is refused with %q", words, why)
		}
	}
	o.does("retry", "--all")
	if got := o.decided(item.ID); !slices.Equal(got, []string{"retry"}) {
		t.Errorf("decided is %v", got)
	}
	if status, _, stderr := run(t, append([]string{"curate", "--once"}, storeFlags(t, s.prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	if listed := o.does("list", "--failed"); !strings.Contains(listed, "set aside: 0") {
		t.Errorf("after it was tried again it lists %q", listed)
	}
}
