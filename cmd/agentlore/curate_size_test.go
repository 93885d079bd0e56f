package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
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
)

// Curating 100,000 real reports, beside searches. AGENTLORE_CURATE_REPORTS takes fewer; observations are taken more than
// once where there are less, in a source of another name.
func TestCurateManyReports(t *testing.T) {
	enginetest.Long(t)
	observations := enginetest.Data(t, "observations.jsonl.gz")
	count := 100_000
	if given, err := strconv.Atoi(os.Getenv("AGENTLORE_CURATE_REPORTS")); err == nil {
		count = given
	}
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix)
	folder := t.TempDir()
	importLines(t, prefix, observationFile(t, folder, observations, 0, count))

	searching, stop := context.WithCancel(t.Context())
	took := make(chan []time.Duration, 1)
	go func() { took <- search(searching, s) }()
	began := time.Now()
	memory := curateOnce(t, prefix)
	full := time.Since(began)
	stop()
	searches := <-took
	if len(searches) == 0 {
		t.Fatal("no search was answered beside the pass")
	}
	slices.Sort(searches)
	p99 := searches[len(searches)*99/100]

	importLines(t, prefix, observationFile(t, folder, observations, count, 100))
	began = time.Now()
	more := curateOnce(t, prefix)
	incremental := time.Since(began)
	t.Logf("%d reports: full pass %s, %d MiB, %d searches beside it with p99 %s; 100 more: %s, %d MiB",
		count, full, memory>>20, len(searches), p99, incremental, more>>20)
	if full > fullPassWithin {
		t.Errorf("the full pass took %s", full)
	}
	if incremental > newReportsWithin {
		t.Errorf("the pass over a hundred new reports took %s", incremental)
	}
	if max(memory, more) > curatorMemory {
		t.Errorf("the curator took %d MiB", max(memory, more)>>20)
	}
	if p99 > searchWithin {
		t.Errorf("searches beside the pass: p99 %s", p99)
	}
}

// observationFile writes count observations from a place on, going round where they end.
func observationFile(t *testing.T, folder, observations string, from, count int) string {
	t.Helper()
	name := filepath.Join(folder, fmt.Sprintf("from %d.jsonl", from))
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	written, at := 0, 0
	for round := 0; written < count; round++ {
		err := eachObservation(observations, func(line string) error {
			if at++; at <= from || written == count {
				return nil
			}
			written++
			if round > 0 {
				line = strings.Replace(line, `"source": "`, `"source": "again `, 1)
				line = strings.Replace(line, `"source":"`, `"source":"again `, 1)
			}
			_, err := fmt.Fprintln(out, line)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return name
}

func eachObservation(name string, visit func(line string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	lines := bufio.NewReader(unpacked)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSpace(line); line != "" {
			if err := visit(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func importLines(t *testing.T, prefix, file string) {
	t.Helper()
	if status, printed, errs := run(t, append([]string{"import", "--collection=submissions", file}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatalf("import: %s %s", printed, errs)
	}
}

// curateOnce does a pass in a process of its own and returns the most memory that it had, in bytes.
func curateOnce(t *testing.T, prefix string) int64 {
	t.Helper()
	printed := &text{}
	process := exec.Command(os.Args[0], append([]string{"curate", "--once"}, storeFlags(t, prefix)...)...)
	process.Env = append(os.Environ(), asProgram+"=1")
	process.Stdout, process.Stderr = printed, printed
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	var most int64
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("curate: %v: %s", err, printed)
			}
			t.Log(printed)
			return most
		case <-ticker.C:
			most = max(most, resident(process.Process.Pid))
		}
	}
}

// resident returns a process's resident memory in bytes, 0 where it can't be told.
func resident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(status))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// search asks what people ask, evenly in time, and returns how long each answer took.
func search(ctx context.Context, s *service) []time.Duration {
	questions := []string{"approve reverts unless allowance is zero", "stale oracle price", "first depositor inflation", "signature replay nonce", "reentrancy in withdraw", "bridge message lost"}
	var took []time.Duration
	ticker := time.NewTicker(time.Second / searchesPerSecond)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return took
		case <-ticker.C:
		}
		began := time.Now()
		if _, err := s.try(ctx, "GET", "/search/all?q="+url.QueryEscape(questions[i%len(questions)]), nil); err == nil {
			took = append(took, time.Since(began))
		}
	}
}
