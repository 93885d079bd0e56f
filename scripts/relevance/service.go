package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"agentlore/lore"
)

// store is one collection in Elasticsearch, with the service on it.
type store struct {
	o      options
	prefix string
	url    string
	serve  *exec.Cmd
	log    string
	// standsFor is, by the id of each pattern and knowledge unit of a mixed store, the document that it was made of.
	standsFor map[string]string
}

// environment is what every command on the store is run with.
func (s *store) environment() []string {
	return []string{
		"AGENTLORE_INDEX_PREFIX=" + s.prefix, fmt.Sprintf("AGENTLORE_SHARDS=%d", s.o.shards), "AGENTLORE_LISTEN=127.0.0.1:0",
		"AGENTLORE_RATE_READ=off", "AGENTLORE_CURATE=false", // nothing changes under the queries
	}
}

// command runs a program to its end; what it says is shown when it fails.
func command(ctx context.Context, environment []string, name string, arguments ...string) error {
	return commandWith(ctx, nil, environment, name, arguments...)
}

func commandWith(ctx context.Context, input io.Reader, environment []string, name string, arguments ...string) error {
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Env, cmd.Stdin = append(os.Environ(), environment...), input
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(arguments, " "), err, out[max(0, len(out)-1000):])
	}
	return nil
}

// start starts the service and waits until it serves.
func (s *store) start(ctx context.Context) error {
	s.log = filepath.Join(s.o.work, s.prefix+".log")
	log, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer log.Close()
	s.serve = exec.Command(s.o.binary, "serve")
	s.serve.Env, s.serve.Stderr = append(os.Environ(), s.environment()...), log
	if err := s.serve.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if s.url = servingAddress(s.log); s.url != "" {
			return nil
		}
	}
	s.stop()
	return fmt.Errorf("the service doesn't serve; see %s", s.log)
}

// servingAddress reads from the service's log where it serves; empty as long as it doesn't.
func servingAddress(log string) string {
	file, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			Message string `json:"msg"`
			Address string `json:"address"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "serving" {
			return "http://" + line.Address
		}
	}
	return ""
}

// stop ends the service.
func (s *store) stop() {
	if s.serve != nil && s.serve.Process != nil {
		s.serve.Process.Signal(syscall.SIGTERM)
		s.serve.Wait()
		s.serve = nil
	}
}

// retries is how often a search is sent again that a crowded machine answers too late.
const retries = 5

// result is one of a search, as far as it is judged.
type result struct {
	ID   string        `json:"id"`
	Type lore.ItemType `json:"type"`
	Ref  string        `json:"ref"`
}

// search asks the service and returns the documents of the first ten results.
func (s *store) search(ctx context.Context, text string) (refs []string, err error) {
	for attempt := range retries {
		if refs, err = s.searchOnce(ctx, text); err == nil || !strings.Contains(err.Error(), "store_unavailable") {
			break
		}
		time.Sleep(time.Duration(attempt) * time.Second)
	}
	return refs, err
}

func (s *store) searchOnce(ctx context.Context, text string) ([]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/search/all?q="+url.QueryEscape(text), nil)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Results []result `json:"results"`
	}
	if err := answered(request, &answer); err != nil {
		return nil, err
	}
	refs := []string{}
	for _, one := range answer.Results {
		document, err := s.judgedAs(one)
		if err != nil {
			return nil, err
		}
		refs = append(refs, document)
	}
	return refs, nil
}

// answered sends a request and reads its answer, which must be a good one.
func answered(request *http.Request, answer any) error {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %d %.300s", request.Method, request.URL.Path, response.StatusCode, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
