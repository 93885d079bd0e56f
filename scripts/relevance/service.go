package main

import (
	"bufio"
	"bytes"
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

// open makes sure that the collection is stored and starts the service on it.
func open(ctx context.Context, o options, set collection) (*store, error) {
	s := &store{o: o, prefix: "relevance_" + strings.ReplaceAll(set.name, "-", "_")}
	if o.shards > 1 {
		s.prefix += fmt.Sprintf("_%d", o.shards)
	}
	if o.mixed {
		s.prefix += "_mixed"
	}
	if err := command(ctx, s.environment(), o.binary, "migrate"); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	old, err := s.outdated()
	if err == nil && old {
		s.stop()
		if err = s.drop(ctx); err == nil {
			err = s.start(ctx)
		}
	}
	if err == nil {
		err = s.fill(ctx, set)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
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

// outdated reports whether the indices are of another mapping than the binary's.
func (s *store) outdated() (bool, error) {
	text, err := os.ReadFile(s.log)
	return bytes.Contains(text, []byte("created by another version")), err
}

// stop ends the service.
func (s *store) stop() {
	if s.serve != nil && s.serve.Process != nil {
		s.serve.Process.Signal(syscall.SIGTERM)
		s.serve.Wait()
		s.serve = nil
	}
}

// fill imports what isn't there yet.
func (s *store) fill(ctx context.Context, set collection) error {
	want, err := set.write(io.Discard)
	if err != nil {
		return err
	}
	have, err := s.count(ctx, lore.Submissions)
	if err != nil {
		return err
	}
	if have != want {
		fmt.Fprintf(os.Stderr, "%s: importing %d documents\n", set.name, want)
		read, written := io.Pipe()
		go func() {
			_, err := set.write(written)
			written.CloseWithError(err)
		}()
		if err := commandWith(ctx, read, s.environment(), s.o.binary, "import", "--collection", "submissions", "-"); err != nil {
			return err
		}
	}
	if s.o.mixed {
		if err := s.fillOthers(ctx); err != nil {
			return err
		}
	}
	if err := s.elastic(ctx, http.MethodPost, "/"+s.prefix+"-*/_refresh", nil, nil); err != nil {
		return err
	}
	have, err = s.count(ctx, lore.Submissions)
	if err == nil && have != want {
		return fmt.Errorf("%d of %d documents are stored", have, want)
	}
	return err
}

// others is how many patterns and how many knowledge units a mixed store has.
const others = 500

// fillOthers imports the catalog, and makes patterns and knowledge of observations that are spread over all there are.
func (s *store) fillOthers(ctx context.Context) error {
	if have, err := s.count(ctx, lore.KnowledgeUnits); err != nil || have > 0 {
		return err
	}
	if err := command(ctx, s.environment(), s.o.binary, "import", "--collection", "assets", filepath.Join(s.o.data, "assets.jsonl.gz")); err != nil {
		return err
	}
	var units, patterns bytes.Buffer
	row := 0
	err := readLines(filepath.Join(s.o.data, "observations.jsonl.gz"), func(one lore.Observation) error {
		if row++; row%61 != 0 || row > 2*others*61 {
			return nil
		}
		seen := time.Now().UTC().AddDate(0, 0, -row%700)
		if row%2 == 0 {
			return json.NewEncoder(&units).Encode(lore.KnowledgeUnit{
				ID: lore.NewID(), Summary: one.Summary, Content: one.Content, Resolution: one.Resolution, Category: lore.CategoryGeneral,
				Ecosystem: []string{}, Tags: one.Tags, Entities: lore.Entities(one.Summary, one.Content), Tier: lore.TierValidated, Confidence: 0.7,
				Evidence: lore.Evidence{SubmissionIDs: []string{}}, Status: lore.UnitActive, CreatedAt: seen, FirstSeenAt: seen, LastSeenAt: seen, PromotedAt: seen,
			})
		}
		return json.NewEncoder(&patterns).Encode(lore.Pattern{
			ID: lore.NewID(), Summary: one.Summary, Resolution: one.Resolution, Category: lore.CategoryGeneral, Ecosystem: []string{}, Tags: one.Tags,
			Entities: lore.Entities(one.Summary), Tier: lore.TierCorroborated, Reports: 3, Sources: 2, Owners: 2, ExampleIDs: []string{},
			Status: lore.PatternEmerging, FirstSeenAt: seen, LastSeenAt: seen, CreatedAt: seen,
		})
	})
	if err != nil {
		return err
	}
	for collection, lines := range map[lore.Collection]*bytes.Buffer{lore.KnowledgeUnits: &units, lore.Patterns: &patterns} {
		err := commandWith(ctx, lines, s.environment(), s.o.binary, "import", "--format", "export", "--collection", string(collection), "-")
		if err != nil {
			return err
		}
	}
	return nil
}

// count returns how many items a collection has.
func (s *store) count(ctx context.Context, of lore.Collection) (int, error) {
	if err := s.elastic(ctx, http.MethodPost, "/"+s.prefix+"-"+string(of)+"/_refresh", nil, nil); err != nil {
		return 0, err
	}
	var answer struct {
		Count int `json:"count"`
	}
	err := s.elastic(ctx, http.MethodGet, "/"+s.prefix+"-"+string(of)+"/_count", nil, &answer)
	return answer.Count, err
}

// drop removes the store's indices, which this program has made, and makes them anew.
func (s *store) drop(ctx context.Context) error {
	var rows []struct {
		Index string `json:"index"`
	}
	if err := s.elastic(ctx, http.MethodGet, "/_cat/indices/"+s.prefix+"-*?format=json&h=index", nil, &rows); err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.elastic(ctx, http.MethodDelete, "/"+row.Index, nil, nil); err != nil {
			return err
		}
	}
	return command(ctx, s.environment(), s.o.binary, "migrate")
}

// elastic sends Elasticsearch a request of this program's own.
func (s *store) elastic(ctx context.Context, method, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		text = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(s.o.elastic, "/")+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if user := os.Getenv("ELASTICSEARCH_USERNAME"); user != "" {
		request.SetBasicAuth(user, os.Getenv("ELASTICSEARCH_PASSWORD"))
	}
	request.Header.Set("Content-Type", "application/json")
	return answered(request, answer)
}

// retries is how often a search is sent again that a crowded machine answers too late.
const retries = 5

// search asks the service and returns the refs of the first ten results.
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
		Results []struct {
			Ref string `json:"ref"`
		} `json:"results"`
	}
	err = answered(request, &answer)
	refs := []string{}
	for _, one := range answer.Results {
		refs = append(refs, one.Ref)
	}
	return refs, err
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
