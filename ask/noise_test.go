package ask_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"agentlore/ask"
	"agentlore/lore"
	"agentlore/matcher"
	"agentlore/reference"
)

// noise is what stands around an error in a log and tells nothing of it.
var noise = []string{
	"    at processTicksAndRejections (node:internal/process/task_queues:95:5)",
	"    at async Object.<anonymous> (/home/ci/app/src/index.ts:41:17)",
	"0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b",
	"Node.js v20.11.1",
	"2026-02-11T09:14:33.120Z INFO  [main] starting worker 3 of 8",
	"  File \"/usr/lib/python3.11/asyncio/base_events.py\", line 653, in run_until_complete",
	"Press any key to continue",
	"goroutine 1 [running]:",
	"   0: std::panicking::begin_panic",
	"rank: 0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
}

// What a log has around an error lowers no verdict: each text of the library is known as before among frames, hashes and banners.
func TestNoiseLowersNoVerdict(t *testing.T) {
	t.Parallel()
	entries, err := reference.Entries()
	if err != nil {
		t.Fatal(err)
	}
	var units []lore.KnowledgeUnit
	for _, entry := range entries {
		entry.CheckedAgain = "2026-11-27" // whether it was read twice is not what is tested
		units = append(units, entry.KnowledgeUnit(anyTime))
	}
	names := matcher.New(units)
	judge := func(text string) ask.Verdict {
		q := ask.Read(text)
		var candidates []ask.Candidate
		for _, match := range names.Find(strings.Join(q.Messages, "\n")+"\n"+q.Rest, matcher.Surroundings{Text: text}) {
			if match.Weight >= 2 && len(candidates) < 8 {
				candidates = append(candidates, ask.Candidate{
					SearchHit: lore.SearchHit{
						ID: match.Unit.ID, Type: lore.TypeKnowledgeUnit, Summary: match.Unit.Summary, Names: match.Unit.Names, Content: match.Unit.Content,
						Resolution: match.Unit.Resolution, Reference: match.Unit.Reference, Score: 9,
					},
					Name: match.Name, NameWeight: match.Weight, Ambiguous: match.Ambiguous, Context: match.Unit.Context, Wraps: match.Unit.Wraps,
				})
			}
		}
		verdict, _ := ask.Judge(q, ask.Corpus{Documents: 20_000}, candidates)
		return verdict
	}
	rank := map[ask.Verdict]int{ask.Unknown: 0, ask.Similar: 1, ask.Known: 2}
	tried := 0
	for i, entry := range entries {
		for j, name := range entry.Names {
			if (i+j)%4 != 0 { // a quarter takes a second
				continue
			}
			text := fillIn(name)
			before := judge(text)
			k := (i + j) % len(noise)
			around := strings.Join(noise[:k], "\n") + "\n" + text + "\n" + strings.Join(noise[k:], "\n")
			if after := judge(around); rank[after] < rank[before] {
				t.Errorf("%s: %q is %s, and among noise %s", entry.ID, text, before, after)
			}
			tried++
		}
	}
	if tried < 1500 {
		t.Errorf("%d texts were tried", tried)
	}
}

var anyTime = time.Unix(0, 0)

// parts are those of a name that vary.
var parts = regexp.MustCompile(`\{[a-z_]+\}`)

// fillIn writes a name as a program prints it.
func fillIn(name string) string { return parts.ReplaceAllString(name, "17") }
