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
	"strings"
	"time"
)

// service is a running agentlore.
type service struct {
	*process
	url  string
	http *http.Client
}

// startLimit is the longest that the service may take to serve; it creates indices first.
const startLimit = 2 * time.Minute

// serve starts the service on a free port, on the indices of a prefix, with Elasticsearch at an address.
func (b *bench) serve(ctx context.Context, name, prefix, elasticsearch string, more ...string) (*service, error) {
	environment := append([]string{
		"AGENTLORE_LISTEN=127.0.0.1:0", "AGENTLORE_INDEX_PREFIX=" + prefix, "ELASTICSEARCH_URL=" + elasticsearch, "REDIS_URL=" + b.RedisURL,
		// Limits are counted for every read, and none is refused.
		"AGENTLORE_RATE_READ=1000000-M", "AGENTLORE_RATE_WRITE=off", "AGENTLORE_RATE_REGISTER=off",
		"AGENTLORE_CURATE=false", // it would work through the whole corpus beside what is measured
	}, more...)
	started, err := b.start(name, nil, nil, environment, b.Binary, "serve")
	if err != nil {
		return nil, err
	}
	s := &service{process: started, http: &http.Client{Transport: newTransport(), Timeout: time.Minute}}
	err = s.until(ctx, startLimit, func() bool {
		s.url = servingAddress(s.log)
		return s.url != ""
	})
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
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

// checkMapping fails if the service found an index of another version: figures would not be those of this tree.
func (s *service) checkMapping() error {
	text, err := os.ReadFile(s.log)
	if err != nil {
		return err
	}
	if strings.Contains(string(text), "created by another version") {
		return fmt.Errorf("the index of an earlier run was made by another version; make it anew with scripts/bench/run import")
	}
	return nil
}

// searchURL returns the address of a search.
func (s *service) searchURL(query string) string {
	return s.url + "/search/all?q=" + url.QueryEscape(query)
}

// search asks one question and returns the answer's body.
func (s *service) search(ctx context.Context, query string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.searchURL(query), nil)
	if err != nil {
		return nil, err
	}
	return s.send(request, http.StatusOK)
}

// register registers a source and returns its token.
func (s *service) register(ctx context.Context, name string) (token string, err error) {
	body := fmt.Sprintf(`{"name":%q,"type":"agent","owner":"bench"}`, name)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/intake/register", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.send(request, http.StatusCreated)
	if err != nil {
		return "", err
	}
	var registered struct {
		Token string `json:"api_token"`
	}
	if err := json.Unmarshal(answer, &registered); err != nil || registered.Token == "" {
		return "", fmt.Errorf("register: the answer holds no token")
	}
	return registered.Token, nil
}

// send sends a request and returns the body of the answer, which must have this status.
func (s *service) send(request *http.Request, status int) ([]byte, error) {
	response, err := s.http.Do(request)
	if err != nil {
		return nil, s.failure(err.Error())
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, s.failure(err.Error())
	}
	if response.StatusCode != status {
		return nil, s.failure(fmt.Sprintf("%s %s: %d: %.300s", request.Method, request.URL.Path, response.StatusCode, answer))
	}
	return answer, nil
}
