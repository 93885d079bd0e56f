// Package scripts tests scripts/engine where that needs no Elasticsearch: its refusals, and what it stops.
// That it starts one is shown by every other test of the repository, which runs on it.
package scripts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// engine is scripts/engine with folders of its own.
type engine struct {
	home, cache string
	env         []string
}

// newEngine answers an engine that has never been started. What the surroundings of the test name is not passed on.
func newEngine(t *testing.T) *engine {
	t.Helper()
	folder := t.TempDir()
	// As root the engine's user is nobody, who must be able to enter; t.TempDir makes the parent for its owner alone.
	for _, path := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e := &engine{home: filepath.Join(folder, "home"), cache: filepath.Join(folder, "cache")}
	for _, path := range []string{e.home, e.cache} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "AGENTLORE_HOME=" + e.home, "AGENTLORE_CACHE=" + e.cache, "ENGINE_SOURCE=maven",
	}
	return e
}

// run answers the exit status, standard output and standard error.
func (e *engine) run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "./engine", args...)
	command.Env = e.env
	var out, words bytes.Buffer
	command.Stdout, command.Stderr = &out, &words
	var exit *exec.ExitError
	if err := command.Run(); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return status, out.String(), words.String()
}

// write puts a file where the engine keeps those of a name.
func (e *engine) write(t *testing.T, name, file, text string) {
	t.Helper()
	path := filepath.Join(e.home, "engine", name, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"start --name ../x", "lowercase letters"},
		{"start --name", "needs a value"},
		{"start --nodes 9", "1 to 5"},
		{"start --nodes two", "1 to 5"},
		{"frobnicate", "unknown command"},
		{"start --frobnicate", "unknown argument"},
		{"with --name a", "needs a command"},
		{"env --name a", "not started yet"},
		{"logs --name a", "has not been started"},
	} {
		t.Run(test.args, func(t *testing.T) {
			status, stdout, stderr := newEngine(t).run(t, strings.Fields(test.args)...)
			if status != 1 || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %q; want exit 1 and %q", status, stderr, test.want)
			}
			if stdout != "" { // it would be evaluated by a shell
				t.Errorf("standard output: %q", stdout)
			}
		})
	}
}

func TestNothingRuns(t *testing.T) {
	e := newEngine(t)
	if status, _, _ := e.run(t, "status"); status != 3 {
		t.Errorf("status: exit %d, want 3", status)
	}
	if status, _, _ := e.run(t, "status", "--name", "a"); status != 3 {
		t.Errorf("status --name a: exit %d, want 3", status)
	}
	if status, _, stderr := e.run(t, "stop", "--name", "a"); status != 0 {
		t.Errorf("stop: exit %d, want 0: there is nothing to do\n%s", status, stderr)
	}
}

// After a reboot a pid file may name somebody else's process. It is neither taken for the engine nor ended.
func TestStalePidFiles(t *testing.T) {
	e := newEngine(t)
	stranger := exec.CommandContext(t.Context(), "sleep", "300")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	}()
	e.write(t, "a", "state", "port_base=31000\nnodes=1\nsecurity=false\n")
	for _, file := range []string{"node-1.pid", "redis.pid"} {
		e.write(t, "a", file, fmt.Sprintf("%d 1@another-boot\n", stranger.Process.Pid))
	}
	status, stdout, _ := e.run(t, "status", "--name", "a")
	if status != 3 || strings.Contains(stdout, "running") {
		t.Errorf("status: exit %d\n%s", status, stdout)
	}
	if status, _, stderr := e.run(t, "stop", "--name", "a"); status != 0 || !strings.Contains(stderr, "not running") {
		t.Errorf("stop: exit %d\n%s", status, stderr)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("stop ended a process that the engine did not start: %v", err)
	}
}

// pathWithout answers a PATH of one folder that holds every command of this one's but those named.
func pathWithout(t *testing.T, missing ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(from)
		if err != nil {
			continue // a folder on PATH need not exist
		}
		for _, entry := range entries {
			_ = os.Symlink(filepath.Join(from, entry.Name()), filepath.Join(folder, entry.Name())) // the first one wins, as on PATH
		}
	}
	for _, name := range missing {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return folder
}

// distribution puts a folder into the cache that looks fetched, wholly or by half.
func (e *engine) distribution(t *testing.T, complete bool) {
	t.Helper()
	source, err := os.ReadFile("engine.d/distribution.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(source), "\nES_VERSION=")
	if !found {
		t.Fatal("engine.d/distribution.sh names no version")
	}
	version, _, _ := strings.Cut(after, "\n")
	folder := filepath.Join(e.cache, "elasticsearch-"+version)
	if err := os.MkdirAll(filepath.Join(folder, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	if complete {
		if err := os.WriteFile(filepath.Join(folder, ".complete"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	t.Run("Maven", func(t *testing.T) {
		e := newEngine(t)
		e.distribution(t, false) // what an interrupted extraction left is not used
		e.env = append(e.env, "PATH="+pathWithout(t, "mvn"))
		status, _, stderr := e.run(t, "start", "--name", "a")
		if status != 1 || !strings.Contains(stderr, "Install Maven") {
			t.Errorf("exit %d\n%s", status, stderr)
		}
	})
	t.Run("Java", func(t *testing.T) {
		e := newEngine(t)
		e.distribution(t, true)
		e.env = append(e.env, "PATH="+pathWithout(t, "java"))
		status, _, stderr := e.run(t, "start", "--name", "a")
		if status != 1 || !strings.Contains(stderr, "java is missing") {
			t.Errorf("exit %d\n%s", status, stderr)
		}
	})
	t.Run("OldJava", func(t *testing.T) {
		e := newEngine(t)
		e.distribution(t, true)
		path := pathWithout(t, "java")
		java := "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n"
		if err := os.WriteFile(filepath.Join(path, "java"), []byte(java), 0o755); err != nil {
			t.Fatal(err)
		}
		e.env = append(e.env, "PATH="+path)
		status, _, stderr := e.run(t, "start", "--name", "a")
		if status != 1 || !strings.Contains(stderr, "11.0.2") || !strings.Contains(stderr, "needs Java 17") {
			t.Errorf("exit %d\n%s", status, stderr)
		}
	})
}
