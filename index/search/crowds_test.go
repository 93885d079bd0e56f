package search

import (
	"fmt"
	"strings"
	"testing"

	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// The reports of a source that writes many and is borne out by nobody are one voice: they make no word frequent, leave
// places among the problems to others, and among similar reports. Those of an import, and of a source that others bore
// out, count each.
func TestACrowdIsOneVoice(t *testing.T) {
	t.Parallel()
	var documents []lore.Submission
	add := func(count int, word string, change func(i int, report *lore.Submission)) {
		source := lore.NewID()
		for i := range count {
			report := observed(fmt.Sprintf("The %s relayer stalls %s", word, strings.Repeat("again ", i%5)), fmt.Sprint("case x", i, "y"))
			report.SourceID = source
			change(i, &report)
			documents = append(documents, report)
		}
	}
	as := func(int, *lore.Submission) {}
	add(3, "quokka", func(_ int, report *lore.Submission) {
		report.SourceID, report.Content = lore.NewID(), "Of another: it was the quokka mempool."
	})
	add(index.CrowdFrom+60, "quokka", as)
	add(index.CrowdFrom+5, "bilby", func(i int, report *lore.Submission) { report.Ref = fmt.Sprint("https://example.org/", i) })
	add(index.CrowdFrom+5, "numbat", func(i int, report *lore.Submission) {
		if report.Tier = lore.TierRaw; i == 0 {
			report.Tier = lore.TierValidated
		}
	})
	add(index.CrowdFrom, "potoroo", as)
	searcher := searchStore(t, documents...)
	found := find(t, searcher, lore.SearchQuery{
		Text: "quokka bilby numbat potoroo relayer stalls", Types: []lore.ItemType{lore.TypeSubmission}, Limit: 40, ByProblem: true, Frequencies: true,
	})
	for word, want := range map[string]int64{"quokka": 4, "bilby": index.CrowdFrom + 5, "numbat": index.CrowdFrom + 5, "potoroo": index.CrowdFrom} {
		if got := found.Frequencies[word]; got != want {
			t.Errorf("%d documents have %s, want %d", got, word, want)
		}
	}
	all := find(t, searcher, lore.SearchQuery{Text: "quokka relayer stalls again", Limit: 40, ByProblem: true, Full: true})
	theirs, others := 0, 0
	for _, hit := range all.Results {
		switch {
		case strings.HasPrefix(hit.Content, "Of another"):
			others++
		case strings.Contains(hit.Summary, "quokka"):
			theirs++
		}
	}
	if others != 3 || theirs != rerankWindow/2 {
		t.Errorf("of %d problems %d are of the crowd and %d of others that had the word, want %d and 3", len(all.Results), theirs, others, rerankWindow/2)
	}
	similar, err := searcher.Similar(t.Context(), indextest.Clean(t, lore.Observation{Summary: "The quokka relayer stalls", Category: lore.CategoryFailure}), "", 4)
	if err != nil || len(similar) != 4 {
		t.Errorf("four sources say the same, %d are named: %v", len(similar), err)
	}
}
