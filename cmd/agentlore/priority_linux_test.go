package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// A curator and an import in processes of their own stand behind everything else on their machine, with all of their threads.
func TestBackgroundGivesWay(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	serve(t, prefix)
	curator := startCurator(t, prefix)
	curator.logs(t, "curating", time.Minute)
	load := program(t, prefix, "import", "--collection", "submissions", "-")
	if _, err := load.StdinPipe(); err != nil { // it waits for lines
		t.Fatal(err)
	}
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(load) })
	for name, process := range map[string]*exec.Cmd{"a curator": curator.process, "an import": load} {
		enginetest.Within(t, time.Minute, "all threads of "+name+" stand behind others", func() bool {
			return threadsBefore(t, process.Process.Pid) == 0
		})
	}
}

// threadsBefore returns how many threads of a process don't stand behind others.
func threadsBefore(t *testing.T, pid int) (before int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	if err != nil || len(stats) == 0 {
		t.Fatalf("threads of the process: %v", err)
	}
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
	return before
}
