package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// answer is what a service answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// httpClient holds enough idle connections that crowds of requests don't run out of ports.
var httpClient = &http.Client{
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
	response, err := httpClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, read}, err
}

// send is try for requests that must be answered.
func (s *service) send(t testing.TB, method, path string, body any, headers ...string) answer {
	t.Helper()
	got, err := s.try(t.Context(), method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (s *service) get(t testing.TB, path string, headers ...string) answer {
	t.Helper()
	return s.send(t, "GET", path, nil, headers...)
}

// want fails unless the answer has the status.
func (a answer) want(t testing.TB, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %.600s", a.status, status, a.body)
	}
	return a
}

// decode reads an answer's JSON.
func decode[T any](t testing.TB, a answer) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(a.body, &value); err != nil {
		t.Fatalf("not the JSON that was expected: %v in %.600s", err, a.body)
	}
	return value
}
