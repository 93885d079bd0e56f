package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// leastExported are as many lines as an import needs to come to the memory that it stays at: it has 4,096 under way.
const leastExported = 10_000

// manyExported is how many submissions the long tests of export take: 100,000, or AGENTLORE_EXPORT_LINES.
func manyExported(t *testing.T) int {
	t.Helper()
	given := os.Getenv("AGENTLORE_EXPORT_LINES")
	if given == "" {
		return 100_000
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < leastExported {
		t.Fatalf("AGENTLORE_EXPORT_LINES is %q, want a number from %d on", given, leastExported)
	}
	return n
}

// megabytesMore is how much more memory an export or import of up to ten times as many lines may take: what the runtime keeps beside
// the work under way grows a little with time, never with the lines.
const megabytesMore = 64

// Export and import take the same memory for 10,000 lines and for all, and what comes back is the same by checksum.
func TestManyComeBackInConstantMemory(t *testing.T) {
	enginetest.Long(t)
	n := manyExported(t)
	few := exportAndRestore(t, leastExported)
	all := exportAndRestore(t, n)
	for _, work := range []string{"export", "import"} {
		t.Logf("%s: at most %d MB of memory for %d lines, %d MB for %d", work, few[work], leastExported, all[work], n)
		if all[work] > few[work]+megabytesMore {
			t.Errorf("%s: %d MB for %d lines, %d MB for %d", work, few[work], leastExported, all[work], n)
		}
	}
}

// exportAndRestore stores n submissions, takes them through an export into an empty prefix and returns the most memory that
// the export's and the import's process had, in MB.
func exportAndRestore(t *testing.T, n int) map[string]int {
	t.Helper()
	full, empty, folder := filled(t, n), enginetest.Prefix(t), t.TempDir()
	sources, path := filepath.Join(folder, "sources.jsonl"), filepath.Join(folder, "submissions.jsonl")
	exportTo(t, full, lore.Sources, sources)
	restore(t, empty, lore.Sources, sources)
	peaks := map[string]int{}
	measure := func(work string, args ...string) {
		began := time.Now()
		peaks[work] = peakMemory(t, program(t, args[0], args[1:]...))
		t.Logf("%s of %d lines: %.0f s, at most %d MB", work, n, time.Since(began).Seconds(), peaks[work])
	}
	measure("export", full, "export", "--collection=submissions", path)
	measure("import", empty, "import", "--format=export", "--collection=submissions", path)
	enginetest.Elasticsearch(t, "POST", "/"+empty+"-*/_refresh", "")
	whole := contentOf(t, path)
	back := exportTo(t, empty, lore.Submissions, filepath.Join(folder, "back.jsonl"))
	if got := strings.Count(whole, "\n"); got != n || checksum(back) != checksum(whole) {
		t.Errorf("%d lines of %d went out; what came back has %d bytes, want %d, and another checksum", got, n, len(back), len(whole))
	}
	return peaks
}

// filled returns a prefix of its own with n imported submissions.
func filled(t *testing.T, n int) string {
	t.Helper()
	prefix := enginetest.Prefix(t)
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, prefix)...)
	if status, stdout, stderr := run(t, append(args, manyLines(t, n))...); status != 0 {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	return prefix
}

var residentPeak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory runs a command and returns the most memory that it was resident in, in MB.
func peakMemory(t *testing.T, command *exec.Cmd) (peak int) {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			if peak == 0 {
				t.Skip("this system doesn't tell a process's memory")
			}
			return peak
		case <-ticker.C:
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid)) // it may have ended
			if found := residentPeak.FindSubmatch(status); found != nil {
				kilobytes, _ := strconv.Atoi(string(found[1]))
				peak = max(peak, kilobytes>>10)
			}
		}
	}
}
