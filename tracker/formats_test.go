package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files writes texts to files of their own and returns their names.
func files(t *testing.T, texts ...string) (names []string) {
	t.Helper()
	folder := t.TempDir()
	for i, text := range texts {
		name := filepath.Join(folder, string(rune('a'+i))+".json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// An answer of /pulls names the issue that each pull request is: it is a change all the same, and no comment. A comment
// on a pull request is no change.
func TestPullRequestsAreChanges(t *testing.T) {
	t.Parallel()
	const api, web = "https://api.github.com/repos/acme/qorvex", "https://github.com/acme/qorvex"
	threads, extent := read(t, Listing{Format: GitHub, Files: files(t,
		`[{"id": 1, "number": 5, "title": "Lane drops its tail", "html_url": "`+web+`/issues/5", "state": "closed",
			"closed_at": "2026-02-03T10:00:00Z", "user": {"login": "asks"}, "comments": 0}]`,
		`[{"id": 2, "number": 9, "title": "lane: keep the tail", "body": "Fixes #5", "html_url": "`+web+`/pull/9",
			"issue_url": "`+api+`/issues/9", "head": {"ref": "x"}, "state": "closed",
			"merged_at": "2026-02-03T09:00:00Z", "author_association": "MEMBER", "user": {"login": "keeps"}}]`,
		`[{"id": 3, "body": "Nice!", "html_url": "`+web+`/pull/9#issuecomment-3", "issue_url": "`+api+`/issues/9",
			"user": {"login": "asks"}}]`,
	)})
	choice := Choose(threads["5"])
	if choice.Kind != Merged || !strings.Contains(choice.Text, "keep the tail") || !choice.Vouched() {
		t.Errorf("%+v: %+v", extent, choice)
	}
}
