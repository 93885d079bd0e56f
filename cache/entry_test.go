package cache_test

import (
	"testing"
	"time"

	"agentlore/enginetest"
)

func TestEntriesAreSharedBetweenProcessesAndEnd(t *testing.T) {
	url, prefix := enginetest.RedisURL(t), enginetest.Prefix(t)
	one, two := open(t, url, prefix), open(t, url, prefix)
	wantValue(t, two, "x", "")
	mustSet(t, one, "x", "old")
	mustSet(t, one, "x", "value")
	wantValue(t, two, "x", "value")
	wantValue(t, open(t, url, prefix+"_other"), "x", "")
	if err := one.Set(t.Context(), "x", "value", 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, "the entry ends", func() bool {
		got, err := two.Get(t.Context(), "x")
		return err == nil && got == ""
	})
}

// Everything must expire by itself: Redis runs with noeviction.
func TestEveryKeyExpires(t *testing.T) {
	server := enginetest.StartRedis(t)
	r := open(t, server.URL(), "p")
	mustSet(t, r, "x", "value")
	mustCount(t, r, "key")
	for _, key := range []string{"p:entry:x", "p:rate:key"} {
		if got := server.Do("TTL " + key); got == "-1" || got == "-2" {
			t.Errorf("TTL of %s is %s: it must exist and expire", key, got)
		}
	}
	if err := r.Check(t.Context()); err != nil {
		t.Errorf("Check of a Redis that is well: %v", err)
	}
	if got := server.Do("DBSIZE"); got != "2" {
		t.Errorf("there are other keys too: %s", got)
	}
}
