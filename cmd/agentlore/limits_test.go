package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// wantLimit checks the headers that tell a client where it stands.
func wantLimit(t *testing.T, got answer, class string, limit, remaining int) {
	t.Helper()
	seconds, err := strconv.Atoi(got.header.Get("RateLimit")[strings.LastIndexByte(got.header.Get("RateLimit"), '=')+1:])
	if err != nil || seconds < 1 || seconds > 3600 {
		t.Errorf("RateLimit is %q: no time until it ends", got.header.Get("RateLimit"))
	}
	for name, want := range map[string]string{
		"RateLimit":             fmt.Sprintf("%q;r=%d;t=%d", class, remaining, seconds),
		"RateLimit-Policy":      fmt.Sprintf("%q;q=%d;w=3600", class, limit),
		"X-RateLimit-Limit":     strconv.Itoa(limit),
		"X-RateLimit-Remaining": strconv.Itoa(remaining),
	} {
		if header := got.header.Get(name); header != want {
			t.Errorf("%s is %q, want %q", name, header, want)
		}
	}
	if got.header.Get("X-RateLimit-Reset") == "" {
		t.Error("X-RateLimit-Reset is missing")
	}
}

// limitedServices are two services over one store, with small limits. They are patient with Redis: on a machine that tests
// keep busy it would count as down, and each service would count by itself, as it should then.
func limitedServices(t *testing.T, flags ...string) [2]*service {
	t.Helper()
	return serveTwo(t, append([]string{"--rate-register=3-H", "--rate-write=3-H", "--redis-timeout=10s"}, flags...)...)
}

// Two services that share Redis share their counts, each class has its own, and a limit is a problem that says when to
// come back. Everybody here comes from 127.0.0.1 and claims otherwise: without a trusted proxy that changes nothing.
func TestLimitsAreSharedAndForgedAddressesDontHelp(t *testing.T) {
	t.Parallel()
	both := limitedServices(t, "--rate-read=6-H")
	forged := func(i int) []string {
		return []string{"X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i), "X-Real-IP", fmt.Sprintf("198.51.100.%d", i), "Forwarded", fmt.Sprintf("for=198.51.100.%d", i)}
	}
	for i := range 6 {
		wantLimit(t, both[i%2].get(t, "/categories", forged(i)...).want(t, 200), "read", 6, 5-i)
	}
	refused := both[0].get(t, "/submissions/"+canary, forged(7)...)
	wantProblem(t, refused, 429, "rate_limited")
	wantLimit(t, refused, "read", 6, 0)
	if wait, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || wait < 1 || wait > 3660 {
		t.Errorf("Retry-After is %q, want seconds until the limit ends", refused.header.Get("Retry-After"))
	}

	var me agent
	for i := range 3 {
		body := map[string]any{"name": fmt.Sprintf("limited-%d", i), "type": "agent", "owner": "x"}
		got := both[i%2].send(t, "POST", "/intake/register", body, forged(i)...).want(t, 201)
		wantLimit(t, got, "register", 3, 2-i)
		me.token = decode[registered](t, got).APIToken
	}
	wantProblem(t, both[1].send(t, "POST", "/intake/connect", map[string]any{"name": "limited-4", "type": "agent"}, forged(9)...), 429, "rate_limited")

	// Requests that are refused for another reason count too, else a flood of them would be free.
	wantProblem(t, both[0].send(t, "POST", "/intake/submit", observation("x"), forged(1)...), 401, "missing_token")
	wantProblem(t, both[1].send(t, "POST", "/intake/submit", `{}`, append(me.bearer(), forged(2)...)...), 422, "invalid_fields", "/summary", "/category")
	both[0].send(t, "POST", "/intake/submit", observation("within the limit"), me.bearer()...).want(t, 201)
	wantProblem(t, both[1].send(t, "POST", "/intake/submit", observation("beyond the limit"), me.bearer()...), 429, "rate_limited")

	both[0].get(t, "/health").want(t, 200) // a balancer's question is never limited
	keys := enginetest.Keys(t, enginetest.RedisURL(t), both[0].prefix)
	if joined := strings.Join(keys, "\n"); strings.Contains(joined, "198.51.100") || !strings.Contains(joined, "127.0.0.1") {
		t.Errorf("counted under %s", joined)
	}
}

// Behind a proxy that the operator names, clients are counted by the address that it reports, the last one it can't vouch
// for, and IPv6 ones by their /64 network.
func TestLimitsBehindATrustedProxy(t *testing.T) {
	t.Parallel()
	both := limitedServices(t, "--trusted-proxies=127.0.0.1,10.0.0.0/8", "--rate-read=2-H")
	from := func(address string) answer { return both[0].get(t, "/categories", "X-Forwarded-For", address) }
	for i := range 2 {
		wantLimit(t, from("203.0.113.1").want(t, 200), "read", 2, 1-i)
	}
	wantProblem(t, from("203.0.113.1"), 429, "rate_limited")
	wantLimit(t, from("203.0.113.2").want(t, 200), "read", 2, 1)
	// What the client itself put in front doesn't count; a chain of trusted proxies is walked through.
	wantProblem(t, from("192.0.2.99, 203.0.113.1, 10.1.2.3"), 429, "rate_limited")

	wantLimit(t, from("2001:db8:1:2::1").want(t, 200), "read", 2, 1)
	wantLimit(t, from("2001:db8:1:2:ffff::9").want(t, 200), "read", 2, 0)
	wantProblem(t, from("2001:db8:1:2:3:4:5:6"), 429, "rate_limited")
	wantLimit(t, from("2001:db8:1:3::1").want(t, 200), "read", 2, 1)
	if got := from("no address").status; got != 200 {
		t.Errorf("a header that holds no address: status %d, want 200 by the proxy's own", got)
	}
}

// While Redis is away each service counts by itself: limits go on, and nobody is refused for it.
func TestLimitsWithoutRedis(t *testing.T) {
	t.Parallel()
	s := serve(t, sharedService(t).prefix, "--redis-url=", "--rate-read=2-H")
	for i := range 2 {
		wantLimit(t, s.get(t, "/categories").want(t, 200), "read", 2, 1-i)
	}
	s.get(t, "/categories").want(t, 429)
}
