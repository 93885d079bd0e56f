package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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
)

// Curating 100,000 reports beside searches, then a hundred more, then nothing new.
//
// The corpus: of the 62,301 real observations every 623rd, a hundred in all, is kept back as the new ones. The others are
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
	incremental := curator.wait(newReports, func() { importLines(t, prefix, more) })
	t.Logf("%d new reports beside %d: %s", newReports, count, incremental)
	if err := curator.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = curator.process.Wait()
	_, again, _ := run(t, append([]string{"curate", "--once"}, storeFlags(t, prefix)...)...)
	t.Logf("nothing new, in a new process: %s", again)

	if full.wall > fullPassWithin {
		t.Errorf("the full pass took %s", full.wall)
	}
	if incremental.wall > newReportsWithin {
		t.Errorf("the pass over a hundred new reports took %s", incremental.wall)
	}
	if most := max(full.memory, incremental.memory); most > curatorMemory {
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

// manyReports writes two files of observations, the corpus and the new ones, and returns what is to be asked.
func manyReports(t *testing.T, observations string, count int) (first, more string, questions []string) {
	t.Helper()
	var lines, back []string
	at := 0
	for line := range enginetest.Lines(t, observations) {
		if at++; at%623 == 0 && len(back) < newReports {
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
	for _, line := range back { // the first words of reports that aren't there yet: what an agent asks before it submits
		var said struct{ Summary string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(said.Summary)
		questions = append(questions, strings.Join(words[:min(5, len(words))], " "))
	}
	return write("corpus.jsonl", corpus), write("new.jsonl", back), questions
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

func importLines(t *testing.T, prefix, file string) {
	t.Helper()
	if status, printed, errs := run(t, append([]string{"import", "--collection=submissions", file}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatalf("import: %s %s", printed, errs)
	}
}
