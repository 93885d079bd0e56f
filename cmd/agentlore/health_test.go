package main

import (
	"strings"
	"testing"

	"agentlore/enginetest"
)

// Without REDIS_URL one replica works as well, and says at its start what that means.
func TestServeWithoutRedis(t *testing.T) {
	t.Parallel()
	s := serve(t, sharedService(t).prefix, "--redis-url=")
	if !strings.Contains(s.log.String(), "no REDIS_URL") {
		t.Error("the log doesn't say that there is no Redis")
	}
	health := decode[map[string]any](t, s.get(t, "/health").want(t, 200))
	if health["status"] != "ok" {
		t.Errorf("health is %v: nothing is missing that was configured", health)
	}
	s.submit(t, s.register(t, "without-redis"), observation("stored without Redis"))
}

// A Redis that is down from the start is a degraded service, not a failed start.
func TestServeWithRedisDown(t *testing.T) {
	t.Parallel()
	redis := enginetest.StartRedis(t)
	redis.Kill()
	s := serve(t, sharedService(t).prefix, "--redis-url="+redis.URL())
	if health := decode[map[string]any](t, s.get(t, "/health").want(t, 200)); health["status"] != "degraded" {
		t.Errorf("health is %v, want degraded", health)
	}
	s.submit(t, s.register(t, "redis-is-down"), observation("stored while Redis is down"))
	redis.Restart()
	enginetest.Eventually(t, "Redis is used again", func() bool {
		return decode[map[string]any](t, s.get(t, "/health"))["status"] == "ok"
	})
}
