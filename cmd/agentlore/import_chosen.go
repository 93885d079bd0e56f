package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"agentlore/importer"
	"agentlore/lore"
	"agentlore/tracker"
)

// chosen is what was taken as the resolution of a thread. What it holds of the texts is scrubbed, and without people.
type chosen struct {
	Address string          `json:"address"`
	Kind    tracker.Kind    `json:"resolution"` // empty: none
	Why     string          `json:"why"`
	By      string          `json:"by,omitempty"`
	Vouched bool            `json:"vouched"`
	Doubt   string          `json:"doubt,omitempty"`
	Text    string          `json:"text,omitempty"`    // how it begins
	Nearest string          `json:"nearest,omitempty"` // where there is none: how what comes nearest begins
	Refused tracker.Refused `json:"refused"`
}

// threadTally counts what was chosen of the threads of an import, and writes it to a file where one is wanted.
type threadTally struct {
	mu       sync.Mutex
	file     io.Writer // nil: none is wanted
	last     chosen
	kinds    map[tracker.Kind]int
	vouched  int
	doubtful int
	partial  int
	refused  tracker.Refused
}

func newThreadTally() *threadTally { return &threadTally{kinds: map[tracker.Kind]int{}} }

// add counts a thread.
func (t *threadTally) add(one chosen) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = one
	t.kinds[one.Kind]++
	if one.Vouched {
		t.vouched++
	}
	if one.Doubt != "" {
		t.doubtful++
	}
	t.refused.Bots += one.Refused.Bots
	t.refused.Agreements += one.Refused.Agreements
	t.refused.FalseHelp += one.Refused.FalseHelp
	if t.file == nil {
		return nil
	}
	line, err := json.Marshal(one)
	if err == nil {
		_, err = t.file.Write(append(line, '\n'))
	}
	return err
}

// addPartial counts a thread of which comments are missing.
func (t *threadTally) addPartial() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.partial++
}

// kindWords say what each kind of resolution is.
var kindWords = map[tracker.Kind]string{
	tracker.Page:       "of runbooks",
	tracker.Accepted:   "accepted by the asker",
	tracker.Corrected:  "a maintainer's, correcting others",
	tracker.Confirmed:  "confirmed by the asker",
	tracker.Closing:    "a maintainer's at the closing",
	tracker.Merged:     "merged changes",
	tracker.Workaround: "a maintainer's workaround",
	tracker.OwnAnswer:  "the asker's own, never trusted",
}

// print says what was read, what was chosen and what became of it.
func (r *threadImport) print(summary importer.Summary, extent tracker.Extent) {
	w, t := r.out.stdout, r.tally
	for _, refused := range summary.Refusals {
		fmt.Fprintf(w, "thread %d: %s\n", refused.Line, refusalText(refused.Err))
	}
	if more := summary.Refused - len(summary.Refusals); more > 0 {
		fmt.Fprintf(w, "%d more threads refused\n", more)
	}
	with := 0
	for kind, count := range t.kinds {
		if kind != tracker.None {
			with += count
		}
	}
	fmt.Fprintf(w, "%d threads in %s: %d with a resolution, %d without; %d records were no part of a thread\n",
		extent.Threads, summary.Elapsed.Round(10*time.Millisecond), with, t.kinds[tracker.None], extent.Skipped)
	if extent.Private > 0 {
		fmt.Fprintf(w, "  left out, since only members see them: %d\n", extent.Private)
	}
	if t.partial > 0 {
		fmt.Fprintf(
			w,
			"  left as they are, since comments of them are missing: %d; give the files of their comments too\n",
			t.partial,
		)
	}
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		if kind != tracker.None {
			fmt.Fprintf(w, "  %s: %d\n", kindWords[kind], t.kinds[kind])
		}
	}
	fmt.Fprintf(
		w,
		"  never a resolution: %d by programs, %d that only agree, %d of false helpers\n",
		t.refused.Bots,
		t.refused.Agreements,
		t.refused.FalseHelp,
	)
	fmt.Fprintf(w, "  a maintainer or the asker stands for %d", t.vouched)
	if t.doubtful > 0 {
		fmt.Fprintf(w, "; %d more are doubtful: read them, then agentlore review approve", t.doubtful)
	}
	fmt.Fprintln(w)
	if r.DryRun {
		fmt.Fprintln(w, "nothing was stored")
		return
	}
	fmt.Fprintf(
		w,
		"%d stored, %d changed, %d known already, %d refused; approved: %d\n",
		summary.Stored,
		summary.Changed,
		summary.Known,
		summary.Refused,
		summary.Approved,
	)
	for _, kind := range slices.Sorted(maps.Keys(summary.Scrubbed)) {
		fmt.Fprintf(w, "  scrubbed %s: %d\n", kind, summary.Scrubbed[kind])
	}
}

// mostShown is how many lines of an error and of a resolution a dry run shows.
const mostShown = 12

// showThread shows what would be stored of a thread.
func showThread(w io.Writer, report importer.Report, one chosen) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s  %s\n", lore.OriginOf(report.Line.Ref), plain(report.Line.Summary))
	show := func(name, said string) {
		lines := strings.Split(strings.TrimSpace(said), "\n")
		for i, line := range lines[:min(len(lines), mostShown)] {
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&text, "  %-11s %s\n", name, plain(line))
		}
		if len(lines) > mostShown {
			fmt.Fprintf(&text, "  %-11s … %d lines more\n", "", len(lines)-mostShown)
		}
	}
	if pasted := lore.PastedError(report.Line.Content); pasted != "" {
		show("error", pasted)
	}
	if one.Kind == tracker.None {
		show("resolution", "none: "+one.Why)
		if one.Nearest != "" {
			show("nearest", one.Nearest)
		}
	} else {
		trust := "not trusted"
		if one.Vouched {
			trust = "may be trusted"
		}
		if one.Doubt != "" {
			trust = one.Doubt
		}
		show("resolution", report.Line.Resolution)
		show("because", one.Why+" ("+trust+")")
	}
	if one.Refused != (tracker.Refused{}) {
		show(
			"left out",
			fmt.Sprintf(
				"%d by programs, %d that only agree, %d of false helpers",
				one.Refused.Bots,
				one.Refused.Agreements,
				one.Refused.FalseHelp,
			),
		)
	}
	_, err := fmt.Fprintln(w, text.String())
	return err
}
