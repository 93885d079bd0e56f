package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// A curator in a process of its own stands behind everything else on its machine, with all of its threads.
func TestCuratorGivesWay(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	serve(t, prefix)
	c := startCurator(t, prefix)
	c.logs(t, "curating", time.Minute)
	enginetest.Within(t, time.Minute, "all threads of a curator stand behind others", func() bool {
		stats, err := filepath.Glob("/proc/" + strconv.Itoa(c.process.Process.Pid) + "/task/*/stat")
		if err != nil || len(stats) == 0 {
			t.Fatalf("threads of the curator: %v", err)
		}
		before := 0
		for _, name := range stats {
			stat, err := os.ReadFile(name)
			if err != nil {
				continue // the thread has ended
			}
			_, rest, _ := bytes.Cut(stat, []byte(") "))
			if fields := strings.Fields(string(rest)); len(fields) > 16 && fields[16] != strconv.Itoa(backgroundNice) {
				before++
			}
		}
		return before == 0
	})
}
