package scrubber

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// observations returns texts of about 2 kB from the shared data, joined as summary, content and resolution.
func observations(t testing.TB, most int) []string {
	t.Helper()
	var texts []string
	n := 0
	for lines := dataFile(t, "observations.jsonl.gz"); lines.Scan() && len(texts) < most; n++ {
		if n%13 != 0 { // spread over all origins
			continue
		}
		var row struct{ Summary, Content, Resolution string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		text := row.Summary + "\n" + row.Content + "\n" + row.Resolution
		if len(text) >= 2048 {
			texts = append(texts, strings.ToValidUTF8(text[:2048], ""))
		}
	}
	return texts
}

// BenchmarkObservations is the figure of the issue: 2 kB texts, one core, all views.
func BenchmarkObservations(b *testing.B) {
	texts := observations(b, 2000)
	s := newScrubber(b)
	b.SetBytes(2048)
	b.ReportAllocs()
	times := make([]time.Duration, 0, 1<<20)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, n := cpuTime(), 0
	for ; b.Loop(); n++ {
		start := time.Now()
		s.text(texts[n%len(texts)])
		if len(times) < cap(times) {
			times = append(times, time.Since(start))
		}
	}
	b.ReportMetric(float64(n)*2048/1e6/(cpuTime()-before).Seconds(), "cpu-MB/s")
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
}
