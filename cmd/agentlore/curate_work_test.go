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
	wall, cpu, store time.Duration // cpu is the curator's, store Elasticsearch's
	requests         int64         // to Elasticsearch, of everybody
	memory           int64         // the most that was resident, bytes
	printed          string
}

func (p passed) String() string {
	return fmt.Sprintf("%s; CPU: curator %s, Elasticsearch %s in %d requests; at most %d MiB; %s",
		p.wall.Round(100*time.Millisecond), p.cpu.Round(100*time.Millisecond), p.store.Round(100*time.Millisecond), p.requests, p.memory>>20, p.printed)
}

// curateOnce does a pass in a process of its own. Its time begins with the process, as an operator's does. What each of its
// phases took, and the searches beside it (nil: none), are logged as they end, so that a run that is broken off says how far it came.
func curateOnce(t *testing.T, prefix string, asked *askedSoFar) passed {
	t.Helper()
	store, requests := engineWork(t)
	output := &text{}
	process := exec.Command(os.Args[0], append([]string{"curate", "--once"}, storeFlags(t, prefix)...)...)
	process.Env = append(os.Environ(), asProgram+"=1")
	errs := &text{}
	phases := &phaseLog{t: t, asked: asked, began: time.Now(), errs: errs}
	process.Stdout, process.Stderr = output, phases
	began := time.Now()
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	phases.pid.Store(int64(process.Process.Pid))
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
			phases.memory.Store(p.memory)
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

// phaseLog takes what a curator prints of its progress, and logs each phase when the next one begins and every minute.
type phaseLog struct {
	t      *testing.T
	asked  *askedSoFar
	errs   *text
	pid    atomic.Int64
	memory atomic.Int64
	began  time.Time

	phase, line string // the last line, and the phase that it is of
	since, told phaseFigures
	searches    int
}

// phaseFigures are what a phase's are measured from.
type phaseFigures struct {
	at         time.Time
	cpu, store time.Duration
}

// Write implements io.Writer, for one process's output.
func (p *phaseLog) Write(printed []byte) (int, error) {
	for line := range strings.Lines(string(printed)) {
		phase, _, found := strings.Cut(line, ": ")
		if !found || strings.ContainsAny(phase, " {") { // not of progress
			continue
		}
		if phase != p.phase {
			p.log()
			p.phase, p.since = phase, p.figures()
			p.told = p.since
			p.searches = p.asked.count()
		}
		if p.line = strings.TrimSpace(line); time.Since(p.told.at) > time.Minute {
			p.log()
			p.told = p.figures()
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
	p.t.Logf("%s after %s: %s in %s; CPU: curator %s, Elasticsearch %s; at most %d MiB; searches: %s", now.at.Sub(p.began).Round(time.Second), p.phase, p.line,
		now.at.Sub(p.since.at).Round(100*time.Millisecond), now.cpu-p.since.cpu, now.store-p.since.store, p.memory.Load()>>20, p.asked.since(p.searches))
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
