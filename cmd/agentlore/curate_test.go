package main

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// curator is a process that curates.
type curatorProcess struct {
	process *exec.Cmd
	log     *text
}

// startCurator starts `agentlore curate` in a process of its own, which may be killed.
func startCurator(t *testing.T, prefix string) *curatorProcess {
	t.Helper()
	log := &text{}
	return &curatorProcess{process: startCurate(t, prefix, log), log: log}
}

// startCurate starts `agentlore curate` with its log, until the test's end.
func startCurate(t *testing.T, prefix string, log io.Writer) *exec.Cmd {
	t.Helper()
	process := program(t, prefix, "curate")
	process.Stderr = log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(process) })
	return process
}

// end kills a process.
func end(process *exec.Cmd) {
	_ = process.Process.Kill()
	_ = process.Wait()
}

func (c *curatorProcess) kill() { end(c.process) }

// logs waits until the process has logged a message.
func (c *curatorProcess) logs(t *testing.T, message string, within time.Duration) {
	t.Helper()
	enginetest.Within(t, within, "a curator logs: "+message, func() bool { return strings.Contains(c.log.String(), `"msg":"`+message) })
}

// Of two curators one works. When it is killed the other one goes on within 30 s, and no report is counted twice.
func TestTwoCurators(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix, behindProxy)
	submit := func(from, to int) {
		for i := from; i < to; i++ {
			who := s.registerFrom(t, fmt.Sprintf("agent %d", i), fmt.Sprintf("owner %d", i))
			s.submit(t, who, map[string]any{"summary": fmt.Sprintf("The relayer endpoint answers status %d to every signed request", 500+i), "category": "failure",
				"content": fmt.Sprintf("After %d minutes the queue of signed requests is full and nothing is relayed any more.", i)})
		}
	}
	owners := func() float64 {
		found := decode[page](t, s.get(t, "/patterns").want(t, 200))
		if len(found.Results) != 1 {
			return 0
		}
		pattern := found.Results[0]
		if pattern["report_count"] != pattern["owner_count"] {
			t.Errorf("every owner reported once, and the pattern is %v", pattern)
		}
		return pattern["owner_count"].(float64)
	}
	submit(0, 2)
	first := startCurator(t, prefix)
	first.logs(t, "curating", time.Minute)
	second := startCurator(t, prefix)
	second.logs(t, "another process curates", time.Minute)
	enginetest.Within(t, time.Minute, "the first curator finds the pattern", func() bool { return owners() == 2 })
	if strings.Contains(second.log.String(), `"msg":"curating`) {
		t.Fatalf("both curate: %s", second.log)
	}

	submit(2, 4)
	first.kill()
	second.logs(t, "curating", 30*time.Second)
	enginetest.Within(t, time.Minute, "the second curator goes on", func() bool { return owners() == 4 })
	enginetest.Within(t, time.Minute, "every report of the established pattern is of tier 2", func() bool {
		for _, submission := range decode[page](t, s.get(t, "/submissions").want(t, 200)).Results {
			if submission["tier"] != float64(2) || submission["pattern_id"] == nil {
				return false
			}
		}
		return true
	})
}
