package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// put stores documents in a collection past the service, as its curator does, and makes them searchable.
func (s *service) put(t *testing.T, collection lore.Collection, documents ...any) {
	t.Helper()
	var body bytes.Buffer
	for _, document := range documents {
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		var id struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(text, &id); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&body, `{"create":{"_id":%q}}`+"\n%s\n", id.ID, text)
	}
	status, answer := enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-"+string(collection)+"/_bulk?refresh=true&filter_path=errors,items.*.error", body.String())
	if status != http.StatusOK || !bytes.Contains(answer, []byte(`"errors":false`)) {
		t.Fatalf("store in %s: %d %.300s", collection, status, answer)
	}
}

// namedThings are entities of every kind, each with one that is one character off.
var namedThings = []struct{ name, typed, off string }{
	{"0x1f9840a85d5af5bf1d1762f925bdaddc4201f984", "0x1F9840a85d5aF5bf1D1762F925BDADdC4201F984", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f985"},
	{"0x095ea7b3", "`0x095EA7B3`", "0x095ea7b4"},
	{"4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", "4A5E1E4BAAB89F3A32518A88C31BC87F618F76673E2CC77AB2127B7AFDEDA33B", "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33c"},
	{"eip155:8453", "eip155:8453,", "eip155:8454"},
	{"EIP-4337", "eip 4337", "EIP-4338"},
	{"SWC-107", "swc-107?", "SWC-108"},
	{"CVE-2022-23806", "cve-2022-23806", "CVE-2022-23807"},
	{"GHSA-J95M-RCJP-Q69H", "ghsa-j95m-rcjp-q69h", "GHSA-J95M-RCJP-Q69J"},
	{"SafeMathOverflowError", "(SafeMathOverflowError)", "SafeMathOverflovError"},
	{"Panic(0x11)", "panic(0x11)", "Panic(0x12)"},
	{"ethers@5.7.2", "ethers@v5.7.2", "ethers@5.7.3"},
	{"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi"},
	{"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "<TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA>", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DB"},
}

// What q names exactly comes before everything else that it says, in all four types; one character off names nothing.
func TestWhatIsNamedComesFirst(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	now := time.Now().UTC()
	var units, patterns, assets, submissions []any
	const question = "why does the transfer revert and fail with a wrong balance after the upgrade"
	naming := map[string][]string{} // ids by entity
	add := func(name, text string, tier lore.Tier, age time.Duration) {
		at, entities := now.Add(-age), lore.Entities(text)
		unit := lore.KnowledgeUnit{
			ID: lore.NewID(), Summary: "A note of little else", Content: text, Category: lore.CategoryGeneral, Ecosystem: []string{}, Tags: []string{},
			Entities: entities, Tier: tier, Status: lore.UnitActive, FirstSeenAt: at, LastSeenAt: at, PromotedAt: at, CreatedAt: at,
		}
		pattern := lore.Pattern{
			ID: lore.NewID(), Summary: text, Category: lore.CategoryGeneral, Ecosystem: []string{}, Tags: []string{}, Entities: entities,
			Tier: lore.TierRaw, Status: lore.PatternEmerging, FirstSeenAt: at, LastSeenAt: at, CreatedAt: at,
		}
		asset := lore.CatalogEntry{Name: "Entry " + unit.ID, Type: "contract", Description: text}.Asset(at)
		submission := lore.Submission{
			ID: lore.NewID(), SourceID: lore.NewID(), Summary: "Seen in passing", Resolution: text, Category: lore.CategoryMarket, Tags: []string{},
			Entities: entities, Tier: lore.TierRaw, CreatedAt: at,
		}
		if name == "" { // says all that the question says, and is trusted as far as anything is
			unit.Summary, unit.Confidence, unit.Outcomes = text, 1, lore.Outcomes{Worked: 1000}
			submission.Summary, submission.Outcomes = text, &lore.Outcomes{Worked: 1000}
			submission.Tier = lore.TierCanonical
		} else {
			naming[name] = append(naming[name], unit.ID, pattern.ID, asset.ID, submission.ID)
		}
		units, patterns, assets, submissions = append(units, unit), append(patterns, pattern), append(assets, asset), append(submissions, submission)
	}
	for _, thing := range namedThings {
		if got := lore.Entities(thing.typed); !slices.Contains(got, thing.name) {
			t.Fatalf("%q names %q, want %q", thing.typed, got, thing.name)
		}
		add(thing.name, strings.Repeat("Something else happened on that day. ", 40)+"It was about "+thing.name+".", lore.TierValidated, 3*365*24*time.Hour)
	}
	for range 20 {
		add("", strings.Repeat(question+". ", 6), lore.TierCanonical, 0)
	}
	for collection, documents := range map[lore.Collection][]any{
		lore.KnowledgeUnits: units, lore.Patterns: patterns, lore.Assets: assets, lore.Submissions: submissions,
	} {
		s.put(t, collection, documents...)
	}

	// check finds out whether exactly what names the entities stands before all else.
	check := func(t *testing.T, q string, want []string) {
		t.Helper()
		got := s.searchFor(t, q, "limit=100")
		if len(got.Results) <= len(want) && strings.Contains(q, "transfer") {
			t.Errorf("%q finds %d results: nothing but what it names", q, len(got.Results))
		}
		first := got.ids()[:min(len(want), len(got.Results))]
		slices.Sort(first)
		if want = slices.Sorted(slices.Values(want)); !slices.Equal(first, want) {
			t.Errorf("%q: the first %d results are not what names it: %q", q, len(want), got.summaries())
		}
		for i, result := range got.Results {
			if exact := slices.Contains(result["matched_by"].([]any), any("exact")); exact != (i < len(want)) {
				t.Errorf("%q: result %d was matched by %v", q, i, result["matched_by"])
			}
		}
	}
	long := strings.Join(strings.Fields(strings.Repeat(question+" ", 4))[:50], " ")
	for _, thing := range namedThings {
		want := naming[thing.name]
		check(t, thing.typed, want)
		check(t, "transfer revert "+thing.typed+" wrong balance", want)
		check(t, long+" "+thing.name, want)
		for _, q := range []string{thing.off, "transfer revert " + thing.off + " wrong balance"} {
			check(t, q, nil)
		}
	}
	both := append(slices.Clone(naming["EIP-4337"]), naming["eip155:8453"]...)
	check(t, "transfer revert EIP-4337 on eip155:8453", both)
	for _, kind := range []string{"knowledge_unit", "pattern", "asset", "submission"} {
		if got := s.searchFor(t, "transfer revert CVE-2022-23806", "type="+kind); len(got.Results) < 2 || !slices.Contains(naming["CVE-2022-23806"], got.ids()[0]) {
			t.Errorf("among %ss the first result is %.100q, want what is named", kind, got.summaries())
		}
	}
}
