package main

import (
	"fmt"
	"testing"
	"time"

	"agentlore/ask"
	"agentlore/enginetest"
)

// One stranger who writes a thousand reports with a unit's rare words makes the answer no less certain.
func TestAFloodOfWordsChangesNoAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	for i, a := range vouched(t, s, "one", "two", "three") {
		s.submit(t, a, map[string]any{
			"summary": "Thylacine sequencer stalls with QuollNonceGap after a reorg" + fmt.Sprint(" ", i), "category": "failure",
			"content": "The thylacine sequencer logs QuollNonceGap and bettong mempool mismatch.", "resolution": "Restart the bettong mempool with --resync.",
		})
	}
	curateOnce(t, s.prefix)
	questions := []string{
		"QuollNonceGap: the sequencer stalls after a reorg", "thylacine sequencer stalls after a reorg, bettong mempool mismatch",
	}
	var before []ask.Answer
	for _, question := range questions {
		got := s.asked(t, question)
		before = append(before, got)
		t.Logf("%s: %s %v", question, got.Verdict, got.Why)
	}
	stranger := s.register(t, "stranger")
	for batch := range 10 {
		var items []map[string]any
		for i := range 100 {
			n := batch*100 + i
			items = append(items, map[string]any{
				"summary": fmt.Sprintf("QuollNonceGap %c%c%c: bettong mempool mismatch, thylacine stalls", 'a'+n%26, 'a'+n/26%26, 'a'+n/676), "category": "failure",
				"content": fmt.Sprintf("QuollNonceGap bettong mempool mismatch thylacine sequencer reorg x%dx", n),
			})
		}
		if got := decode[batched](t, s.send(t, "POST", "/intake/submit/batch", items, stranger.bearer()...).want(t, 200)); got.Stored != 100 {
			t.Fatalf("%+v", got)
		}
	}
	for _, when := range []string{"before a pass", "after it"} {
		enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
		for i, question := range questions {
			var got ask.Answer
			enginetest.Within(t, 30*time.Second, when+" the answer is as before: "+question, func() bool {
				got = s.asked(t, question)
				return got.Verdict == before[i].Verdict && got.Problem != nil && got.Problem.ID == before[i].Problem.ID
			})
			t.Logf("%v %v", before[i].Why, got.Why)
		}
		curateOnce(t, s.prefix)
	}
}
