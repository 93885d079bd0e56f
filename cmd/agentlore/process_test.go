package main

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"agentlore/enginetest"
)

// asProgram makes the test's own binary behave as agentlore: TestMain looks for it.
const asProgram = "AGENTLORE_TEST_AS_PROGRAM"

// asProgramClock is by how much that program's clock is wrong.
const asProgramClock = "AGENTLORE_TEST_CLOCK"

// serveProcess starts a service in a process of its own, which may be killed. Flags win over those that tests usually give.
func serveProcess(t *testing.T, prefix string, flags ...string) *service {
	t.Helper()
	return serveBinary(t, os.Args[0], prefix, flags...)
}

// serveBinary is serveProcess with a binary of any version.
func serveBinary(t *testing.T, binary, prefix string, flags ...string) *service {
	t.Helper()
	args := append([]string{"serve", "--listen=127.0.0.1:0", "--redis-url=" + enginetest.RedisURL(t)}, storeFlags(t, prefix)...)
	args = append(append(args, limitsOff...), flags...)
	s := &service{prefix: prefix, log: &text{}, printed: &text{}}
	s.process = exec.Command(binary, args...)
	s.process.Env = append(os.Environ(), asProgram+"=1")
	s.process.Stdout, s.process.Stderr = s.printed, s.log
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
	})
	enginetest.Within(t, 2*time.Minute, "the process prints its address", func() bool {
		found := greeting.FindStringSubmatch(s.printed.String())
		if found != nil {
			s.base = found[1]
		}
		return found != nil
	})
	return s
}

// program returns a command of this program in a process of its own.
func program(t *testing.T, prefix string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], append(args, storeFlags(t, prefix)...)...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}
