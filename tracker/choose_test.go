package tracker

import (
	"path/filepath"
	"strings"
	"testing"
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
	} {
		choice := Choose(threads[c.number])
		if choice.Kind != c.kind || choice.Vouched() != c.vouched {
			t.Errorf("%s: %q (%s), vouched %t; want %q, %t", c.form, choice.Kind, choice.Why, choice.Vouched(), c.kind, c.vouched)
			continue
		}
		if !strings.Contains(choice.Text, c.says) || c.silent != "" && strings.Contains(choice.Text, c.silent) || choice.Why == "" {
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
