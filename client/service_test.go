package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The client keeps its token in the settings folder that the environment names. An agent may run as root on behalf of
// another user, and root's own folder would be the wrong place.
func TestTheTokenIsWhereTheEnvironmentSays(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":"1","api_token":"kept"}`)
	}))
	t.Cleanup(service.Close)
	host := url.QueryEscape(service.URL)
	home, settings := t.TempDir(), t.TempDir()
	for _, test := range []struct{ xdg, flag, want string }{
		{"", "", filepath.Join(home, ".config", "agentlore", host, "a.token")},
		{settings, "", filepath.Join(settings, "agentlore", host, "a.token")},
		{settings, "--profile=b/../c", filepath.Join(settings, "agentlore", host, "b%2F..%2Fc.token")},
		{settings, "--token-file=~/tokens/mine", filepath.Join(home, "tokens", "mine")},
	} {
		t.Setenv("HOME", home)
		t.Setenv("XDG_CONFIG_HOME", test.xdg)
		args := []string{"register", "a", "--owner=b", "--url=" + service.URL}
		if test.flag != "" {
			args = append(args, test.flag)
		}
		var said strings.Builder
		if status := Run(t.Context(), new(Commands), "", args, Console{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said}); status != 0 {
			t.Errorf("%+v: status %d: %s", test, status, said.String())
		}
		if kept, err := os.ReadFile(test.want); err != nil || string(kept) != "kept\n" {
			t.Errorf("%+v: %q, %v", test, kept, err)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "not/absolute")
	var said strings.Builder
	if status := Run(t.Context(), new(Commands), "", []string{"register", "a", "--owner=b", "--url=" + service.URL}, Console{Stdout: &said, Stderr: &said}); status != 1 || !strings.Contains(said.String(), "AGENTLORE_TOKEN_FILE") {
		t.Errorf("without a home: status %d: %s", status, said.String())
	}
}

// No agent speaks as another one that registered on the same machine: where several did, a command that speaks refuses
// until it is told which one it is. What needs no token works, without one.
func TestNoAgentSpeaksAsAnother(t *testing.T) {
	var sent []string // tokens
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.URL.Path+" "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		var named struct {
			Name string `json:"name"`
		}
		_ = json.NewDecoder(r.Body).Decode(&named)
		if r.URL.Path == "/mcp" {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":"1","verdict":"known","problem":{"id":"2"},"api_token":"token of %s"}`, named.Name)
	}))
	t.Cleanup(service.Close)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	do := func(want int, stdin string, args ...string) string {
		t.Helper()
		var said strings.Builder
		console := Console{Stdin: strings.NewReader(stdin), Stdout: &said, Stderr: &said}
		if status := Run(t.Context(), new(Commands), "", append(args, "--url="+service.URL), console); status != want {
			t.Errorf("%v: status %d: %s", args, status, said.String())
		}
		return said.String()
	}
	last := func(want string) {
		t.Helper()
		if got := sent[len(sent)-1]; got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
	}
	outcome := []string{"outcome", "01a1fb67-1800-8116-8f2a-2f6a201e6cb9", "worked"}
	do(0, "", "register", "ann", "--owner=x")
	do(0, "", outcome...)
	last("/intake/outcome token of ann")

	do(0, "", "register", "bob", "--owner=x")
	last("/intake/register ")
	before := len(sent)
	if said := do(1, "", outcome...); len(sent) != before || !strings.Contains(said, "ann, bob") {
		t.Errorf("two agents, and %d requests; said %q", len(sent)-before, said)
	}
	do(0, "", append(outcome, "--profile=bob")...)
	last("/intake/outcome token of bob")
	t.Setenv("AGENTLORE_PROFILE", "ann")
	do(0, "", outcome...)
	last("/intake/outcome token of ann")
	do(1, "", append(outcome, "--profile=cyd")...)
	do(0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit"}}`+"\n", "mcp")
	last("/mcp token of ann")
	do(0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"register"}}`+"\n", "mcp")
	last("/mcp ") // or the new agent would count as one with ann

	t.Setenv("AGENTLORE_PROFILE", "")
	do(0, "", "ask", "x")
	last("/ask ")
	do(0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit"}}`+"\n", "mcp")
	last("/mcp ")
}

// Each service has a folder of its own, however alike the addresses are, and signs in them mean nothing.
func TestAFolderIsOfOneService(t *testing.T) {
	folders := map[string]bool{}
	for _, address := range []string{"http://h/a/b", "http://h/a_b", "https://h/a/b", "http://[::1]:8080"} {
		s := service{Address: Address{URL: address}, Folder: t.TempDir()}
		folder, err := s.profiles()
		if err != nil {
			t.Fatal(err)
		}
		folders[filepath.Base(folder)] = true
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "a.token"), []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := s.token(); err != nil || token != "kept" {
			t.Errorf("%s: the token is %q, %v", address, token, err)
		}
	}
	if len(folders) != 4 {
		t.Errorf("four services have the folders %v", folders)
	}
}
