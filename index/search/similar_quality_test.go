package search

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// What submitters are told is worth telling: of 600 reports of audit contests, whose judged duplicates are among 3,206, most find
// one of the same thing, and most of what is named is of the same thing.
func TestSimilarReportsOfContests(t *testing.T) {
	enginetest.Long(t)
	const asked = 600
	groups := map[string]string{}
	labels, err := os.Open(enginetest.Data(t, "patterns/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer labels.Close()
	for lines := bufio.NewScanner(labels); lines.Scan(); {
		if columns := strings.Split(lines.Text(), "\t"); len(columns) > 1 && columns[1] != "" {
			groups[columns[0]] = columns[1]
		}
	}
	client := indextest.Store(t)
	writer := client.NewWriter()
	store := index.OpenSubmissions(client, writer)
	var reports []lore.Observation
	group := map[string]string{} // by id
	ids := map[string]string{}   // by ref
	size := map[string]int{}     // of a group
	var under sync.WaitGroup
	for line := range enginetest.Lines(t, enginetest.Data(t, "patterns/reports.jsonl.gz")) {
		var read lore.SubmissionLine
		if err := json.Unmarshal([]byte(line), &read); err != nil {
			t.Fatal(err)
		}
		one := read.Observation()
		one.Category = lore.CategorySecurity
		id := lore.NewID()
		ids[one.Ref], group[id] = id, groups[one.Ref]
		size[groups[one.Ref]]++
		reports = append(reports, one)
		under.Go(func() {
			draft := lore.Draft{ID: id, Identity: lore.Identity{SourceID: lore.NewID()}, ClassifiedBy: lore.BySubmitter, CreatedAt: indextest.At(1)}
			if _, created, err := store.Create(context.Background(), draft, indextest.Clean(t, one)); err != nil || !created {
				t.Errorf("created %v, %v", created, err)
			}
		})
	}
	under.Wait()
	if err := writer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	indextest.Refresh(t, client, lore.Submissions)
	count, found, named, right := 0, 0, 0, 0
	var took time.Duration
	for _, report := range reports {
		own := groups[report.Ref]
		if own == "" || size[own] < 2 || count == asked {
			continue
		}
		count++
		began := time.Now()
		similar, err := New(client).Similar(t.Context(), indextest.Clean(t, lore.Observation{Summary: report.Summary, Category: lore.CategorySecurity}), "", 4)
		took += time.Since(began)
		if err != nil {
			t.Fatal(err)
		}
		hit, shown := false, 0
		for _, one := range similar {
			if one.ID == ids[report.Ref] || shown == 3 {
				continue
			}
			shown++
			named++
			if group[one.ID] == own {
				right++
				hit = true
			}
		}
		if hit {
			found++
		}
	}
	if 100*found < 80*count || 100*right < 65*named {
		t.Errorf("%d of %d find one, %d of %d are right", found, count, right, named)
	}
	t.Logf("of %d summaries %.0f %% find one of the same; %d named, %.0f %% of them right; %s each", count, 100*float64(found)/float64(count), named, 100*float64(right)/float64(named), (took / time.Duration(count)).Round(10*time.Microsecond))
}
