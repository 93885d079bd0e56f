package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
)

// masked is how tests mask people.
func masked(handle string) string { return "person-" + strings.Repeat("x", len(handle)%7) }

// A report has the error as it was pasted, versions and labels, and of people no handle.
func TestAReportOfAThread(t *testing.T) {
	t.Parallel()
	threads, _ := read(t, Listing{Format: GitHub, Files: githubFiles()})
	o := Options{Source: "github:acme/qorvex", Ecosystem: "base", Mask: masked}
	report := func(number string) lore.SubmissionLine {
		thread := threads[number]
		return thread.Report(Choose(thread), o)
	}
	reorg := report("41")
	if reorg.Summary != "relayer stops with LaneCursorBehind after a reorg" || reorg.Ref != "https://github.com/acme/qorvex/issues/41" ||
		strings.Join(reorg.Tags, ",") != "bug,relayer" ||
		reorg.Ecosystem != "base" ||
		reorg.CreatedAt.Format(time.DateOnly) != "2026-01-10" {
		t.Errorf("the report is %+v", reorg)
	}
	if pasted := lore.PastedError(
		reorg.Content,
	); !strings.Contains(
		pasted,
		"LaneCursorBehindError: lane cursor 812 is behind checkpoint 815",
	) {
		t.Errorf("the error is %q of %q", pasted, reorg.Content)
	}
	if !strings.Contains(reorg.Content, "Versions: qorvex@2.3.1; fixed in qorvex@2.4.0") ||
		strings.Contains(reorg.Content, "searched for duplicates") {
		t.Errorf("the content is %q", reorg.Content)
	}
	long := report("50")
	if pasted := lore.PastedError(long.Content); !strings.Contains(pasted, "ERROR could not store attestation") ||
		!strings.Contains(pasted, "caused by: attestation store is read only") || len(pasted) > maxError {
		t.Errorf("of the long log kept are %d bytes: %q", len(pasted), pasted)
	}
	if line := report(
		"46",
	); lore.PastedError(line.Content) != "LANE_MESSAGE_PENDING" &&
		lore.PastedError(line.Content) != "" {
		t.Errorf("a name in a sentence became %q", line.Content)
	}
	for number, thread := range threads {
		line := report(number)
		for _, handle := range thread.handles() {
			if strings.Contains(line.Summary+line.Content+line.Resolution+strings.Join(line.Tags, " "), handle) {
				t.Errorf("the report of %s names %s", number, handle)
			}
		}
	}
}

// People are masked where they are meant, and code stays as it is.
func TestPeopleAreMasked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"@alice-b see #7":                             "P see #7",
		"npm i @acme/sdk@1.2.3":                       "npm i @acme/sdk@1.2.3",
		"thanks Alice, it works":                      "thanks P, it works",
		"/// @dev reverts, @notice for @zoe":          "/// @dev reverts, @notice for P",
		"the alice module":                            "the alice module",
		"see https://forum.example/u/alice/summary":   "see https://forum.example/u/P",
		"```\n@Injectable() alice\n```\nby alice":     "```\n@Injectable() alice\n```\nby P",
		"mail bob" + "@" + "example.org":              "mail bob" + "@" + "example.org",
		"as fox-77 said, github.com/alice/lane works": "as P said, github.com/P/lane works",
	} {
		if got := withoutPeople(text, []string{"alice", "fox-77"}, func(string) string { return "P" }); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Each format says the same of the same thread: its asker, its error, its resolution, whose word that is.
func TestFormatsAreRead(t *testing.T) {
	t.Parallel()
	file := func(parts ...string) string { return filepath.Join(append([]string{"testdata"}, parts...)...) }
	for _, c := range []struct {
		listing  Listing
		threads  int
		complete bool
		last     string
		want     string // of its address
		kind     Kind
		says     string
		project  string
	}{
		{Listing{Format: GitHub, Files: []string{file("github", "gh.json")}, Project: "acme/qorvex"}, 1, false, "61", "https://github.com/acme/qorvex/issues/61", Closing, "`lane.retries = 0`", "acme/qorvex"},
		{Listing{Format: GitLab, Files: []string{file("gitlab", "notes.json"), file("gitlab", "issues.json"), file("gitlab", "others.json")}}, 2, true, "7", "https://git.acme.example/infra/lanes/-/issues/7", Closing, "`--batch 20`", "infra/lanes"},
		{Listing{Format: StackExchange, Files: []string{file("stackexchange", "Posts.xml")}, Project: "bridges.acme.example"}, 2, true, "5", "https://bridges.acme.example/questions/5", Accepted, "registerToken(token)", "bridges.acme.example"},
		{Listing{Format: Discourse, Files: []string{file("discourse", "posts.json"), file("discourse", "topic.json")}, Project: "forum.acme.example"}, 1, false, "310", "https://forum.acme.example/t/310", Accepted, "sequencer = \"wait\"", "forum.acme.example"},
		{Listing{Format: Markdown, Files: []string{file("runbooks")}, Project: "acme-ops"}, 3, true, "signer.md", "runbooks/acme-ops/signer.md", Page, "qorvex signer resync", "acme-ops"},
	} {
		threads, extent := read(t, c.listing)
		thread, there := threads[c.last]
		if !there || extent.Threads != c.threads || extent.Complete != c.complete {
			t.Errorf("%s: %+v, threads %v", c.listing.Format, extent, threads)
			continue
		}
		choice := Choose(thread)
		if thread.Address != c.want || thread.Project != c.project || choice.Kind != c.kind ||
			!strings.Contains(choice.Text, c.says) ||
			!choice.Vouched() {
			t.Errorf("%s: %s of %s, %q: %q", c.listing.Format, thread.Address, thread.Project, choice.Kind, choice.Text)
		}
		line := thread.Report(choice, Options{Source: "s", Mask: masked})
		if lore.PastedError(line.Content) == "" {
			t.Errorf("%s: no error in %q", c.listing.Format, line.Content)
		}
	}
}

// A runbook's page holds several entries, each under its heading; a page without a fix is none, and neither is a draft.
func TestEntriesOfAPage(t *testing.T) {
	t.Parallel()
	threads := map[string]Thread{}
	listing := Listing{Format: Markdown, Files: []string{filepath.Join("testdata", "runbooks")}, Project: "acme-ops"}
	extent, err := listing.Each(func(thread Thread) error {
		thread.Anchor(thread.Heading)
		threads[strings.TrimPrefix(thread.Address, "runbooks/acme-ops/")] = thread
		return nil
	})
	if err != nil || extent.Skipped != 1 || len(threads) != 3 {
		t.Fatalf("%+v, %v, %v", extent, threads, err)
	}
	full, paused := threads["lanes.md#lane-is-full"], threads["lanes.md#lane-is-paused"]
	if full.Title != "Lane is full" || !strings.Contains(full.Page, "qorvex lane drain") ||
		strings.Contains(full.Page, "resumeLane") ||
		full.Ecosystem != "base" {
		t.Errorf("the first entry is %+v", full)
	}
	if paused.Title != "Lane is paused" || !strings.Contains(paused.Body, "Cause: ") ||
		!strings.Contains(paused.Page, "resumeLane") ||
		len(paused.Labels) != 2 {
		t.Errorf("the second entry is %+v", paused)
	}
}

// A listing that has fewer threads than its own statement says is refused: what is missing would be taken for deleted.
func TestAShortListingIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	short := filepath.Join(folder, "complete.json")
	for text, want := range map[string]string{
		`{"complete": true, "threads": 99}`: "fewer threads", `{"complete": true, "threads": 16}`: "", `[{"number": 1, "title": "cut`: "no JSON",
	} {
		if err := os.WriteFile(short, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		extent, err := Listing{
			Format: GitHub,
			Files:  append(githubFiles(), short),
		}.Each(
			func(Thread) error { return nil },
		)
		if want == "" && (err != nil || !extent.Complete) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", text, extent, err)
		}
	}
}

// Files of several days stand side by side: the later state of an issue and of a comment counts. A thread of which
// comments are missing says so, since its resolution may be among them.
func TestLaterStatesCount(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "later.json")
	later := `[{"id": 9003, "issue_url": "https://api.github.com/repos/acme/qorvex/issues/42", "body": "an older state", "updated_at": "2026-01-01T00:00:00Z"},
		{"number": 42, "title": "Later title", "html_url": "https://github.com/acme/qorvex/issues/42", "state": "closed", "closed_at": "2026-01-15T12:05:00Z",
		"updated_at": "2026-06-01T00:00:00Z", "comments": 2, "user": {"login": "pieter88"}},
		{"id": 9004, "issue_url": "https://api.github.com/repos/acme/qorvex/issues/42", "body": "Set the window to 512.", "created_at": "2026-01-15T12:00:00Z",
		"updated_at": "2026-06-01T00:00:00Z", "author_association": "MEMBER", "user": {"login": "ilse-dev"}}]`
	if err := os.WriteFile(file, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	threads, extent := read(t, Listing{Format: GitHub, Files: append([]string{file}, githubFiles()...)})
	thread := threads["42"]
	if choice := Choose(
		thread,
	); extent.Threads != 16 || thread.Title != "Later title" || len(thread.Comments) != 2 || choice.Text != "Set the window to 512." ||
		thread.Partial {
		t.Errorf("%+v, %q, %+v", extent, choice.Text, thread)
	}
	threads, _ = read(t, Listing{Format: GitHub, Files: githubFiles()[:2]})
	if !threads["41"].Partial || threads["55"].Partial {
		t.Errorf("missing comments: %t of 41, %t of 55", threads["41"].Partial, threads["55"].Partial)
	}
}

// The error of a thread is what it pasted: what says so by its words, the block under a heading that says it, or else
// the only block of code. Commands, settings and programs are none.
func TestTheErrorThatWasPasted(t *testing.T) {
	t.Parallel()
	block := func(lines string) string { return "```\n" + lines + "\n```" }
	for body, want := range map[string]string{
		"It stops:\n\n" + block("lane slot is parked (slot=2)"):                                         "lane slot is parked (slot=2)",
		"It stops.\n\n    lane slot is parked (slot=2)\n\nWhy?":                                         "lane slot is parked (slot=2)",
		"`lane: slot 2 is parked`, and I want it back.":                                                 "lane: slot 2 is parked",
		"I run\n" + block("$ lane start") + "\nand nothing happens.":                                    "",
		"I run\n" + block("lane start --fast") + "\nand nothing happens.":                               "",
		"My settings:\n" + block("window = 3\nretries: 4"):                                              "",
		"My code:\n" + block("const lane = await open(\"a\");"):                                         "",
		"My code:\n```js\nopen()\n```":                                                                  "",
		"Two:\n" + block("lane slot is parked") + "\nand\n" + block("lane slot is open"):                "",
		"### Config\n" + block("lane slot is open") + "\n### Error\n" + block("lane slot is parked"):    "lane slot is parked",
		"### Logs\n\n" + block("lane slot is parked") + "\n\n### Steps\n\n" + block("./lane start now"): "lane slot is parked",
	} {
		if got, _ := takeError(body); got != want {
			t.Errorf("of %q taken is %q, want %q", body, got, want)
		}
	}
}

// Of a thread without a resolution the import's report shows what comes nearest, without people's handles.
func TestWhatComesNearest(t *testing.T) {
	t.Parallel()
	asker, helper := Person{Handle: "asks"}, Person{Handle: "fox-77"}
	thread := Thread{Asker: asker, Closed: true, Comments: []Comment{
		{Post: Post{Body: "Set `lane.wait = 9`, says @fox-77."}, Author: helper, CreatedAt: time.Unix(1, 0)},
		{Post: Post{Body: "+1"}, Author: Person{Handle: "two"}, CreatedAt: time.Unix(2, 0)},
		{Post: Post{Body: "Sync your wallet at t.me/lane"}, Author: Person{Handle: "three"}, CreatedAt: time.Unix(3, 0)},
	}}
	choice := Choose(thread)
	mask := func(string) string { return "P" }
	if got := thread.Excerpt(choice.Nearest, mask); choice.Kind != None || got != "Set `lane.wait = 9`, says P." {
		t.Errorf("%+v: %q", choice, got)
	}
	if got := thread.Excerpt(strings.Repeat("long ", 99), mask); len([]rune(got)) > maxExcerpt {
		t.Errorf("an excerpt has %d characters", len([]rune(got)))
	}
}
