package main

import (
	"testing"
	"time"

	"agentlore/enginetest"
)

func TestReadersAreSpared(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "etag-reader")
	stored := s.submit(t, me, observation("A first observation"))

	for _, path := range []string{"/submissions/" + stored.ID, "/submissions?source=" + me.id} {
		tag := s.get(t, path).want(t, 200).header.Get("ETag")
		again := s.get(t, path, "If-None-Match", `"other", `+tag)
		if path == "/submissions/"+stored.ID && (again.status != 304 || len(again.body) > 0 || again.header.Get("ETag") != tag) {
			t.Errorf("%s again: status %d, %d bytes, tag %q, want 304 with %q", path, again.status, len(again.body), again.header.Get("ETag"), tag)
		}
	}
	if got := s.get(t, "/submissions/"+stored.ID, "If-None-Match", `"other"`); got.status != 200 || len(got.body) == 0 {
		t.Errorf("with another tag: status %d, %d bytes, want the item", got.status, len(got.body))
	}
	if got := s.get(t, "/submissions/01a1fb67-1800-8116-8f2a-2f6a201e6cb9", "If-None-Match", "*"); got.status != 404 {
		t.Errorf("what isn't there: status %d, want 404", got.status)
	}

	before := s.get(t, "/submissions").want(t, 200).header.Get("ETag")
	s.submit(t, me, observation("A second observation"))
	enginetest.Within(t, 5*time.Second, "the list has another tag after a submission", func() bool {
		got := s.get(t, "/submissions", "If-None-Match", before)
		return got.status == 200 && got.header.Get("ETag") != before
	})
}
