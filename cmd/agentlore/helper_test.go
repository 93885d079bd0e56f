package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
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

// text is what a command has printed so far; tests read it while it is written.
type text struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes.String()
}

// newLog returns a log like the program's own.
func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }

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

// limitsOff switches every rate limit off: tests send more from one address than anybody is meant to. Curating in the
// background is off as well: tests of it say so. A crowd waits for its turn: tests of overload set a
// wait of their own.
var limitsOff = []string{"--curate=false", "--rate-register=off", "--rate-write=off", "--rate-read=off", "--rate-export=off", "--queue-wait=25s"}

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
func start(t *testing.T, prefix string, args ...string) *service {
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
func sharedServices(t *testing.T) (first, second *service) {
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
func sharedService(t *testing.T) *service {
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

// answer is what a service answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// client holds enough idle connections that crowds of requests don't run out of ports.
var client = &http.Client{
	Timeout:   2 * time.Minute,
	Transport: &http.Transport{MaxIdleConnsPerHost: 256, MaxConnsPerHost: 256, DisableCompression: true},
}

// try sends one request. Headers are pairs of name and value. A body of bytes or a string is sent as it is, anything
// else as JSON; with a body comes a Content-Type, unless headers give one.
func (s *service) try(ctx context.Context, method, path string, body any, headers ...string) (answer, error) {
	var content io.Reader
	switch given := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(given)
	case []byte:
		content = bytes.NewReader(given)
	default:
		encoded, err := json.Marshal(given)
		if err != nil {
			return answer{}, err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, content)
	if err != nil {
		return answer{}, err
	}
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, read}, err
}

// send is try for requests that must be answered.
func (s *service) send(t *testing.T, method, path string, body any, headers ...string) answer {
	t.Helper()
	got, err := s.try(t.Context(), method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (s *service) get(t *testing.T, path string, headers ...string) answer {
	t.Helper()
	return s.send(t, "GET", path, nil, headers...)
}

// want fails unless the answer has the status.
func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %.600s", a.status, status, a.body)
	}
	return a
}

// decode reads an answer's JSON.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(a.body, &value); err != nil {
		t.Fatalf("not the JSON that was expected: %v in %.600s", err, a.body)
	}
	return value
}

// agent is a registered agent.
type agent struct{ id, name, token string }

// bearer is the header that an agent sends.
func (a agent) bearer() []string { return []string{"Authorization", "Bearer " + a.token} }

// register registers an agent.
func (s *service) register(t *testing.T, name string) agent {
	t.Helper()
	got := decode[registered](t, s.send(t, "POST", "/intake/register", map[string]any{"name": name, "type": "agent", "owner": "owner of " + name}).want(t, 201))
	return agent{got.ID, name, got.APIToken}
}

// registered is the answer to a registration.
type registered struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	APIToken  string    `json:"api_token"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Scrubbing *report   `json:"scrubbing"`
}

// submitted is the answer to a submission.
type submitted struct {
	ID        string    `json:"id"`
	Tier      int       `json:"tier"`
	Category  string    `json:"category"`
	CreatedAt time.Time `json:"created_at"`
	Status    string    `json:"status"`
	Duplicate bool      `json:"duplicate"`
	Scrubbing report    `json:"scrubbing"`
}

// report is what an answer says of scrubbing.
type report struct {
	Changed bool   `json:"changed"`
	Message string `json:"message"`
	Removed []struct {
		Field string `json:"field"`
		Type  string `json:"type"`
		Count int    `json:"count"`
	} `json:"removed"`
}

// observation returns the smallest valid submission.
func observation(summary string) map[string]any {
	return map[string]any{"summary": summary, "category": "failure"}
}

// submit submits an observation that must be stored.
func (s *service) submit(t *testing.T, a agent, body any) submitted {
	t.Helper()
	return decode[submitted](t, s.send(t, "POST", "/intake/submit", body, a.bearer()...).want(t, 201))
}

// page is a list or a search's answer.
type page struct {
	Results       []map[string]any `json:"results"`
	Total         int64            `json:"total"`
	TotalRelation string           `json:"total_relation"`
	NextCursor    string           `json:"next_cursor"`
}

// ids returns the ids of a page.
func (p page) ids() []string {
	ids := make([]string, 0, len(p.Results))
	for _, result := range p.Results {
		ids = append(ids, fmt.Sprint(result["id"]))
	}
	return ids
}

// inTime fails unless what was stored can be found within 2 s: the index refreshes every second.
func inTime(t *testing.T, what string, holds func() bool) {
	t.Helper()
	enginetest.Within(t, 2*time.Second, what, holds)
}

// inParallel runs work for 0 to n-1, many at a time, and waits for all.
func inParallel(n, atOnce int, work func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			work(i)
		})
	}
	group.Wait()
}

// freeAddress returns an address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
