package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agentlore/ask"
	"agentlore/client"
	"agentlore/enginetest"
)

// A script registers, asks, reports an outcome and submits a report, and reads the results from exit statuses. Its token is in a file that
// only its user can read, and is not printed.
func TestTheClient(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	if status, _, stderr := run(t, append([]string{"import", "--reference"}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, prefix)
	file := filepath.Join(t.TempDir(), "new", "token")
	do := func(stdin string, want int, args ...string) string {
		t.Helper()
		var out, errs text
		args = append(args, "--url="+s.base, "--token-file="+file)
		if got := client.Execute(t.Context(), args, client.Console{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs}); got != want {
			t.Fatalf("%v: exit status %d, want %d: %s%s", args, got, want, out.String(), errs.String())
		}
		return out.String() + errs.String()
	}
	if got := do("", 1, "submit", "--summary=too early"); !strings.Contains(got, "agentlore register") {
		t.Errorf("without a token: %s", got)
	}
	printed := do("", 0, "register", "client"+prefix, "--owner=ann")
	info, err := os.Stat(file)
	token, _ := os.ReadFile(file)
	if err != nil || info.Mode().Perm() != 0o600 || strings.Contains(printed, strings.TrimSpace(string(token))) {
		t.Fatalf("the token file: %v %v; printed %q", info.Mode(), err, printed)
	}
	do("", 1, "register", "other"+prefix, "--owner=ann") // one token is not written over another

	log := strings.Repeat("INFO block imported\n", 2000) + "\x00FailedOp(0, \"AA25 invalid account nonce\")\n"
	var answer ask.Answer
	if err := json.Unmarshal([]byte(do(log, 0, "ask", "--json")), &answer); err != nil || answer.Verdict != ask.Known {
		t.Fatalf("a known error in a long log: %+v %v", answer, err)
	}
	if got := do("", 0, "ask", "AA25 invalid account nonce"); !strings.Contains(got, "getNonce") || strings.Contains(got, "{\"verdict") {
		t.Errorf("for people: %s", got)
	}
	do("", 4, "ask", "LunarVaultV7 reverted with InvalidMoonPhase(uint8 phase)")
	do("", 0, "outcome", answer.Problem.ID, "worked", "--note=v0.7")
	report := []string{"submit", "--summary=LunarVaultV7 reverts with InvalidMoonPhase", "--content=-", "--resolution=Redeem at full moon.", "--json"}
	id := func(printed string) string {
		var stored struct{ ID string }
		if json.Unmarshal([]byte(printed), &stored) != nil || stored.ID == "" {
			t.Fatalf("stored: %s", printed)
		}
		return stored.ID
	}
	first := id(do("phase 3", 0, report...))
	if again := id(do("phase 3", 0, report...)); again != first {
		t.Errorf("said again it is %s, not %s", again, first)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	do("", 1, "ask", "x")
}

// An MCP client over standard input and output gets the service's own tools; a call is refused and answered as over HTTP; a redirect
// elsewhere is not followed with the token.
func TestTheClientAsMCPBridge(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	a := s.register(t, "bridged"+enginetest.NewPrefix())
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(a.token), 0o600); err != nil {
		t.Fatal(err)
	}
	fromAgent, toBridge := io.Pipe()
	fromBridge, toAgent := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- client.Execute(t.Context(), []string{"mcp", "--url=" + s.base, "--token-file=" + file}, client.Console{Stdin: fromAgent, Stdout: toAgent, Stderr: io.Discard})
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: fromBridge, Writer: toBridge}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) < 8 {
		t.Fatalf("tools: %v %v", tools, err)
	}
	call := func(name string, arguments any) *sdk.CallToolResult {
		t.Helper()
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if got := call("submit", observation("Bridged over standard output "+a.id)); got.IsError {
		t.Errorf("submit: %v", got.Content[0])
	}
	if got := call("submit", map[string]any{"summary": ""}); !got.IsError {
		t.Errorf("an empty report: %v", got.Content[0])
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if status := <-ended; status != 0 {
		t.Errorf("the bridge ended with %d", status)
	}

	reached := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer elsewhere.Close()
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer redirecting.Close()
	var out text
	status := client.Execute(t.Context(), []string{"ask", "x", "--url=" + redirecting.URL, "--token-file=" + file}, client.Console{Stdout: &out, Stderr: &out})
	if status != 1 || reached {
		t.Errorf("redirected: exit status %d, reached: %v: %s", status, reached, out.String())
	}
}
