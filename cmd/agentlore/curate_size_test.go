package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"agentlore/enginetest"
)

// What curating many real reports may take; the machine is meant to have two cores and nothing else to do.
const (
	fullPassWithin    = 15 * time.Minute // for 100,000 reports
	newReportsWithin  = 5 * time.Second  // for a hundred beside them
	curatorMemory     = 300 << 20        // resident, bytes
	searchesPerSecond = 5
	searchWithin      = 100 * time.Millisecond // 99 of 100 searches beside the full pass
	newReports        = 100
	newTimes          = 3 // how often they come; the median is judged
)

// Curating 100,000 reports beside searches, then a hundred more, three times, then nothing new.
//
// The corpus: of the 62,301 real observations every 207th, three hundred in all, is kept back as the new ones. The others are
// taken evenly spread where AGENTLORE_CURATE_REPORTS asks for fewer, and all of them where it asks for more; what is then
// missing are the same once more, word for word, from a source and owner of another name: a report that somebody repeats, which
// costs a pass as much as any other and has a pattern to be put into besides. CPU times of Elasticsearch are right only where
// nobody else uses the engine.
func TestCurateManyReports(t *testing.T) {
	enginetest.Long(t)
	count := 100_000
	if given, err := strconv.Atoi(os.Getenv("AGENTLORE_CURATE_REPORTS")); err == nil {
		count = given
	}
	first, more, questions := manyReports(t, enginetest.Data(t, "observations.jsonl.gz"), count)
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix)
	began := time.Now()
	importLines(t, prefix, first)
	t.Logf("%d reports imported in %s", count, time.Since(began).Round(time.Second))
	for range 2 { // what a service that has run for a while has done already
		searchFor(t, s, questions, 10*time.Second)
	}
	t.Logf("searches alone: %s", searchFor(t, s, questions, 20*time.Second))

	searching, stop := context.WithCancel(t.Context())
	var asked askedSoFar
	ended := make(chan struct{})
	go func() { asked.search(searching, s, questions); close(ended) }()
	curator := measureCurator(t, prefix, &asked)
	full := curator.wait(int64(count*9/10), nil)
	stop()
	<-ended
	beside := asked.since(0)
	t.Logf("full pass over %d reports: %s", count, full)
	t.Logf("searches beside it: %s", beside)

	enginetest.Within(t, 10*time.Minute, "Elasticsearch has merged what the full pass wrote", func() bool {
		_, merging := enginetest.Elasticsearch(t, "GET", "/"+prefix+"-*/_stats/merge?filter_path=_all.total.merges.current", "")
		return strings.Contains(string(merging), `"current":0`)
	})
	var incremental []passed
	for _, file := range more {
		incremental = append(incremental, curator.wait(newReports, func() { importLines(t, prefix, file) }))
		t.Logf("%d new reports beside %d: %s", newReports, count, incremental[len(incremental)-1])
	}
	slices.SortFunc(incremental, func(a, b passed) int { return cmp.Compare(a.wall, b.wall) })
	median, slowest := incremental[len(incremental)/2], incremental[len(incremental)-1]
	patternsHoldWhatTheySay(t, prefix)
	if err := curator.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = curator.process.Wait()
	_, again, _ := run(t, append([]string{"curate", "--once"}, storeFlags(t, prefix)...)...)
	t.Logf("nothing new, in a new process: %s", again)

	if full.wall > fullPassWithin {
		t.Errorf("the full pass took %s", full.wall)
	}
	if median.wall > newReportsWithin {
		t.Errorf("the pass over a hundred new reports took %s, the slowest of %d %s", median.wall, newTimes, slowest.wall)
	}
	if most := max(full.memory, slowest.memory, median.memory, incremental[0].memory); most > curatorMemory {
		t.Errorf("the curator took %d MiB", most>>20)
	}
	if len(beside) == 0 {
		t.Error("no search was answered beside the pass")
	} else if beside.p99() > searchWithin {
		t.Errorf("searches beside the pass: p99 %s", beside.p99())
	}
	if !strings.Contains(again, " 0 items changed") {
		t.Errorf("a pass over nothing new changed something: %s", again)
	}
}

// manyReports writes files of observations, the corpus and the new ones, and returns what is to be asked.
func manyReports(t *testing.T, observations string, count int) (first string, more, questions []string) {
	t.Helper()
	var lines, back []string
	at := 0
	for line := range enginetest.Lines(t, observations) {
		if at++; at%207 == 0 && len(back) < newTimes*newReports {
			back = append(back, line)
		} else {
			lines = append(lines, line)
		}
	}
	corpus := make([]string, 0, count)
	for i := range count {
		switch {
		case count < len(lines):
			corpus = append(corpus, lines[i*len(lines)/count])
		case i < len(lines):
			corpus = append(corpus, lines[i])
		default:
			corpus = append(corpus, fromAnother(t, lines[i%len(lines)], i/len(lines)))
		}
	}
	folder := t.TempDir()
	write := func(name string, lines []string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, line := range back[:newReports] { // the first words of reports that aren't there yet: what an agent asks before it submits
		var said struct{ Summary string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(said.Summary)
		questions = append(questions, strings.Join(words[:min(5, len(words))], " "))
	}
	for i := range newTimes {
		var some []string
		for k := i; k < len(back); k += newTimes { // evenly spread, as all are
			some = append(some, back[k])
		}
		more = append(more, write(fmt.Sprintf("new-%d.jsonl", i), some))
	}
	return write("corpus.jsonl", corpus), more, questions
}

// fromAnother returns an observation from a source of another name.
func fromAnother(t *testing.T, line string, round int) string {
	t.Helper()
	var said map[string]json.RawMessage
	var source string
	if err := json.Unmarshal([]byte(line), &said); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(said["source"], &source); err != nil {
		t.Fatal(err)
	}
	said["source"], _ = json.Marshal(fmt.Sprintf("%s again %d", source, round))
	delete(said, "ref") // one a report
	other, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	return string(other)
}

// patternsHoldWhatTheySay fails unless each pattern has as many submissions as it says, and none has the id of a pattern that isn't
// there.
func patternsHoldWhatTheySay(t *testing.T, prefix string) {
	t.Helper()
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-submissions,"+prefix+"-patterns/_refresh", "")
	held, said := map[string]int{}, map[string]int{}
	for after := ""; ; {
		_, answer := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-submissions/_search?filter_path=aggregations",
			`{"size":0,"aggs":{"of":{"composite":{"size":10000,`+after+`"sources":[{"pattern":{"terms":{"field":"pattern_id"}}}]}}}}`)
		var page struct {
			Aggregations struct {
				Of struct {
					After   json.RawMessage `json:"after_key"`
					Buckets []struct {
						Key     struct{ Pattern string } `json:"key"`
						Reports int                      `json:"doc_count"`
					} `json:"buckets"`
				} `json:"of"`
			} `json:"aggregations"`
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			t.Fatal(err)
		}
		for _, bucket := range page.Aggregations.Of.Buckets {
			held[bucket.Key.Pattern] = bucket.Reports
		}
		if len(page.Aggregations.Of.After) == 0 {
			break
		}
		after = `"after":` + string(page.Aggregations.Of.After) + `,`
	}
	for after := ""; ; {
		_, answer := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-patterns/_search?filter_path=hits.hits._source,hits.hits.sort",
			`{"size":10000,"sort":[{"id":"asc"}],`+after+`"_source":["id","report_count"]}`)
		var page struct {
			Hits struct {
				Hits []struct {
					Source struct {
						ID      string `json:"id"`
						Reports int    `json:"report_count"`
					} `json:"_source"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			t.Fatal(err)
		}
		for _, hit := range page.Hits.Hits {
			said[hit.Source.ID] = hit.Source.Reports
		}
		if len(page.Hits.Hits) == 0 {
			break
		}
		after = `"search_after":["` + page.Hits.Hits[len(page.Hits.Hits)-1].Source.ID + `"],`
	}
	if len(said) == 0 {
		t.Error("there are no patterns")
	}
	if diff := gocmp.Diff(said, held); diff != "" {
		t.Errorf("patterns' reports (-they say +have its id):\n%s", diff)
	}
}

func importLines(t *testing.T, prefix, file string) {
	t.Helper()
	if status, printed, errs := run(t, append([]string{"import", "--collection=submissions", file}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatalf("import: %s %s", printed, errs)
	}
}
