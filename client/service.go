package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Address is the flag that says which service is asked.
type Address struct {
	URL string `name:"url" env:"AGENTLORE_URL" default:"http://127.0.0.1:8080" help:"Base address of the service."`
}

// service are the flags that say which service is asked, and by whom.
type service struct {
	Address
	Profile   string        `env:"AGENTLORE_PROFILE" help:"Which of the agents that registered here you are, by its name; needed where there are several." placeholder:"NAME"`
	TokenFile string        `name:"token-file" env:"AGENTLORE_TOKEN_FILE" help:"File with your token; by default one a service and agent, in the folder agentlore of XDG_CONFIG_HOME or ~/.config." placeholder:"FILE"`
	Folder    string        `hidden:"" name:"token-folder" env:"AGENTLORE_TOKEN_FOLDER"`
	Settings  string        `hidden:"" name:"settings-folder" env:"XDG_CONFIG_HOME"`
	Home      string        `hidden:"" name:"home" env:"HOME,USERPROFILE"`
	Timeout   time.Duration `env:"AGENTLORE_TIMEOUT" default:"30s" help:"The longest that a command may take, with its retries."`
	JSON      bool          `name:"json" help:"Print the service's answer as it is, for programs."`
	NoColour  string        `hidden:"" name:"no-colour" env:"NO_COLOR"`
}

// Said where the address is none, or none of agentlore.
var (
	errURL      = errors.New("AGENTLORE_URL must be like https://agentlore.example.org")
	errNoAnswer = errors.New("no answer of agentlore: is AGENTLORE_URL right?")
)

const (
	// maxAnswerBytes bounds what is read of an answer: the service cuts its own well below.
	maxAnswerBytes = 4 << 20
	// maxWait is the longest pause before a retry, and firstWait the first where the service names none.
	maxWait   = 10 * time.Second
	firstWait = 250 * time.Millisecond
)

// Refusal is the service's answer to what it refuses: a problem of RFC 9457.
type Refusal struct {
	Code, Detail string
	Errors       []struct{ Pointer, Detail string }
	Retryable    bool
	RetryAfter   int `json:"retry_after"`
}

// Error returns the problem in one line a fault.
func (r *Refusal) Error() string {
	text := r.Code + ": " + r.Detail
	for _, fault := range r.Errors {
		text += "\n  " + fault.Pointer + " " + fault.Detail
	}
	return text
}

// client sends requests. A redirect is refused: it would take text and token elsewhere.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// request is what is called: a method and a path.
type request struct{ method, path string }

// posting returns the request that posts to a path.
func posting(path string) request { return request{http.MethodPost, path} }

// post sends a JSON body and returns the answer. It sends again, until ctx ends, what got no answer or may succeed later: so what is
// sent must be something that may be repeated. Errors: *Refusal.
func (s service) post(ctx context.Context, call request, token string, body []byte, headers ...string) ([]byte, error) {
	for wait := firstWait; ; wait *= 2 {
		answer, err := s.send(ctx, call, token, body, headers)
		refused, isRefusal := errors.AsType[*Refusal](err)
		if err == nil || isRefusal && !refused.Retryable {
			return answer, err
		}
		pause := wait
		if isRefusal && refused.RetryAfter > 0 {
			pause = time.Duration(refused.RetryAfter) * time.Second
		}
		if deadline, has := ctx.Deadline(); ctx.Err() != nil || pause > maxWait || has && time.Until(deadline) < pause {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// send sends one body, if there is one, and returns the answer. Errors: *Refusal.
func (s service) send(ctx context.Context, call request, token string, body []byte, headers []string) ([]byte, error) {
	headers = append([]string{"Accept", "application/json, text/event-stream"}, headers...)
	if body != nil {
		headers = append(headers, "Content-Type", "application/json")
	}
	if token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	answer, err := s.open(ctx, call.method, call.path, bytes.NewReader(body), headers)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	text, err := io.ReadAll(io.LimitReader(answer, maxAnswerBytes+1))
	if err == nil && len(text) > maxAnswerBytes {
		err = &Refusal{Code: "answer_too_large", Detail: "the answer is longer than any of agentlore"}
	}
	return text, err
}

// Get sends a GET without a token and returns the answer's body, to be closed. Errors: *Refusal.
func (a Address) Get(ctx context.Context, path string) (io.ReadCloser, error) {
	return a.open(ctx, http.MethodGet, path, nil, nil)
}

// open sends one request, with headers by name and value, and returns the body of an answer that is no refusal. Errors: *Refusal.
func (a Address) open(ctx context.Context, method, path string, body io.Reader, headers []string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(a.URL, "/")+path, body)
	if err != nil {
		return nil, errURL
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusMultipleChoices {
		return response.Body, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, err
	}
	refused := &Refusal{}
	if json.Unmarshal(text, refused) != nil || refused.Code == "" { // a proxy's, or of another service
		refused = &Refusal{
			Code: strconv.Itoa(response.StatusCode), Detail: errNoAnswer.Error(), Retryable: response.StatusCode >= http.StatusInternalServerError,
		}
	}
	return nil, refused
}
