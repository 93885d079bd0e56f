package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
)

// passed is what a pass took.
type passed struct {
	wall             time.Duration // as the curator says
	since            time.Duration // the reports were on their way
	cpu, store       time.Duration // cpu is the curator's, store Elasticsearch's
	requests         int64         // to Elasticsearch, of everybody
	memory           int64         // the most that was resident, bytes
	reports, changed int64
}

// String says what it took.
func (p passed) String() string {
	return fmt.Sprintf("%d reports compared, %d items changed in %s, %s after they were on their way; CPU: curator %s, Elasticsearch %s in %d requests; at most %d MiB",
		p.reports, p.changed, p.wall.Round(100*time.Millisecond), p.since.Round(100*time.Millisecond), p.cpu.Round(100*time.Millisecond),
		p.store.Round(100*time.Millisecond), p.requests, p.memory>>20)
}

// measuredCurator is `agentlore curate` at work. What each phase of a long pass took, and the searches beside it, are logged as
// they end, so that a run that is broken off says how far it came.
type measuredCurator struct {
	*phaseLog
	process *exec.Cmd
	passes  <-chan passed
}

// measureCurator starts a curator. asked are the searches beside it, or nil.
func measureCurator(t *testing.T, prefix string, asked *askedSoFar) *measuredCurator {
	t.Helper()
	passes := make(chan passed, 100)
	log := &phaseLog{t: t, asked: asked, began: time.Now(), errs: &text{}, passes: passes}
	process := startCurate(t, prefix, log)
	log.pid.Store(int64(process.Process.Pid))
	return &measuredCurator{log, process, passes}
}

// wait returns what the passes took that compared so many reports, one unless they came while one had begun. work brings the reports.
func (c *measuredCurator) wait(reports int64, work func()) passed {
	c.t.Helper()
	cpu := processTime(c.process.Process.Pid)
	store, requests := engineWork(c.t)
	began := time.Now()
	if work != nil {
		work()
	}
	var p passed
	for deadline := time.After(3 * time.Hour); ; {
		select {
		case one := <-c.passes:
			if one.reports == 0 { // it settled what others say
				continue
			}
			p.wall, p.reports, p.changed = p.wall+one.wall, p.reports+one.reports, p.changed+one.changed
			if p.reports < reports {
				continue
			}
			p.since, p.memory, p.cpu = time.Since(began), mostResident(c.process.Process.Pid), processTime(c.process.Process.Pid)-cpu
			after, requestsAfter := engineWork(c.t)
			p.store, p.requests = after-store, requestsAfter-requests
			return p
		case <-deadline:
			c.t.Fatalf("no pass over %d reports: %s", reports, c.errs)
		}
	}
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
	return engineWorkNow(t)
}

// engineWorkNow is engineWork as of up to a second ago.
func engineWorkNow(t *testing.T) (cpu time.Duration, requests int64) {
	t.Helper()
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

// phaseLog takes what a curator logs of its progress, and logs what was done until it says the next.
type phaseLog struct {
	t      *testing.T
	asked  *askedSoFar
	errs   *text
	passes chan<- passed
	pid    atomic.Int64
	began  time.Time

	phase, line string // the last that it said
	since       phaseFigures
	searches    int
}

// phaseFigures are what a phase's are measured from.
type phaseFigures struct {
	at         time.Time
	cpu, store time.Duration
}

// Write implements io.Writer, for one process's log.
func (p *phaseLog) Write(printed []byte) (int, error) {
	for line := range strings.Lines(string(printed)) {
		var said struct {
			Msg, Phase, Took           string
			Done, Of, Reports, Changed int64
		}
		if json.Unmarshal([]byte(line), &said) != nil {
			continue
		}
		switch said.Msg {
		case "a pass is under way":
			p.log()
			p.phase, p.line, p.since, p.searches = said.Phase, fmt.Sprintf("%s: %d of %d", said.Phase, said.Done, said.Of), p.figures(), p.asked.count()
		case "curated":
			p.log()
			p.phase = ""
			took, err := time.ParseDuration(said.Took)
			if err != nil {
				return 0, err
			}
			p.passes <- passed{wall: took, reports: said.Reports, changed: said.Changed}
		}
	}
	return p.errs.Write(printed)
}

// log logs how far the phase is and what it has taken.
func (p *phaseLog) log() {
	if p.phase == "" {
		return
	}
	now := p.figures()
	p.t.Logf("%s: from %q on %s; CPU: curator %s, Elasticsearch %s; at most %d MiB; searches: %s", now.at.Sub(p.began).Round(time.Second), p.line,
		now.at.Sub(p.since.at).Round(100*time.Millisecond), now.cpu-p.since.cpu, now.store-p.since.store, mostResident(int(p.pid.Load()))>>20, p.asked.since(p.searches))
}

func (p *phaseLog) figures() phaseFigures {
	store, _ := engineWorkNow(p.t)
	return phaseFigures{time.Now(), processTime(int(p.pid.Load())), store}
}

// processTime returns the CPU time of a process, 0 where it can't be told.
func processTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, errUser := strconv.ParseInt(fields[11], 10, 64)
	system, errSystem := strconv.ParseInt(fields[12], 10, 64)
	if errUser != nil || errSystem != nil {
		return 0
	}
	return time.Duration(user+system) * 10 * time.Millisecond // ticks: a hundredth of a second on every Linux
}
