package main

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"agentlore/enginetest"
)

// The numbers that a limited client reads add up over 200 requests, and who waits Retry-After seconds is served.
func TestALimitedClientCanTrustWhatItReads(t *testing.T) {
	t.Parallel()
	const limit, requests, waits = 5, 200, 3
	s := serve(t, enginetest.Prefix(t), "--rate-read="+strconv.Itoa(limit)+"-S")
	served, refused, waited := 0, 0, 0
	remaining := 0 // as the answer before said; 0 before the first one
	fresh := true  // the next request begins a window for certain
	for i := range requests {
		got := s.get(t, "/api/schema")
		var said, left int
		if _, err := fmt.Sscanf(got.header.Get("RateLimit"), `"read";r=%d;t=%d`, &said, &left); err != nil || left != 1 {
			t.Fatalf("request %d: RateLimit is %q", i, got.header.Get("RateLimit"))
		}
		if header := got.header.Get("X-RateLimit-Remaining"); header != strconv.Itoa(said) {
			t.Errorf("request %d: X-RateLimit-Remaining is %s beside r=%d", i, header, said)
		}
		switch got.status {
		case 200:
			served++
			if begins := said == limit-1; !begins && (fresh || said != remaining-1) {
				t.Errorf("request %d: %d remain after %d", i, said, remaining)
			}
			fresh = false
		case 429:
			refused++
			if fresh || said != 0 || remaining != 0 {
				t.Errorf("request %d is refused with %d remaining, %d before, in a new window: %v", i, said, remaining, fresh)
			}
			if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < left || wait > left+2 { // a part of chance, so that not all come back at once
				t.Errorf("request %d: Retry-After is %q beside t=%d", i, got.header.Get("Retry-After"), left)
			} else if waited < waits {
				waited++
				time.Sleep(time.Duration(wait) * time.Second) // that this suffices is what is shown
				fresh = true
			}
		default:
			t.Fatalf("request %d: status %d", i, got.status)
		}
		remaining = said
	}
	if served+refused != requests || waited < waits {
		t.Errorf("%d served and %d refused of %d; waited %d times", served, refused, requests, waited)
	}
	t.Logf("%d served and %d refused of %d", served, refused, requests)
}
