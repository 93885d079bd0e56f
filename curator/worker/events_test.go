package worker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index/curation"
	"agentlore/lore"
)

// documents returns what a collection holds.
func (b *bench) documents(collection string) (found []map[string]any) {
	b.t.Helper()
	b.refresh()
	_, answer := enginetest.Elasticsearch(b.t, "POST", "/"+b.prefix+"-"+collection+"/_search?size=1000", "")
	var hits struct {
		Hits struct {
			Hits []struct {
				Source map[string]any `json:"_source"`
			} `json:"hits"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(answer, &hits); err != nil {
		b.t.Fatal(err)
	}
	for _, hit := range hits.Hits.Hits {
		found = append(found, hit.Source)
	}
	return found
}

// The store tells when a pattern was established, that something works and who of standing found it, and how long each took. The first pass of this
// version adds that to a store of an older one.
func TestWhatAnalystsAskFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.vouch("q0", "q1", "q2")
	ids := b.tell("approve reverts on eip155:8453 unless the allowance is zero first", "Call approve with zero before the amount, as ERC-20 says.", "q0", "q1", "q2")
	curate := func(after time.Duration, rebuild bool) {
		t.Helper()
		if _, err := b.curateAt(b.store(), noon.Add(after), rebuild); err != nil {
			t.Fatal(err)
		}
	}
	curate(0, false)
	b.tried(noon.Add(time.Hour), "n1", submissionTarget(ids[0]), lore.ResultWorked)
	b.refresh()
	curate(2*time.Hour, false)
	flag := b.warned(noon, "n1", submissionTarget(ids[1]))
	b.decide(noon.Add(3*time.Hour), flag, lore.VerdictDismiss, &lore.Target{Collection: lore.Submissions, ID: ids[1]})
	at := func(hours int) string { return noon.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339) }
	check := func(when string, events ...string) {
		t.Helper()
		found := map[string]string{}
		for _, s := range b.documents("submissions") {
			if s["id"] == ids[0] {
				found["submission"] = fmt.Sprint(s["has_resolution"], " ", s["source_name"], " ", s["named"], " ", s["stored_at"])
			}
		}
		for _, s := range b.documents("sources") {
			if s["name"] == "q1" {
				found["source"] = fmt.Sprint(s["first_seen_at"], " ", s["last_seen_at"])
			}
		}
		found["pattern"] = fmt.Sprint(b.documents("patterns")[0]["established_at"])
		found["flag"] = fmt.Sprint(b.documents("safety-flags")[0]["decided_at"])
		for field, want := range map[string]string{
			"submission": "true q0 map[chain:[base] standard:[EIP-20]] " + at(-10), "source": at(-9) + " " + at(-9), "pattern": at(-8), "flag": at(3),
		} {
			if found[field] != want {
				t.Errorf("%s, a %s has %s, want %s", when, field, found[field], want)
			}
		}
		var told []string
		for _, e := range b.documents("events") {
			told = append(told, fmt.Sprint(e["kind"], " ", e["from"], " ", e["to"], " ", e["source_name"], " ", e["author_name"], " ", e["days"]))
		}
		slices.Sort(told)
		if !slices.Equal(told, events) {
			t.Errorf("%s, the events are %q, want %q", when, told, events)
		}
	}
	worked, known := "outcome <nil> worked <nil> q0 0.45", "status <nil> active <nil> <nil> 0.41"
	check("after a pass", worked, known, "status <nil> established <nil> <nil> 0.41")
	const forget = `{"script": "for (f in ['stored_at', 'has_resolution', 'source_name', 'named', 'first_seen_at', 'last_seen_at', 'established_at', 'decided_at']) { ctx._source.remove(f) }"}`
	enginetest.Elasticsearch(t, "POST", "/"+b.prefix+"-submissions,"+b.prefix+"-sources,"+b.prefix+"-patterns,"+b.prefix+"-safety-flags/_update_by_query?refresh", forget)
	enginetest.Elasticsearch(t, "POST", "/"+b.prefix+"-events/_delete_by_query?refresh", `{"query":{"match_all":{}}}`)
	stored, _, err := b.store().LoadState(t.Context(), "curation")
	if err != nil {
		t.Fatal(err)
	}
	var progress map[string]any
	if err := json.Unmarshal(stored, &progress); err != nil {
		t.Fatal(err)
	}
	delete(progress, "fields")
	if err := b.store().SaveState(t.Context(), "curation", progress, nil); err != nil {
		t.Fatal(err)
	}
	for hours := range 2 { // what the first pass adds, the next leaves
		curate(time.Duration(4+hours)*time.Hour, false)
		check("after the first passes over an older store", worked, known)
	}

	// What an operator has removed from a report is in no field that was made of it.
	if changed, err := curation.NewReview(b.client).Redact(t.Context(), b.clean, submissionTarget(ids[0]), []string{"eip155:8453"}, false); err != nil || !changed {
		t.Fatal(changed, err)
	}
	for _, s := range b.documents("submissions") {
		if s["id"] == ids[0] && s["named"] != nil {
			t.Errorf("a redacted report still has %v", s["named"])
		}
	}
}
