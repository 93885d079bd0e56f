package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	"agentlore/enginetest"
)

// A network that is slow and then resets connections in the middle of answers: what got a 201 is there, whatever was lost on
// the way was retried or is a 503, and nothing is stored twice.
func TestSlowAndBrokenNetworkUnderTraffic(t *testing.T) {
	t.Parallel()
	way := newLink(t, enginetest.ElasticsearchURL(t))
	prefix := enginetest.Prefix(t)
	both := [2]*service{serve(t, prefix, "--elasticsearch-url="+way.url), serve(t, prefix)}
	x := startTraffic(t, both)
	way.delay(100 * time.Millisecond)
	if statuses := x.during(t, "every answer takes 100 ms longer", 2*time.Second); statuses[201] == 0 || statuses[503] > 0 {
		t.Errorf("over a slow network: %v, want 201", statuses)
	}
	way.delay(0)
	way.reset(7)
	x.during(t, "every seventh piece of an answer is a reset", 2*time.Second)
	way.reset(0)
	awaitHealth(t, both, "ok")
	x.during(t, "the network is sound", time.Second)
	x.end()
	wantUnavailable(t, x)
	wantAllStored(t, both, x)
	wantNothingTwice(t, both[1], x)
}

// wantNothingTwice checks that no text is stored under two ids. Texts that were refused may be stored too: a 503 says that it
// isn't known.
func wantNothingTwice(t *testing.T, s *service, x *traffic) {
	t.Helper()
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	seen := map[any]string{}
	cursor := ""
	for {
		list := decode[page](t, s.get(t, "/submissions?limit=100&source="+x.agent.id+cursor).want(t, http.StatusOK))
		for _, result := range list.Results {
			if other, twice := seen[result["summary"]]; twice {
				t.Errorf("%q is stored as %s and %s", result["summary"], other, result["id"])
			}
			seen[result["summary"]], _ = result["id"].(string)
		}
		if list.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + list.NextCursor
	}
	if len(seen) < len(x.stored) {
		t.Errorf("%d submissions are listed, and %d got a 201", len(seen), len(x.stored))
	}
}

// A partition: one replica of two is cut off from the store. It says so and answers 503; the other goes on as if nothing were.
func TestOneReplicaCutOffUnderTraffic(t *testing.T) {
	t.Parallel()
	way := newLink(t, enginetest.ElasticsearchURL(t))
	prefix := enginetest.Prefix(t)
	both := [2]*service{serve(t, prefix, "--elasticsearch-url="+way.url), serve(t, prefix)}
	x := startTraffic(t, both)
	x.during(t, "both reach the store", time.Second)
	way.cut()
	enginetest.Within(t, time.Minute, "the one that is cut off says so", func() bool {
		return decode[map[string]any](t, both[0].get(t, "/health"))["status"] == "unavailable"
	})
	x.take()
	enginetest.Within(t, time.Minute, "the other one stores", func() bool {
		got, err := both[1].try(context.Background(), "POST", "/intake/submit", observation("beside a partition"), x.agent.bearer()...)
		return err == nil && got.status < 300
	})
	enginetest.Within(t, 10*time.Second, "the replica that reaches the store says ok", func() bool { // Redis may be slow for a moment
		return decode[map[string]any](t, both[1].get(t, "/health"))["status"] == "ok"
	})
	x.during(t, "one is cut off", 2*time.Second)
	way.mend()
	awaitHealth(t, both, "ok")
	if statuses := x.during(t, "both reach it again", time.Second); statuses[201] == 0 {
		t.Errorf("after the partition: %v, want 201", statuses)
	}
	x.end()
	wantUnavailable(t, x)
	wantAllStored(t, both, x)
}
