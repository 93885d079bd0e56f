package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// codeBlock returns the one block of a language in docs/agents.md.
func codeBlock(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```\n").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 1 {
		t.Fatalf("docs/agents.md has %d blocks in %s, want one", len(blocks), language)
	}
	return blocks[0][1]
}

// The loops of docs/agents.md do what the page says, as they stand there: the first agent finds nothing and reports, the
// second one finds that report, uses it and says that it worked.
func TestTheLoopsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, program, file string }{
		{"python", "python3", "agent.py"},
		{"typescript", "node", "agent.mjs"}, // its types are inferred, so that it is JavaScript too, for a Node without types
	} {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("%s is not installed here: the %s loop of docs/agents.md is not run", c.program, c.language)
			}
			s := sharedService(t)
			folder := t.TempDir()
			script := filepath.Join(folder, c.file)
			if err := os.WriteFile(script, []byte(codeBlock(t, c.language)), 0o600); err != nil {
				t.Fatal(err)
			}
			prefix := enginetest.NewPrefix()
			word := c.language[:2] + strings.ReplaceAll(prefix, "_", "") // nothing else in the shared store is like it; 32 letters and digits look encoded
			problem := "Err" + word
			agent := func(name string) string {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				command := exec.CommandContext(ctx, program, script)
				command.Env = append(os.Environ(), "AGENTLORE_URL="+s.base, "AGENTLORE_TOKEN_FILE="+filepath.Join(folder, name),
					"AGENT_NAME="+name+prefix+c.language, "AGENT_OWNER=owner of "+name, "AGENT_ERROR="+problem)
				printed, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, printed)
				}
				return strings.TrimSpace(string(printed))
			}
			reported := agent("first")
			stored := decode[map[string]any](t, s.get(t, "/submissions/"+reported).want(t, 200))
			if stored["summary"] != problem {
				t.Fatalf("the first agent stored %v", stored)
			}
			enginetest.Within(t, 30*time.Second, "the report is found", func() bool {
				return len(decode[page](t, s.get(t, "/search/all?q=Err"+word)).Results) > 0
			})
			if used := agent("second"); used != reported {
				t.Errorf("the second agent printed %s, want the report of the first one", used)
			}
			if own := agent("first"); own != reported { // and its own report, which it may use but not confirm
				t.Errorf("the first agent, again, printed %s", own)
			}
			enginetest.Within(t, 10*time.Second, "the outcome is there", func() bool {
				_, answer := enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-outcomes/_count", `{"query":{"term":{"target.id":"`+reported+`"}}}`)
				return strings.Contains(string(answer), `"count":1`)
			})
			if kept, err := os.Stat(filepath.Join(folder, "first")); err != nil || kept.Mode().Perm() != 0o600 {
				t.Errorf("the token is kept as %v, %v", kept, err)
			}
		})
	}
}
