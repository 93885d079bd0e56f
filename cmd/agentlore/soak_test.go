package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// sample is what a service took of its machine at one moment.
type sample struct{ memory, goroutines float64 }

// sampleOf reads a service's metrics.
func sampleOf(t *testing.T, s *service) sample {
	t.Helper()
	read := func(name string) float64 {
		value, err := strconv.ParseFloat(metric(t, s, name), 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return value
	}
	return sample{read("process_resident_memory_bytes") / (1 << 20), read("go_goroutines")}
}

// median returns the middle of what pick takes from samples.
func median(samples []sample, pick func(sample) float64) float64 {
	var values []float64
	for _, one := range samples {
		values = append(values, pick(one))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// Mixed load for a long time: memory and goroutines stay flat. AGENTLORE_SOAK says how long; the design's is 20m.
func TestSoak(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv("AGENTLORE_SOAK"))
	if err != nil {
		t.Skip("a long test: AGENTLORE_SOAK=20m runs it")
	}
	s := serveProcess(t, enginetest.Prefix(t), "--curate=true", "--rate-read=100000000-M", "--rate-write=100000000-M")
	me := s.register(t, "soaks")
	ctx, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	var mu sync.Mutex
	answers := map[string]int{}
	var group sync.WaitGroup
	for worker := range 16 {
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				text := fmt.Sprintf("worker %d saw number %d fail with a stale price", worker, i)
				method, path, body, headers := "GET", "/search/all?q=stale+price+"+strconv.Itoa(i), any(nil), []string(nil)
				switch i % 10 {
				case 0, 1, 2, 3:
					method, path, body, headers = "POST", "/intake/submit", map[string]any{"summary": text, "category": "failure", "content": strings.Repeat(text+". ", 20)}, me.bearer()
				case 4:
					method, path, body, headers = "POST", "/intake/submit", observation(text), append(me.bearer(), "Idempotency-Key", fmt.Sprintf("soak-%d-%d", worker, i))
				case 5:
					path = "/submissions?limit=50"
				case 6:
					path = "/search/all?q=stael+prcie&facets=true"
				case 7:
					method, path, body = "POST", "/intake/register", map[string]any{"name": fmt.Sprintf("soaked %d %d", worker, i), "type": "bot", "owner": text}
				case 8:
					method, path, body = "POST", "/intake/submit", "not what is expected"
				}
				got, err := s.try(context.WithoutCancel(ctx), method, path, body, headers...)
				mu.Lock()
				if err != nil {
					answers["no answer"]++
				} else {
					answers[strconv.Itoa(got.status)]++
				}
				mu.Unlock()
			}
		})
	}
	var samples []sample
	for ctx.Err() == nil {
		samples = append(samples, sampleOf(t, s))
		pause(ctx, lasts/60)
	}
	group.Wait()
	if len(samples) < 12 {
		t.Fatalf("%d samples are too few", len(samples))
	}
	memory, goroutines := func(s sample) float64 { return s.memory }, func(s sample) float64 { return s.goroutines }
	early, late := samples[len(samples)/4:len(samples)/2], samples[len(samples)*3/4:]
	t.Logf("%s, answers %v; memory: second quarter %.0f MiB, last quarter %.0f MiB, highest %.0f MiB; goroutines %.0f and %.0f", lasts, answers,
		median(early, memory), median(late, memory), residentMiB(t, s), median(early, goroutines), median(late, goroutines))
	if grown := median(late, memory) - median(early, memory); grown > 10+median(early, memory)/10 {
		t.Errorf("memory grew by %.0f MiB", grown)
	}
	if grown := median(late, goroutines) - median(early, goroutines); grown > 10+median(early, goroutines)/5 {
		t.Errorf("there are %.0f goroutines more", grown)
	}
	if answers["no answer"] > 0 || answers["500"] > 0 {
		t.Errorf("answers: %v", answers)
	}
}
