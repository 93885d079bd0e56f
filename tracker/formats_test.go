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

// What a tracker shows to members alone is never taken: notes and issues of GitLab that are internal or confidential,
// whispers, hidden posts and messages of Discourse, and what GitHub hides. No thread lacks them.
func TestPrivateTextIsNeverTaken(t *testing.T) {
	t.Parallel()
	for form, c := range map[string]struct {
		listing  Listing
		threads  int
		private  int
		comments int
	}{
		"gitlab": {Listing{Format: GitLab, Files: files(t,
			`[{"id": 71, "iid": 1, "title": "Lane stops", "description": "open", "state": "closed", "user_notes_count": 2,
				"web_url": "https://git.example/acme/lanes/-/issues/1"},
			  {"id": 72, "iid": 2, "title": "secret lane", "description": "secret", "state": "closed", "confidential": true,
				"web_url": "https://git.example/acme/lanes/-/issues/2"}]`,
			`[{"id": 1, "body": "Set a = 1.", "noteable_type": "Issue", "noteable_id": 71},
			  {"id": 2, "body": "secret: set b = 2.", "noteable_type": "Issue", "noteable_id": 71, "internal": true}]`,
			`{"complete": true, "threads": 2}`,
		)}, 1, 1, 1},
		"discourse": {Listing{Format: Discourse, Project: "forum.example", Files: files(t,
			`{"id": 1, "title": "Lane stops", "posts_count": 4, "post_stream": {"posts": [
				{"post_number": 1, "username": "asks", "raw": "open"}, {"post_number": 2, "username": "one", "raw": "Set a = 1."},
				{"post_number": 3, "username": "keeps", "raw": "secret", "post_type": 4},
				{"post_number": 4, "username": "two", "raw": "secret", "hidden": true}]}}`,
			`{"id": 2, "title": "secret", "archetype": "private_message", "posts_count": 1, "post_stream": {"posts": [
				{"post_number": 1, "username": "asks", "raw": "secret"}]}}`,
			`{"id": 3, "title": "Cheap lanes", "posts_count": 1, "post_stream": {"posts": [
				{"post_number": 1, "username": "asks", "raw": "secret", "hidden": true}]}}`,
			`{"complete": true, "threads": 3}`,
		)}, 1, 2, 1},
		"github": {Listing{Format: GitHub, Project: "acme/qorvex", Files: files(t,
			`[{"number": 1, "title": "Lane stops", "body": "open", "url": "https://github.com/acme/qorvex/issues/1",
				"comments": [{"id": "a", "body": "Set a = 1."}, {"id": "b", "body": "secret", "isMinimized": true}]}]`,
			`{"complete": true, "threads": 1}`,
		)}, 1, 0, 1},
	} {
		threads, extent := read(t, c.listing)
		if len(threads) != c.threads || extent.Private != c.private || !extent.Complete {
			t.Errorf("%s: %d threads, %+v", form, len(threads), extent)
		}
		thread := threads["1"]
		if thread.Partial || len(thread.Comments) != c.comments {
			t.Errorf("%s: partial %t, %+v", form, thread.Partial, thread.Comments)
		}
		for _, comment := range thread.Comments {
			if strings.Contains(comment.Body+thread.Body, "secret") {
				t.Errorf("%s: %q is taken", form, comment.Body)
			}
		}
	}
}

// A runbook whose fix is still to be written has none, and one of which a part is, is to be read first.
func TestAFixThatIsToBeWritten(t *testing.T) {
	t.Parallel()
	for fix, want := range map[string]struct {
		kind    Kind
		vouched bool
	}{
		"Restart it by `lane restart`.":          {Page, true},
		"Restart the lane.":                      {Page, true},
		"TBD":                                    {None, false},
		"TODO: write this down":                  {None, false},
		"_tbd, Mara knows_":                      {None, false},
		"- ???":                                  {None, false},
		"n/a":                                    {None, false},
		"Unknown so far.":                        {None, false},
		"Ask Mara, she did it last time.":        {None, false},
		"To be written.":                         {None, false},
		"None known.":                            {None, false},
		"":                                       {None, false},
		"Run `lane restart`.\n\nTODO: and then?": {Page, false},
	} {
		var thread Thread
		err := eachEntry("ops", "a.md", "# Lane is full\n\n## Error\nfull\n\n## Fix\n"+fix+"\n", &Extent{},
			func(found Thread) error { thread = found; return nil })
		if choice := Choose(thread); err != nil || choice.Kind != want.kind || choice.Vouched() != want.vouched {
			t.Errorf("%q: %q, vouched %t (%s, %s)", fix, choice.Kind, choice.Vouched(), choice.Why, choice.Doubt)
		}
	}
}

// A change that says that it doesn't close an issue doesn't.
func TestWhatAChangeCloses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Fixes #5": "a/b#5", "closes: c/d#5": "c/d#5", "It resolves #5, fixes #6.": "a/b#5,a/b#6", "This doesn't fix #5.": "",
		"It does not yet close #5": "", "Partially fixes #5": "", "Part of #5": "", "won't fix #5, closes #6": "a/b#6",
		"Not only this: fixes #5": "a/b#5",
	} {
		if got := strings.Join(closedBy("a/b", text), ","); got != want {
			t.Errorf("%q closes %q, want %q", text, got, want)
		}
	}
}

// What is struck out is said no more, in HTML and in Markdown.
func TestStruckText(t *testing.T) {
	t.Parallel()
	if got := fromHTML("<p><s>Use <b>a</b>.</s> <del>Use b.</del></p><p>Use <code>c</code>.</p>"); got != "Use `c`." {
		t.Errorf("of HTML left is %q", got)
	}
	if got := resolutionText(Comment{Post: Post{Body: "~~Use a.~~ Use `c ~~d~~`.\n\n```\n~~e~~\n```"}}); strings.Contains(got, "Use a") ||
		!strings.Contains(got, "~~e~~") {
		t.Errorf("of Markdown left is %q", got)
	}
	if got := changeText(Change{Post: Post{Title: "Fix", Body: "It took two. Closes #5."}, Name: "a/b#6"}); got != "Change a/b#6: Fix\nIt took two." {
		t.Errorf("of a change left is %q", got)
	}
}

// An error that a page indents is a block of code too, though it begins the page's text.
func TestAnIndentedErrorOfAPage(t *testing.T) {
	t.Parallel()
	var thread Thread
	err := eachEntry("ops", "a.md", "# Lane\n\n## Symptom\n\n    lane slot is parked for 9s\n\n## Fix\nRun `lane free`.\n",
		&Extent{}, func(found Thread) error { thread = found; return nil })
	if got, _ := takeError(tidy(thread.Body)); err != nil || got != "lane slot is parked for 9s" {
		t.Errorf("%v: the error of %q is %q", err, thread.Body, got)
	}
}
