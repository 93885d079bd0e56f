package search

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"agentlore/lore"
)

// Of two clauses with one name Elasticsearch reports the last: what the other found would look as if nothing had.
func TestClausesHaveNamesOfTheirOwn(t *testing.T) {
	for _, q := range []string{"InsufficientBalanceError", "latestRoundData", "latestRoundData updatedAt", "oracle price 0xdeadbeef", "CVE-2024-12345 safeTransferFrom reverts"} {
		body, err := parse(lore.SearchQuery{Text: q, Limit: 10, Explain: true}, time.Now()).body()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, name := range regexp.MustCompile(`"_name":"[^"]*"`).FindAllString(string(text), -1) {
			if seen[name] {
				t.Errorf("%s: %s stands twice in %s", q, name, text)
			}
			seen[name] = true
		}
		if len(seen) == 0 {
			t.Errorf("%s: no clause has a name", q)
		}
	}
}

func TestSearchLeavesTimeForOthers(t *testing.T) {
	body, err := parse(lore.SearchQuery{Text: "x", Limit: 10}, time.Now()).body()
	if err != nil || body["timeout"] == nil || body["track_total_hits"] != searchTotalUpTo {
		t.Errorf("a search has timeout %v and counts to %v (%v)", body["timeout"], body["track_total_hits"], err)
	}
}
