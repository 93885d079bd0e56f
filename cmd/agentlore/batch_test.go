package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// batched is the answer to a batch.
type batched struct {
	Results []struct {
		Status  int        `json:"status"`
		Answer  *submitted `json:"answer"`
		Problem *problem   `json:"problem"`
	} `json:"results"`
	Stored, Duplicates, Refused int
}

// observations returns distinct observations.
func observations(about string, count int) (items []map[string]any) {
	for i := range count {
		items = append(items, observation(fmt.Sprintf("%s, number %d of a batch", about, i)))
	}
	return items
}

// Of a batch each item gets the answer that it would get alone, whether it comes as an array or as lines; what can't be stored costs the
// others nothing, and sent again nothing is stored twice.
func TestBatch(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "batches-"+enginetest.NewPrefix())
	secret := observation("bandicoot: write to ops@example.org, " + me.id)
	keyed := observation("bandicoot: with a key, " + me.id)
	keyed["idempotency_key"] = "of-the-item"
	items := []any{secret, keyed, map[string]any{"summary": "no category"}, "no object", map[string]any{"summary": "x", "category": "failure", "colour": 1}}
	statuses := []int{201, 201, 422, 422, 422}
	send := func(body any, mediaType string) answer {
		t.Helper()
		return s.send(t, "POST", "/intake/submit/batch", body, append(me.bearer(), "Content-Type", mediaType)...)
	}
	check := func(got answer, statuses ...int) batched {
		t.Helper()
		all := decode[batched](t, got.want(t, 200))
		if len(all.Results) != len(statuses) {
			t.Fatalf("%d results, want %d: %s", len(all.Results), len(statuses), got.body)
		}
		for i, status := range statuses {
			one := all.Results[i]
			if one.Status != status || (one.Answer != nil) != (status < 300) || (one.Problem == nil) != (status < 300) {
				t.Errorf("item %d: %+v %+v, want %d", i, one, one.Problem, status)
			}
		}
		return all
	}
	first := check(send(items, "application/json"), statuses...)
	if first.Stored != 2 || first.Refused != 3 || !first.Results[0].Answer.Scrubbing.Changed || first.Results[2].Problem.Errors[0].Pointer != "/category" {
		t.Errorf("the first batch: %+v, problem %+v", first, first.Results[2].Problem)
	}
	lines := []string{`{"summary": "cut`, "", `[]`}
	for _, item := range []any{secret, keyed, observation("bandicoot: a line, " + me.id)} {
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	again := check(send(strings.Join(lines, "\n"), "application/x-ndjson"), 400, 422, 200, 201, 201)
	if again.Results[2].Answer.ID != first.Results[0].Answer.ID || again.Results[3].Answer.ID != first.Results[1].Answer.ID || again.Duplicates != 1 {
		t.Errorf("sent again: %+v", again)
	}
	keyed["content"] = "Another text under the same key."
	check(send([]any{keyed}, "application/json"), 422)

	wantProblem(t, send(observations("too many", 101), "application/json"), 422, "invalid_field", "/")
	wantProblem(t, send("[]", "application/json"), 400, "invalid_json")
	wantProblem(t, send(`[{"summary": "x"`, "application/json"), 400, "invalid_json", "")
	for _, body := range []string{"{}", "null", `"x"`, " 7"} {
		wantProblem(t, send(body, "application/json"), 422, "invalid_field", "/")
	}
	wantProblem(t, send("{}\n{}", "application/json"), 400, "invalid_json", "")
	wantProblem(t, send("summary: x", "text/plain"), 415, "unsupported_media_type")
	wantProblem(t, send(strings.Repeat(" ", 300<<10), "application/json"), 413, "body_too_large")
	inTime(t, "three are stored", func() bool {
		return decode[page](t, s.get(t, "/submissions?source="+me.id).want(t, 200)).Total == 3
	})
}

// Each item of a batch counts against the limit of writes, and those beyond it are told to wait.
func TestBatchCountsItsItems(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--rate-write=5-H", "--redis-timeout=10s")
	me := s.register(t, "hasty")
	got := s.send(t, "POST", "/intake/submit/batch", observations("quoll", 7), me.bearer()...).want(t, 200)
	all := decode[batched](t, got)
	if all.Stored != 5 || all.Refused != 2 || all.Results[5].Status != 429 || !*all.Results[6].Problem.Retryable {
		t.Errorf("7 items with 5 allowed: %s", got.body)
	}
	wantLimit(t, got, "write", 5, 0)
	wantProblem(t, s.send(t, "POST", "/intake/submit", observation("one more"), me.bearer()...), 429, "rate_limited")
}

// The same batch sent several times at once, to two services, is stored once, and every answer names the same ids.
func TestTheSameBatchAtOnce(t *testing.T) {
	t.Parallel()
	one, other := sharedServices(t)
	me := one.register(t, "doubles-"+enginetest.NewPrefix())
	const count, times = 60, 6
	items := observations("dunnart "+me.id, count)
	var group sync.WaitGroup
	answers := make([]batched, times)
	for i := range times {
		group.Go(func() {
			got, err := []*service{one, other}[i%2].try(t.Context(), "POST", "/intake/submit/batch", items, me.bearer()...)
			if err == nil {
				err = json.Unmarshal(got.body, &answers[i])
			}
			if err != nil || len(answers[i].Results) != count {
				t.Errorf("%v: %d %.300s", err, got.status, got.body)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	stored := 0
	for i := range count {
		ids := map[string]bool{}
		for _, answer := range answers {
			if one := answer.Results[i]; one.Answer == nil {
				t.Errorf("item %d: %+v", i, one.Problem)
			} else if ids[one.Answer.ID] = true; one.Status == 201 {
				stored++
			}
		}
		if len(ids) != 1 {
			t.Errorf("item %d got the ids %v", i, ids)
		}
	}
	if stored < count { // two of one millisecond may both take the document for their own
		t.Errorf("%d answers say that an item was stored, want %d", stored, count)
	}
	inTime(t, "each is stored once", func() bool {
		return decode[page](t, one.get(t, "/submissions?limit=1&source="+me.id).want(t, 200)).Total == count
	})
}

// A service that is killed in the middle of batches loses nothing that it acknowledged, and what is sent again is stored once.
func TestServiceKilledInABatch(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	stays := serve(t, prefix)
	const batches, count = 8, 60
	var total int64
	partly := 0
	me := stays.register(t, "interrupted")
	for round := 0; round < 5 && partly == 0; round++ {
		victim := serveProcess(t, prefix)
		send := func(s *service, batch int) (all batched, err error) {
			items := observations(fmt.Sprintf("bettong %d of round %d", batch, round), count)
			got, err := s.try(t.Context(), "POST", "/intake/submit/batch", items, me.bearer()...)
			if err == nil && got.status == 200 {
				err = json.Unmarshal(got.body, &all)
			}
			return all, err
		}
		acknowledged := make([]batched, batches)
		answered := make(chan struct{}, batches)
		var group sync.WaitGroup
		for batch := range batches {
			group.Go(func() {
				if all, err := send(victim, batch); err == nil {
					acknowledged[batch] = all
					answered <- struct{}{}
				}
			})
		}
		<-answered // the others are under way
		_ = victim.process.Process.Kill()
		group.Wait()
		for batch := range batches {
			var all batched
			enginetest.Within(t, time.Minute, "a batch sent again is stored", func() (done bool) {
				var err error
				if all, err = send(stays, batch); err != nil {
					t.Fatal(err)
				}
				return all.Stored+all.Duplicates == count
			})
			for i, before := range acknowledged[batch].Results {
				if now := all.Results[i]; before.Answer != nil && (now.Answer == nil || now.Answer.ID != before.Answer.ID || now.Status != 200) {
					t.Errorf("item %d was acknowledged as %+v and is now %+v", i, before.Answer, now.Answer)
				}
			}
			if all.Stored > 0 && all.Duplicates > 0 {
				partly++
			}
		}
		total += batches * count
		inTime(t, "each is stored once", func() bool {
			return decode[page](t, stays.get(t, "/submissions?limit=1&source="+me.id).want(t, 200)).Total == total
		})
	}
	if partly == 0 {
		t.Error("no batch was killed in the middle: nothing was tested")
	}
	t.Logf("%d batches were killed in the middle", partly)
}
