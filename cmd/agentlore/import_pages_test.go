package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"agentlore/enginetest"
)

// pagesOf writes a folder of pages, by name.
func pagesOf(t *testing.T, folder string, pages map[string]string) string {
	t.Helper()
	for name, text := range pages {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// fixPage is a page with one entry.
const fixPage = "# Lane stops\n\nError: LaneStoppedError: lane 4 stopped\n\n## Fix\n\nRun `qorvex lane start`.\n"

// What a heading or a name of a page holds is scrubbed in the entry's address too, in the store and in the report of
// the import.
func TestAnAddressOfAPageIsScrubbed(t *testing.T) {
	t.Parallel()
	alice := "alice.smith" + "@" + "corp.example"
	folder := pagesOf(t, filepath.Join(t.TempDir(), "rb"), map[string]string{
		"a.md":                       "# Lanes\n\n### Call " + alice + "\n\n#### Fix\n\nCall her.\n",
		"bob" + "@" + "corp.test.md": fixPage,
	})
	chosenIn := filepath.Join(t.TempDir(), "chosen.jsonl")
	status, stdout, stderr := run(t, "import", "--format=markdown", "--dry-run", "--report="+chosenIn, folder)
	text, err := os.ReadFile(chosenIn)
	if status != 0 || err != nil || !strings.Contains(string(text), `"runbooks/rb/a.md#1"`) {
		t.Errorf("status %d, %v: %s%s%s", status, err, stdout, stderr, text)
	}
	for _, raw := range []string{"alice", "bob"} {
		if strings.Contains(stdout+stderr+string(text), raw) {
			t.Errorf("it names %s: %s%s%s", raw, stdout, stderr, text)
		}
	}
}

// The name of a source is cut between two letters.
func TestTheSourceOfALongProject(t *testing.T) {
	t.Parallel()
	for length := range 4 {
		run := threadImport{importCommand: &importCommand{Format: "markdown"}}
		long := strings.Repeat("x", length) + strings.Repeat("界", 40)
		name, other := run.sourceOf(long), run.sourceOf(long+"界")
		if !utf8.ValidString(name) || len(name) > maxSourceName || name == other {
			t.Errorf("the source is %q, %q", name, other)
		}
	}
}

// What is stored under another address than that of its file, since the scrubber changed it, isn't taken for gone; and
// neither is what the import refuses.
func TestWhatIsListedIsNotPruned(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	folder := filepath.Join(t.TempDir(), "rb")
	pages := map[string]string{"ops" + "@" + "node.md": fixPage, "b.md": fixPage, "c.md": fixPage}
	imports := func(want string) {
		t.Helper()
		args := []string{"import", "--format=markdown", "--prune", "--who=dana", pagesOf(t, folder, pages)}
		if printed := lever(t, prefix, args...); !strings.Contains(printed, want) {
			t.Errorf("the import says %s, want %q", printed, want)
		}
	}
	imports("no more: 0\n")
	imports("0 stored, 0 changed, 3 known already, 0 refused; approved: 0\nwithdrawn, since they are listed no more: 0\n")
	pages["b.md"] = strings.ReplaceAll(fixPage, "lane 4", "lane \x00")
	imports("1 refused; approved: 0\nwithdrawn, since they are listed no more: 0\n")
	pages["c.md"] = "# Nothing\n"
	imports("no more: 1\n")
	// Of a scrubbed address, other words are another report.
	pages["ops"+"@"+"node.md"] = strings.ReplaceAll(fixPage, "lane 4", "lane 5")
	imports("1 stored, 0 changed, 0 known already, 1 refused; approved: 0\n" +
		"  scrubbed email: 1\nwithdrawn, since they are listed no more: 1\n")
}

// Flags that would do nothing are refused.
func TestFlagsThatAnImportIgnoresAreRefused(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--vouch":     {"--format=github", "--vouch", "issues.json"},
		"--reference": {"--reference", "--format=github"},
	} {
		args = append([]string{"import", "--elasticsearch-url=http://127.0.0.1:1"}, args...)
		if status, stdout, stderr := run(t, args...); status != 2 || !strings.Contains(stderr, want+" ") {
			t.Errorf("%v: status %d, %s%s", args, status, stdout, stderr)
		}
	}
}
