package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// run runs one command line to its end and returns exit status, standard output and standard error.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs text
	status = execute(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// service is a running `agentlore serve`.
type service struct {
	base    string // http://host:port
	prefix  string
	log     *text // standard error
	printed *text // standard output

	cancel context.CancelFunc
	ended  chan int

	process *exec.Cmd // where it runs in a process of its own
}

// limitsOff switches every limit and budget off: tests send more from one address than anybody is meant to. Curating in the
// background is off as well: tests of it say so. Metrics are on any free port. A crowd waits for its turn: tests of overload set a
// wait of their own.
var limitsOff = []string{
	"--metrics-listen=127.0.0.1:0", "--curate=false", "--rate-register=off", "--rate-write=off", "--rate-read=off", "--rate-export=off", "--budget-stored=off", "--budget-read=off",
	"--queue-wait=25s",
}

// patientTimeout is for a machine that tests keep busy: a stall of the shared engine is no outage.
const patientTimeout = "--elasticsearch-timeout=25s"

// storeFlags say where a command finds the test's store.
func storeFlags(t *testing.T, prefix string) []string {
	t.Helper()
	return []string{"--elasticsearch-url=" + enginetest.ElasticsearchURL(t), "--index-prefix=" + prefix, patientTimeout}
}

// serve starts a service in this process, without limits unless flags set some, and stops it with the test.
func serve(t *testing.T, prefix string, flags ...string) *service {
	t.Helper()
	defaults := append([]string{"--listen=127.0.0.1:0", "--redis-url=" + enginetest.RedisURL(t)}, storeFlags(t, prefix)...)
	for _, flag := range append(defaults, limitsOff...) {
		name, _, _ := strings.Cut(flag, "=")
		given := func(flag string) bool { return strings.HasPrefix(flag, name+"=") }
		if !slices.ContainsFunc(flags, given) {
			flags = append(flags, flag)
		}
	}
	return serveWith(t, prefix, append([]string{"serve"}, flags...)...)
}

// serveWith is serve with all arguments given.
func serveWith(t *testing.T, prefix string, args ...string) *service {
	t.Helper()
	s := start(t, prefix, args...)
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var greeting = regexp.MustCompile(`agentlore serves (http://\S+)`)

// start starts a service that is to be stopped.
func start(t testing.TB, prefix string, args ...string) *service {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &service{prefix: prefix, log: &text{}, printed: &text{}, cancel: cancel, ended: make(chan int, 1)}
	go func() { s.ended <- execute(ctx, args, s.printed, s.log) }()
	enginetest.Within(t, 2*time.Minute, "the service prints its address", func() bool {
		select {
		case status := <-s.ended:
			cancel()
			t.Fatalf("the service ended with status %d; its log:\n%s", status, s.log)
		default:
		}
		found := greeting.FindStringSubmatch(s.printed.String())
		if found != nil {
			s.base = found[1]
		}
		return found != nil
	})
	return s
}

// metricsAddress is where the log says that the service's metrics are.
var metricsAddress = regexp.MustCompile(`"metrics":"([0-9.:]+)"`)

// metrics returns what the service shows to Prometheus.
func (s *service) metrics(t *testing.T) string {
	t.Helper()
	found := metricsAddress.FindStringSubmatch(s.log.String())
	if found == nil {
		t.Fatalf("the log doesn't say where the metrics are: %s", s.log)
	}
	return string((&service{base: "http://" + found[1]}).get(t, "/metrics").want(t, 200).body)
}

// stop stops the service as a signal does and waits for its end.
func (s *service) stop() error {
	s.cancel()
	if status := <-s.ended; status != 0 {
		return fmt.Errorf("the service ended with status %d; its log:\n%s", status, s.log)
	}
	return nil
}

// serveTwo starts two services over one store of their own.
func serveTwo(t *testing.T, flags ...string) [2]*service {
	t.Helper()
	prefix := enginetest.Prefix(t)
	return [2]*service{serve(t, prefix, flags...), serve(t, prefix, flags...)}
}

// shared are two services over one store without limits, for tests that don't mind what others store.
var shared struct {
	once     sync.Once
	services []*service
}

// sharedServices returns the two services that tests share.
func sharedServices(t testing.TB) (first, second *service) {
	t.Helper()
	redis, elasticsearch := enginetest.RedisURL(t), enginetest.ElasticsearchURL(t)
	shared.once.Do(func() {
		prefix := enginetest.NewPrefix()
		for range 2 {
			args := []string{"serve", "--listen=127.0.0.1:0", "--redis-url=" + redis, "--elasticsearch-url=" + elasticsearch, "--index-prefix=" + prefix, patientTimeout}
			shared.services = append(shared.services, start(t, prefix, append(args, limitsOff...)...))
		}
	})
	if len(shared.services) < 2 {
		t.Fatal("the shared services did not start")
	}
	return shared.services[0], shared.services[1]
}

// sharedService returns the first of the services that tests share.
func sharedService(t testing.TB) *service {
	t.Helper()
	first, _ := sharedServices(t)
	return first
}

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if wrong, err := time.ParseDuration(os.Getenv(asProgramClock)); err == nil {
			clock = func() time.Time { return time.Now().Add(wrong) }
		}
		main()
		return
	}
	status := m.Run()
	for _, s := range shared.services {
		if err := s.stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	if len(shared.services) > 0 {
		if err := enginetest.Remove(shared.services[0].prefix); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}
