package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// A name is one agent's, however many ask for it at once, wherever and however they spell it; and of a crowd of submissions
// each is stored, once, and counted.
func TestCrowds(t *testing.T) {
	t.Parallel()
	both := serveTwo(t)

	spellings := []string{"Twin Agent", "TWIN AGENT", " twin agent  ", "ｔｗｉｎ Ａｇｅｎｔ", "tWiN aGeNt"}
	var created, taken atomic.Int64
	began := time.Now()
	inParallel(50, 50, func(i int) {
		path, body := "/intake/register", map[string]any{"name": spellings[i%len(spellings)], "type": "agent", "owner": fmt.Sprint("owner ", i)}
		if i%7 == 0 {
			path, body = "/intake/connect", map[string]any{"name": spellings[i%len(spellings)], "type": "agent"}
		}
		got, err := both[i%2].try(t.Context(), "POST", path, body)
		switch {
		case err != nil:
			t.Errorf("registration %d: %v", i, err)
		case got.status == http.StatusCreated:
			created.Add(1)
		case got.status == http.StatusConflict:
			taken.Add(1)
			wantProblem(t, got, 409, "name_taken")
		default:
			t.Errorf("registration %d: %d %s", i, got.status, got.body)
		}
	})
	if created.Load() != 1 || taken.Load() != 49 {
		t.Errorf("50 registrations of one name: %d created, %d refused; want 1 and 49", created.Load(), taken.Load())
	}
	t.Logf("50 simultaneous registrations of one name in two services: %d x 201, %d x 409, %s", created.Load(), taken.Load(), time.Since(began).Round(time.Millisecond))

	inTime(t, "the entries of those that were refused are gone", func() bool {
		return decode[map[string]int](t, both[0].get(t, "/status").want(t, 200))["sources"] == 1
	})

	const crowd = 1000
	agents := []agent{both[0].register(t, "crowd-1"), both[1].register(t, "crowd-2")}
	ids := make([]string, crowd)
	began = time.Now()
	inParallel(crowd, 128, func(i int) {
		got, err := both[i%2].try(t.Context(), "POST", "/intake/submit", observation(fmt.Sprintf("crowd report number %d", i)), agents[i%3%2].bearer()...)
		if err != nil || got.status != http.StatusCreated {
			t.Errorf("submission %d: %v %d %s", i, err, got.status, got.body)
			return
		}
		ids[i] = decode[submitted](t, got).ID
	})
	took := time.Since(began)
	inTime(t, "status counts all of them", func() bool {
		counts := decode[map[string]int](t, both[0].get(t, "/status").want(t, 200))
		if counts["submissions"] > crowd || counts["sources"] > 3 {
			t.Fatalf("status counts %v: more than there are", counts)
		}
		return counts["submissions"] == crowd && counts["sources"] == 3
	})
	distinct := map[string]bool{}
	for _, id := range ids {
		distinct[id] = true
	}
	if len(distinct) != crowd {
		t.Errorf("%d distinct ids, want %d", len(distinct), crowd)
	}
	inParallel(crowd, 64, func(i int) {
		got, err := both[(i+1)%2].try(t.Context(), "GET", "/submissions/"+ids[i], nil)
		if err != nil || got.status != http.StatusOK || decode[map[string]any](t, got)["summary"] != fmt.Sprintf("crowd report number %d", i) {
			t.Errorf("submission %d read from the other service: %v %d %.200s", i, err, got.status, got.body)
		}
	})
	t.Logf("%d submissions, 128 at once over two services: %s, %d distinct ids", crowd, took.Round(time.Millisecond), len(distinct))
}
