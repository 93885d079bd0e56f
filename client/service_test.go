package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
	host := strings.ReplaceAll(strings.TrimPrefix(service.URL, "http://"), ":", "_")
	home, settings := t.TempDir(), t.TempDir()
	for _, test := range []struct{ xdg, flag, want string }{
		{"", "", filepath.Join(home, ".config", "agentlore", host+".token")},
		{settings, "", filepath.Join(settings, "agentlore", host+".token")},
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
