package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
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
	TokenFile string        `name:"token-file" env:"AGENTLORE_TOKEN_FILE" help:"File with your token; by default one a service, in the folder agentlore of XDG_CONFIG_HOME or ~/.config." placeholder:"FILE"`
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

// tokenFile returns where the token is kept. It is a file a service, so that a token is never sent to another one.
func (s service) tokenFile() (string, error) {
	inHome, isInHome := strings.CutPrefix(s.TokenFile, "~/")
	switch {
	case isInHome && s.Home != "":
		return filepath.Join(s.Home, inHome), nil
	case s.TokenFile != "":
		return s.TokenFile, nil
	}
	folder, err := s.folder()
	if err != nil {
		return "", err
	}
	base, err := url.Parse(s.URL)
	if err != nil || base.Host == "" {
		return "", errURL
	}
	return filepath.Join(folder, strings.ReplaceAll(base.Host, ":", "_")+".token"), nil
}

// folder returns the folder of what the client keeps: the user's settings, as the environment says where they are. A program that runs as
// root for a user finds that user's token by it, where /etc/passwd would lead to root's.
func (s service) folder() (string, error) {
	switch {
	case s.Folder != "":
		return s.Folder, nil
	case filepath.IsAbs(s.Settings):
		return filepath.Join(s.Settings, "agentlore"), nil
	case s.Home == "":
		return "", errors.New("no HOME is set: name your token's file with AGENTLORE_TOKEN_FILE")
	}
	return filepath.Join(s.Home, ".config", "agentlore"), nil
}

// readToken returns the token in a file; "" where there is no file. It refuses one that others may read.
func readToken(file string) (string, error) {
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read your token: chmod 600 %s", file)
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// token returns the caller's token; "" where there is none.
func (s service) token() (string, error) {
	file, err := s.tokenFile()
	if err != nil {
		return "", err
	}
	return readToken(file)
}

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

// post sends a JSON body and returns the answer. It sends again, until ctx ends, what got no answer or may succeed later: so what is
// sent must be something that may be repeated. Errors: *Refusal.
func (s service) post(ctx context.Context, path, token string, body []byte, headers ...string) ([]byte, error) {
	for wait := firstWait; ; wait *= 2 {
		answer, err := s.send(ctx, path, token, body, headers)
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

// send posts one body and returns the answer. Errors: *Refusal.
func (s service) send(ctx context.Context, path, token string, body []byte, headers []string) ([]byte, error) {
	headers = append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, headers...)
	if token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	answer, err := s.open(ctx, http.MethodPost, path, bytes.NewReader(body), headers)
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
