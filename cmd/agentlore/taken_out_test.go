package main

import (
	"fmt"
	"regexp"
	"testing"

	"agentlore/ask"
	"agentlore/enginetest"
	"agentlore/reference"
)

// frames are how programs print an error, and people paste it.
var frames = []string{
	"Error: %s",
	"%s",
	"Since yesterday our service fails with this when it sends a transaction:\n\n%s\n\nWhat can I do?",
	`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"%s"}}`,
	"2026-02-11T09:14:33.120Z ERROR worker[2] job 7131 failed: %s\n2026-02-11T09:14:33.121Z INFO worker[2] retry in 30s",
	"Error: %s\n    at processTicksAndRejections (node:internal/process/task_queues:95:5)\n    at async main (/app/src/index.ts:41:17)",
	"Traceback (most recent call last):\n  File \"/app/main.py\", line 31, in <module>\n    run()\nException: %s",
	"thread 'main' panicked at src/main.rs:55:10\nCaused by:\n    0: request failed\n    1: %s",
	"### Describe the bug\nI followed the docs and get\n```\n%s\n```\nEnvironment: Ubuntu 22.04, Node 20",
}

// messageVariable is a part of a name that varies.
var messageVariable = regexp.MustCompile(`\{[a-z_]+\}`)

// What the library doesn't have is not known: the texts of entries that are taken out are those of errors that nobody wrote an entry of. Of
// 5,101 such texts 38 were known when this was written, most of them by near twins. With their entry they are known or, if one reader
// alone has seen it, similar.
func TestWhatIsTakenOutIsNotKnown(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix)
	importLibrary(t, prefix, s)
	entries, err := reference.Entries()
	if err != nil {
		t.Fatal(err)
	}
	pastes, known, missed := 0, 0, 0
	for i, entry := range entries {
		if i%11 != 0 || entry.Wraps || len(entry.Names) == 0 {
			continue
		}
		name := entry.Names[i/11%len(entry.Names)]
		text := fmt.Sprintf(frames[i/11%len(frames)], messageVariable.ReplaceAllString(name, "17"))
		question := map[string]any{"text": text, "tried": []string{reference.UnitID(entry.ID)}}
		without := decode[ask.Answer](t, s.send(t, "POST", "/ask", question).want(t, 200))
		if pastes++; without.Verdict == ask.Known {
			known++
			t.Logf("%s is taken out, and %q is known as %q", entry.ID, text, without.Problem.Title)
		}
		if with := s.asked(t, text); with.Verdict == ask.Unknown {
			missed++
			t.Logf("%s is there, and %q is unknown", entry.ID, text)
		}
	}
	if pastes < 150 || 100*known > 3*pastes || 100*missed > 4*pastes {
		t.Errorf("of %d pastes %d are known without their entry, and %d unknown with it", pastes, known, missed)
	}
}
