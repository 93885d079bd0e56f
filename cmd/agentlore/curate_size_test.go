package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	answered := make(chan times, 1)
	go func() { answered <- search(searching, s, questions) }()
	full := curateOnce(t, prefix)
	stop()
	beside := <-answered
	t.Logf("full pass over %d reports: %s", count, full)
	t.Logf("searches beside it: %s", beside)

	importLines(t, prefix, more)
	incremental := curateOnce(t, prefix)
	t.Logf("%d new reports beside %d: %s", newReports, count, incremental)
	again := curateOnce(t, prefix)
	t.Logf("nothing new: %s", again)

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
	if !strings.Contains(again.printed, " 0 items changed") {
		t.Errorf("a pass over nothing new changed something: %s", again.printed)
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

// passed is what a pass took.
type passed struct {
	wall, cpu, store time.Duration // cpu is the curator's, store Elasticsearch's
	requests         int64         // to Elasticsearch, of everybody
	memory           int64         // the most that was resident, bytes
	printed          string
}

func (p passed) String() string {
	return fmt.Sprintf("%s; CPU: curator %s, Elasticsearch %s in %d requests; at most %d MiB; %s",
		p.wall.Round(100*time.Millisecond), p.cpu.Round(100*time.Millisecond), p.store.Round(100*time.Millisecond), p.requests, p.memory>>20, p.printed)
}

// curateOnce does a pass in a process of its own. Its time begins with the process, as an operator's does.
func curateOnce(t *testing.T, prefix string) passed {
	t.Helper()
	store, requests := engineWork(t)
	output := &text{}
	process := exec.Command(os.Args[0], append([]string{"curate", "--once"}, storeFlags(t, prefix)...)...)
	process.Env = append(os.Environ(), asProgram+"=1")
	errs := &text{}
	process.Stdout, process.Stderr = output, errs
	began := time.Now()
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	p := passed{}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("curate: %v: %s%s", err, output, errs)
			}
			running = false
		case <-ticker.C:
			p.memory = max(p.memory, mostResident(process.Process.Pid))
		}
	}
	p.wall, p.cpu = time.Since(began), process.ProcessState.UserTime()+process.ProcessState.SystemTime()
	p.printed = strings.TrimSpace(output.String())
	storeAfter, requestsAfter := engineWork(t)
	p.store, p.requests = storeAfter-store, requestsAfter-requests
	return p
}

// mostResident returns the most memory that a process has had so far, in bytes, 0 where it can't be told. The kernel's account
// after its end (ru_maxrss) won't do: it begins with what the test itself had.
func mostResident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if kibibytes, found := strings.CutPrefix(line, "VmHWM:"); found {
			most, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(kibibytes), " kB"), 10, 64)
			if err == nil {
				return most << 10
			}
		}
	}
	return 0
}

// engineWork returns the CPU time that Elasticsearch has used since it started and the requests that it has answered.
func engineWork(t *testing.T) (cpu time.Duration, requests int64) {
	t.Helper()
	time.Sleep(1100 * time.Millisecond) // it looks at itself once a second
	_, answer := enginetest.Elasticsearch(t, "GET", "/_nodes/stats/process,http", "")
	var stats struct {
		Nodes map[string]struct {
			Process struct {
				CPU struct {
					Milliseconds int64 `json:"total_in_millis"`
				} `json:"cpu"`
			} `json:"process"`
			HTTP struct {
				Routes map[string]struct {
					Requests struct {
						Count int64 `json:"count"`
					} `json:"requests"`
				} `json:"routes"`
			} `json:"http"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(answer, &stats); err != nil {
		t.Fatal(err)
	}
	for _, node := range stats.Nodes {
		cpu += time.Duration(node.Process.CPU.Milliseconds) * time.Millisecond
		for _, route := range node.HTTP.Routes {
			requests += route.Requests.Count
		}
	}
	return cpu, requests
}

// times are how long answers took, in order of length.
type times []time.Duration

func (t times) p99() time.Duration { return t[len(t)*99/100] }

func (t times) String() string {
	if len(t) == 0 {
		return "none was answered"
	}
	return fmt.Sprintf("%d, median %s, p99 %s, slowest %s", len(t), t[len(t)/2].Round(time.Millisecond/10), t.p99().Round(time.Millisecond/10), t[len(t)-1].Round(time.Millisecond/10))
}

// searchFor is search for a while.
func searchFor(t *testing.T, s *service, questions []string, long time.Duration) times {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	return search(ctx, s, questions)
}

// search asks one question after the other, evenly in time, until ctx ends. One that fails took for ever.
func search(ctx context.Context, s *service, questions []string) (took times) {
	ticker := time.NewTicker(time.Second / searchesPerSecond)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			slices.Sort(took)
			return took
		case <-ticker.C:
		}
		began := time.Now()
		found, err := s.try(ctx, "GET", "/search/all?q="+url.QueryEscape(questions[i%len(questions)]), nil)
		switch {
		case ctx.Err() != nil:
		case err != nil || found.status != 200:
			took = append(took, time.Hour)
		default:
			took = append(took, time.Since(began))
		}
	}
}
