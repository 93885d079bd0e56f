package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agentlore/enginetest"
)

// engine is an Elasticsearch of scripts/engine that a test may stop and kill.
type engine struct {
	t     *testing.T
	name  string
	url   string // of all its nodes, comma-separated
	redis string
}

// run runs scripts/engine without the addresses of the shared one.
func (e *engine) run(args ...string) string {
	e.t.Helper()
	command := exec.Command(filepath.Join(enginetest.Root(), "scripts", "engine"), append(args, "--name", e.name)...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "ELASTICSEARCH_") && !strings.HasPrefix(variable, "REDIS_") {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(command.Env, "ENGINE_HEAP=512m", "ENGINE_TIMEOUT=900")
	out, err := command.CombinedOutput()
	if err != nil && args[0] != "status" { // which fails when a node is down
		e.t.Fatalf("scripts/engine %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// startEngine starts an engine that ends with the test. One of its name that runs already is used, and stays.
func startEngine(t *testing.T, name string, flags ...string) *engine {
	t.Helper()
	e := &engine{t: t, name: name}
	if !strings.Contains(e.run("status"), "running, pid") {
		t.Cleanup(func() { e.run("stop", "--wipe") })
	}
	e.run(append([]string{"start"}, flags...)...)
	for line := range strings.Lines(e.run("env")) {
		if _, value, found := strings.Cut(strings.TrimSpace(line), "ELASTICSEARCH_URL="); found {
			e.url = strings.ReplaceAll(value, `\`, "") // it is quoted for a shell
		}
		if _, value, found := strings.Cut(strings.TrimSpace(line), "REDIS_URL="); found {
			e.redis = value
		}
	}
	return e
}

var nodePID = regexp.MustCompile(`Elasticsearch node (\d) .*pid (\d+)`)

// signal sends a signal to a node, counted from 1.
func (e *engine) signal(node int, signal syscall.Signal) {
	e.t.Helper()
	for _, found := range nodePID.FindAllStringSubmatch(e.run("status"), -1) {
		if found[1] != strconv.Itoa(node) {
			continue
		}
		pid, err := strconv.Atoi(found[2])
		if err == nil {
			err = syscall.Kill(pid, signal)
		}
		if err != nil {
			e.t.Fatal(err)
		}
		return
	}
	e.t.Fatalf("node %d doesn't run as a process", node)
}

// ask sends one request to the node with this number.
func (e *engine) ask(node int, method, path, body string) (status int, answer string) {
	e.t.Helper()
	urls := strings.Split(e.url, ",")
	code, text := enginetest.ElasticsearchAt(e.t, urls[node-1], method, path, body)
	return code, string(text)
}
