package tracker

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// read returns the threads of files, by the last part of their addresses.
func read(t *testing.T, listing Listing) (map[string]Thread, Extent) {
	t.Helper()
	threads := map[string]Thread{}
	extent, err := listing.Each(func(thread Thread) error {
		threads[thread.Address[strings.LastIndexByte(thread.Address, '/')+1:]] = thread
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return threads, extent
}

// githubFiles are those of an issue tracker, comments first.
func githubFiles() []string {
	return []string{
		filepath.Join("testdata", "github", "comments-2.json"), filepath.Join("testdata", "github", "issues.json"),
		filepath.Join("testdata", "github", "comments-1.json"),
	}
}

// Of the ten forms that threads have, and their neighbours, what is taken is what solved it, by whom, or nothing.
func TestWhatSolvedAThread(t *testing.T) {
	t.Parallel()
	threads, _ := read(t, Listing{Format: GitHub, Files: githubFiles()})
	for _, c := range []struct {
		number, form string
		kind         Kind
		says         string // part of the resolution
		silent       string // no part of it
		vouched      bool
	}{
		{"41", "closed by a change", Merged, "reads it from the lane contract", "Fixes #41", true},
		{"42", "closed by an answer", Closing, "Set `lane.window`", "RPC quota", true},
		{"43", "closed by the asker", Confirmed, "--root finalized", "That worked", true},
		{"44", "duplicate", None, "", "", false},
		{"45", "stale bot", None, "", "", false},
		{"46", "false helpers", None, "", "", false},
		{"47", "not a bug, and what to do", Closing, "haltLane(laneId)", "", true},
		{"48", "not a bug", None, "", "", false},
		{"49", "translated by a bot", Closing, "quorum = 3`", "9.9.9", true},
		{"50", "long log", Closing, `attestations.snapshot = "online"`, "", true},
		{"51", "several fixes over versions", Closing, "2.4.2", "Redis", true},
		{"52", "the asker's own solution", OwnAnswer, "--gas-margin 1.3", "", false},
		{"53", "thanks alone", None, "", "", false},
		{"54", "denied after the closing", None, "", "", false},
		{"55", "works, nobody knows why", None, "", "", false},
		{"58", "a maintainer names the change", Merged, "the quote rounds up", "", true},
	} {
		choice := Choose(threads[c.number])
		if choice.Kind != c.kind || choice.Vouched() != c.vouched {
			t.Errorf(
				"%s: %q (%s), vouched %t; want %q, %t",
				c.form,
				choice.Kind,
				choice.Why,
				choice.Vouched(),
				c.kind,
				c.vouched,
			)
			continue
		}
		if !strings.Contains(choice.Text, c.says) || c.silent != "" && strings.Contains(choice.Text, c.silent) ||
			choice.Why == "" {
			t.Errorf("%s: taken is %q", c.form, choice.Text)
		}
	}
	if got := Choose(threads["46"]).Refused; got != (Refused{FalseHelp: 3}) {
		t.Errorf("of the false helpers' thread refused are %+v", got)
	}
	if got := Choose(threads["41"]).Refused; got != (Refused{Bots: 1, Agreements: 1}) {
		t.Errorf("of the change's thread refused are %+v", got)
	}
}

// Whose words count depends on who says them, to whom, and what is said afterwards.
func TestWhoseWordsCount(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	asker, maintainer := Person{Handle: "asks"}, Person{Handle: "keeps", Role: Maintainer}
	one, two, three := Person{Handle: "one"}, Person{Handle: "two"}, Person{Handle: "three"}
	thread := func(closed bool, comments ...Comment) Thread {
		thread := Thread{
			Post:     Post{Title: "It stops"},
			Asker:    asker,
			Project:  "acme/qorvex",
			Closed:   closed,
			Comments: comments,
		}
		for i := range thread.Comments {
			thread.Comments[i].CreatedAt = at.Add(time.Duration(i) * time.Minute)
		}
		thread.ClosedAt = at.Add(time.Duration(len(comments)) * time.Minute)
		return thread
	}
	say := func(by Person, body string) Comment { return Comment{Post: Post{Body: body}, Author: by} }
	accept := func(c Comment) Comment { c.Accepted = true; return c }
	change := func(by Person) Thread {
		thread := thread(true)
		thread.Changes = []Change{
			{Post: Post{Title: "lane: wait for the lock"}, Name: "acme/qorvex#9", Author: by, MergedAt: at},
		}
		return thread
	}
	for form, c := range map[string]struct {
		thread  Thread
		kind    Kind
		says    string
		vouched bool
	}{
		"two others deny what a maintainer said": {thread(true, say(maintainer, "Set `a = 1`."), say(one, "It does not work for me."), say(two, "Still the same error here.")), None, "", false},
		"one other denies it":                    {thread(true, say(maintainer, "Set `a = 1`."), say(one, "It does not work for me.")), Closing, "a = 1", true},
		"the asker names whom they mean":         {thread(true, say(one, "Set `a = 1`."), say(two, "Set `b = 2`."), say(asker, "@one that worked, thanks")), Confirmed, "a = 1", true},
		"the asker may mean either":              {thread(true, say(one, "Set `a = 1`."), say(two, "Set `b = 2`."), say(asker, "That worked, thanks")), Confirmed, "b = 2", false},
		"thanks behind a false helper":           {thread(false, say(one, "Set `a = 1`."), say(two, "Sync your wallet at t.me/xyz"), say(asker, "That worked, thanks")), None, "", false},
		"the asker confirms, then takes it back": {thread(false, say(one, "Set `a = 1`."), say(asker, "That worked, thanks"), say(asker, "Sorry, it still fails.")), None, "", false},
		"an accepted answer":                     {thread(true, say(one, "Set `a = 1`."), accept(say(two, "Set `b = 2`."))), Accepted, "b = 2", true},
		"an accepted answer of one's own":        {thread(true, accept(say(asker, "Set `c = 3`."))), OwnAnswer, "c = 3", false},
		"an accepted answer that lures":          {thread(true, accept(say(two, "Write to support on Telegram, set `b = 2`."))), None, "", false},
		"a maintainer who invites to the chat":   {thread(true, say(maintainer, "Set `a = 1`.\nJoin us on Telegram: t.me/qorvex")), Closing, "a = 1", true},
		"a maintainer's workaround, still open":  {thread(false, say(maintainer, "Workaround: set `a = 1` until 2.0 is out."), say(three, "+1")), Workaround, "a = 1", true},
		"a stranger's advice":                    {thread(true, say(one, "Set `a = 1`."), say(maintainer, "Closing.")), None, "", false},
		"the asker tells what of their own worked": {thread(true, say(one, "Set `a = 1`."),
			say(asker, "Thanks, I fixed it. The cause was the cache, I set `c = 3` and that solved it.")), OwnAnswer, "c = 3", false},
		"a maintainer answers by code alone": {thread(true, say(maintainer, "```sh\nlane release --all\n```")),
			Closing, "lane release", true},
		"a maintainer pastes a log alone": {thread(true, say(maintainer, "```\n12:00:01 ERROR lane: could not start\n```")),
			None, "", false},
		"the asker means code alone": {thread(true, say(one, "```sh\nlane release --all\n```"), say(asker, "That worked!")),
			Confirmed, "lane release", true},
		"a maintainer's change": {change(maintainer), Merged, "wait for the lock", true},
		"a stranger's change":   {change(one), Merged, "wait for the lock", false},
		"a program's change":    {change(Person{Handle: "dependabot[bot]", Bot: true}), None, "", false},
	} {
		choice := Choose(c.thread)
		if choice.Kind != c.kind || choice.Vouched() != c.vouched || !strings.Contains(choice.Text, c.says) ||
			strings.Contains(choice.Text, "t.me") {
			t.Errorf("%s: %q, vouched %t, %q", form, choice.Kind, choice.Vouched(), choice.Text)
		}
	}
}
