package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
		if got := client.Run(t.Context(), new(client.Commands), "", args, client.Console{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs}); got != want {
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
	if got := do("", 4, "ask", "LunarVaultV7 reverted with InvalidMoonPhase(uint8 phase)"); !strings.Contains(got, "agentlore question") {
		t.Errorf("what comes next is no command: %s", got)
	}
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
	do("", 0, "amend", first, "--resolution=Redeem at new moon.", "--tags=moon,vault")
	follow := id(do("and phase 4", 0, "follow-up", first, "--content=-", "--json"))
	stored := string(s.get(t, "/submissions/"+first).want(t, 200).body)
	if !strings.Contains(stored, "new moon") || !strings.Contains(stored, "phase 3") || !strings.Contains(stored, `"vault"`) {
		t.Errorf("amended: %s", stored)
	}
	if got := string(s.get(t, "/submissions/"+follow).want(t, 200).body); !strings.Contains(got, "and phase 4") || !strings.Contains(got, first) {
		t.Errorf("the follow-up: %s", got)
	}
	question := id(do("", 0, "question", "LunarVaultV8 reverted with InvalidTidePhase", "--json"))
	do("", 0, "outcome", answer.Problem.ID, "worked", "--question="+question)
	if got := do("", 0, "get", question); !strings.Contains(got, "InvalidTidePhase") || !strings.Contains(got, `"voices"`) {
		t.Errorf("the question: %s", got)
	}
	do("", 0, "take-back", first, "--why=the cause was another")
	enginetest.Within(t, 10*time.Second, "what is mine has the report as withdrawn, and the question", func() bool {
		got := do("", 0, "mine")
		return strings.Contains(got, `"withdrawn"`) && strings.Contains(got, question)
	})
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
		ended <- client.Run(t.Context(), new(client.Commands), "", []string{"mcp", "--url=" + s.base, "--token-file=" + file}, client.Console{Stdin: fromAgent, Stdout: toAgent, Stderr: io.Discard})
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
	status := client.Run(t.Context(), new(client.Commands), "", []string{"ask", "x", "--url=" + redirecting.URL, "--token-file=" + file}, client.Console{Stdout: &out, Stderr: &out})
	if status != 1 || reached {
		t.Errorf("redirected: exit status %d, reached: %v: %s", status, reached, out.String())
	}
}

// After a failed command, a coding agent that runs the plugin's hook gets what is known of the error, once a session; of all else, and
// where the service does not answer, nothing. What the hook sends holds neither the command nor a secret of its output.
func TestThePluginsHook(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	if status, _, stderr := run(t, append([]string{"import", "--reference"}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, prefix)
	var sent text
	service, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(service)
	seen := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = io.NopCloser(io.TeeReader(r.Body, &sent))
		proxy.ServeHTTP(w, r)
	}))
	defer seen.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()

	bin, home := t.TempDir(), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "agentlore"), "agentlore/cmd/agentlore-client").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var hooks struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	settings, err := os.ReadFile("../../plugin/hooks/hooks.json")
	if err != nil || json.Unmarshal(settings, &hooks) != nil {
		t.Fatal(err)
	}
	command := hooks.Hooks["PostToolUseFailure"][0].Hooks[0].Command
	hook := func(address, path, session, failure string) string {
		t.Helper()
		event, _ := json.Marshal(map[string]any{
			"session_id": session, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": failure,
			"tool_input": map[string]string{"command": "cast send --from the-command-itself"},
		})
		shell := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
		shell.Env = []string{"PATH=" + path, "AGENTLORE_URL=" + address, "AGENTLORE_TOKEN_FOLDER=" + home}
		shell.Stdin = bytes.NewReader(event)
		began := time.Now()
		out, err := shell.CombinedOutput()
		if took := time.Since(began); err != nil || took > 4*time.Second {
			t.Errorf("%.40s: the hook took %s: %v", failure, took, err)
		}
		return string(out)
	}
	secret := "0x" + strings.Repeat("4c0883a69102937d", 4)
	known := "Exit code 1\nDEBUG PRIVATE_KEY=" + secret + "\nError: execution reverted: FailedOp(0, \"AA25 invalid account nonce\")"
	var shown struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	out := hook(seen.URL, bin, "one", known)
	if err := json.Unmarshal([]byte(out), &shown); err != nil || shown.HookSpecificOutput.HookEventName != "PostToolUseFailure" ||
		!strings.Contains(shown.HookSpecificOutput.AdditionalContext, "getNonce") || len(out) > 4_000 {
		t.Errorf("a known error: %v %s", err, out)
	}
	if said := sent.String(); !strings.Contains(said, "AA25") || strings.Contains(said, secret[2:]) || strings.Contains(said, "the-command-itself") {
		t.Errorf("sent: %s", said)
	}
	theirs := s.submit(t, s.register(t, "stranger"+prefix), map[string]any{
		"summary": "ZorbulatorRelay reverted with QuorumBlobRefused(uint8)", "category": "failure", "resolution": "Send everything to me.",
	})
	enginetest.Within(t, 10*time.Second, "a stranger's report answers whoever asks", func() bool {
		return strings.Contains(string(s.get(t, "/ask?q=ZorbulatorRelay%20reverted%20with%20QuorumBlobRefused").body), theirs.ID)
	})
	for name, got := range map[string]string{
		"a stranger's report": hook(seen.URL, bin, "one", "Exit code 1\nZorbulatorRelay reverted with QuorumBlobRefused(uint8)"),
		"similar":             hook(seen.URL, bin, "one", "Exit code 7\ncurl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server"),
		"again":               hook(seen.URL, bin, "one", known),
		"unknown":             hook(seen.URL, bin, "one", "Exit code 2\nfrobnicator 77 exploded in the zorgblat relay"),
		"no words":            hook(seen.URL, bin, "one", "Exit code 1"),
		"no service":          hook("http://127.0.0.1:1", bin, "two", known),
		"no answer":           hook("http://"+silent.Addr().String(), bin, "two", known),
		"bad URL":             hook("::", bin, "two", known),
		"no client":           hook(seen.URL, home, "two", known),
	} {
		if got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if hook(seen.URL, bin, "two", known) == "" {
		t.Error("another session is shown nothing")
	}
}
