package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A retry with its key is stored once and gets the first answer, wherever and however often it arrives.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	first, second := sharedServices(t)
	both := []*service{first, second}
	me, other := first.register(t, "retries-a-lot"), first.register(t, "uses-the-same-key")
	const key = "7d1e-once"
	body := observation("idempotency: stored once by " + me.id)

	var mu sync.Mutex
	answers := map[string]int{}
	inFlight := 0
	inParallel(20, 20, func(i int) {
		sent := key
		if i%2 == 1 {
			sent = `"` + key + `"` // as the IETF draft writes it
		}
		got, err := both[i%2].try(t.Context(), "POST", "/intake/submit", body, append(me.bearer(), "Idempotency-Key", sent)...)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			t.Error(err)
		case got.status == http.StatusConflict:
			wantProblem(t, got, 409, "idempotency_in_flight")
			inFlight++
		default:
			answers[fmt.Sprint(got.status, got.header.Get("Location"), string(got.body))]++
		}
	})
	if len(answers) != 1 {
		t.Errorf("20 requests with one key got %d different answers: %v", len(answers), answers)
	}
	t.Logf("20 at once with one key: %d the same answer, %d in flight", 20-inFlight, inFlight)
	again := first.send(t, "POST", "/intake/submit", body, append(me.bearer(), "Idempotency-Key", key)...).want(t, 201)
	stored := decode[submitted](t, again)
	if answers[fmt.Sprint(again.status, again.header.Get("Location"), string(again.body))] == 0 {
		t.Errorf("a later retry got another answer: %s", again.body)
	}
	inTime(t, "it is stored once", func() bool {
		return decode[page](t, first.get(t, "/submissions?source="+me.id).want(t, 200)).Total == 1
	})

	refused := second.send(t, "POST", "/intake/submit", observation("another body"), append(me.bearer(), "Idempotency-Key", key)...)
	wantProblem(t, refused, 422, "idempotency_mismatch")
	theirs := decode[submitted](t, second.send(t, "POST", "/intake/submit", body, append(other.bearer(), "Idempotency-Key", key)...).want(t, 201))
	if theirs.ID == stored.ID || theirs.Duplicate {
		t.Errorf("another agent's key is not its own: %+v", theirs)
	}
	// Another key with a text that is there: it is the first one.
	repeated := decode[submitted](t, second.send(t, "POST", "/intake/submit", body, append(me.bearer(), "Idempotency-Key", "another-key")...).want(t, 200))
	if repeated.ID != stored.ID || !repeated.Duplicate {
		t.Errorf("equal text under another key: %+v, want the first submission", repeated)
	}
}

func TestEqualTextIsADuplicate(t *testing.T) {
	t.Parallel()
	first, second := sharedServices(t)
	both := []*service{first, second}
	me, other := first.register(t, "says-it-twice"), second.register(t, "says-it-too")
	text := map[string]any{"summary": "duplicate: " + me.id, "category": "insight", "tags": []string{"Gas"}, "ecosystem": "Ethereum"}

	var mu sync.Mutex
	ids, created := map[string]bool{}, 0
	inParallel(10, 10, func(i int) {
		got, err := both[i%2].try(t.Context(), "POST", "/intake/submit", text, me.bearer()...)
		if err != nil || got.status != 200 && got.status != 201 {
			t.Errorf("%v %d %s", err, got.status, got.body)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		answered := decode[submitted](t, got)
		if ids[answered.ID] = true; got.status == 201 {
			created++
		}
		if answered.Duplicate != (got.status == 200) {
			t.Errorf("status %d with duplicate %v", got.status, answered.Duplicate)
		}
	})
	if len(ids) != 1 || created == 0 { // two of one millisecond are both told 201, with the one id
		t.Errorf("equal text ten times at once: ids %v and %d times 201, want one id, and 201 for whoever stored it", ids, created)
	}
	// What is the same after normalising is the same; another word, category or source isn't.
	text["tags"], text["ecosystem"] = []string{"gas", " GAS "}, " ethereum"
	if again := decode[submitted](t, first.send(t, "POST", "/intake/submit", text, me.bearer()...).want(t, 200)); !ids[again.ID] || !again.Duplicate {
		t.Errorf("equal after normalising: %+v", again)
	}
	text["category"] = "general"
	first.submit(t, me, text)
	text["category"] = "insight"
	if theirs := second.submit(t, other, text); ids[theirs.ID] {
		t.Error("another agent's word was taken for a repetition")
	}
}

// What a crash or a clock leaves behind in the records, set by hand in Elasticsearch.
func TestIdempotencyAfterACrash(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "crashes")
	send := func(key string, body any) answer {
		return s.send(t, "POST", "/intake/submit", body, append(me.bearer(), "Idempotency-Key", key)...)
	}
	change := func(key, script string) {
		t.Helper()
		id := lore.DerivedID("idempotency", me.id, key)
		body, err := json.Marshal(map[string]any{"script": map[string]any{"source": script}})
		if err != nil {
			t.Fatal(err)
		}
		if status, answer := enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-records/_update/"+url.PathEscape(id), string(body)); status != 200 {
			t.Fatalf("change a record: %d %s", status, answer)
		}
	}
	ago := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }

	// The first request died before it stored anything: a later one does its work.
	before := decode[submitted](t, send("died", observation("crash: before storing")).want(t, 201))
	change("died", `ctx._source.remove('answer'); ctx._source.created_at = '`+ago(2*time.Minute)+`'`)
	enginetest.Elasticsearch(t, "DELETE", "/"+s.prefix+"-submissions/_doc/"+before.ID, "")
	after := decode[submitted](t, send("died", observation("crash: before storing")).want(t, 201))
	s.get(t, "/submissions/"+after.ID).want(t, 200)

	// It died after it had stored: the later one finds what it stored.
	before = decode[submitted](t, send("died-later", observation("crash: after storing")).want(t, 201))
	change("died-later", `ctx._source.remove('answer'); ctx._source.created_at = '`+ago(2*time.Minute)+`'`)
	if got := send("died-later", observation("crash: after storing")); decode[submitted](t, got).ID != before.ID {
		t.Errorf("after a crash another id: %d %s, want %s", got.status, got.body, before.ID)
	}
	// It is still at work, somewhere: 409, after a wait, and come back.
	send("at-work", observation("crash: at work")).want(t, 201)
	change("at-work", `ctx._source.remove('answer'); ctx._source.created_at = '`+ago(0)+`'`)
	began := time.Now()
	waiting := send("at-work", observation("crash: at work"))
	wantProblem(t, waiting, 409, "idempotency_in_flight")
	if waiting.header.Get("Retry-After") == "" || time.Since(began) < 4*time.Second {
		t.Errorf("in flight: Retry-After %q after %s, want one after some 5 s", waiting.header.Get("Retry-After"), time.Since(began))
	}
	// Past its 24 hours a key is new again.
	send("old", observation("crash: old")).want(t, 201)
	change("old", `ctx._source.created_at = '`+ago(25*time.Hour)+`'; ctx._source.expires_at = '`+ago(time.Hour)+`'`)
	send("old", observation("crash: another body, a day later")).want(t, 201)
	wantProblem(t, send("old", observation("crash: a third body")), 422, "idempotency_mismatch")

	if log := s.log.String(); strings.Contains(log, "died-later") {
		t.Error("the log holds a key")
	}
}
