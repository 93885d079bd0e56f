// Command scrubpeer measures the scrubber beside gitleaks on the same texts in the same run. It is a module of its own, so
// that the service never links gitleaks.
//
//	cd scripts/scrubpeer && AGENTLORE_DATA=... go run .
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"agentlore/scrubber"

	"github.com/zricethezav/gitleaks/v8/detect"
)

const (
	textBytes = 2048
	textCount = 1000
	rounds    = 5 // the two take turns, so that the machine's other load hits both
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scrubpeer:", err)
		os.Exit(1)
	}
}

func run() error {
	texts, err := observations()
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)

	start := time.Now()
	s, err := scrubber.New(scrubber.Config{})
	if err != nil {
		return err
	}
	s.Clean("warm: word lists are read at the first use")
	fmt.Printf("start-up: scrubber %v", time.Since(start).Round(10*time.Microsecond))
	start = time.Now()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	fmt.Printf(", gitleaks %v\n", time.Since(start).Round(10*time.Microsecond))

	var ours, peer []time.Duration
	var oursCPU, peerCPU time.Duration
	found, foundPeer := 0, 0
	for range rounds {
		before := cpuTime()
		for _, text := range texts {
			start := time.Now()
			_, hits := s.Text(text)
			ours = append(ours, time.Since(start))
			found += len(hits)
		}
		oursCPU += cpuTime() - before
		before = cpuTime()
		for _, text := range texts {
			start := time.Now()
			findings := d.DetectString(text)
			peer = append(peer, time.Since(start))
			foundPeer += len(findings)
		}
		peerCPU += cpuTime() - before
	}
	report("scrubber", ours, oursCPU, found/rounds)
	report("gitleaks", peer, peerCPU, foundPeer/rounds)
	return nil
}

// cpuTime is the processor time that this process has used: the wall clock measures the machine's other load, too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func report(name string, times []time.Duration, cpu time.Duration, found int) {
	var wall time.Duration
	for _, t := range times {
		wall += t
	}
	slices.Sort(times)
	megabytes := float64(len(times)*textBytes) / 1e6
	fmt.Printf("%s: %.1f MB/s of processor time (%.1f by the clock), p50 %v, p99 %v, %d findings in %d texts of %d bytes\n", name,
		megabytes/cpu.Seconds(), megabytes/wall.Seconds(), times[len(times)/2].Round(time.Microsecond),
		times[len(times)*99/100].Round(time.Microsecond), found, len(times)/rounds, textBytes)
}

// observations reads texts from the shared data, spread over all its origins.
func observations() ([]string, error) {
	root := os.Getenv("AGENTLORE_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(root, "observations.jsonl.gz"))
	if err != nil {
		return nil, fmt.Errorf("set AGENTLORE_DATA: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 8<<20)
	var texts []string
	for n := 0; lines.Scan() && len(texts) < textCount; n++ {
		if n%23 != 0 {
			continue
		}
		var row struct{ Summary, Content, Resolution string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, err
		}
		if text := row.Summary + "\n" + row.Content + "\n" + row.Resolution; len(text) >= textBytes {
			texts = append(texts, strings.ToValidUTF8(text[:textBytes], ""))
		}
	}
	return texts, lines.Err()
}
