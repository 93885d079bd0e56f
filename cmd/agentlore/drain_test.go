package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// A service that is told to stop while its store hangs and a client sends its body byte by byte: whoever waits for an answer gets
// one, the slow client is cut off, and the service ends in time and without an error.
func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	way := newLink(t, enginetest.ElasticsearchURL(t))
	prefix := sharedService(t).prefix
	s := start(t, prefix, append([]string{"serve", "--listen=127.0.0.1:0", "--redis-url=" + enginetest.RedisURL(t), "--elasticsearch-url=" + way.url, "--index-prefix=" + prefix,
		"--elasticsearch-timeout=25s", "--drain-timeout=500ms"}, limitsOff...)...)
	me := s.register(t, fmt.Sprint("is there when it stops ", enginetest.NewPrefix()))
	s.submit(t, me, observation("before it stops")) // Redis knows the token from here on
	slow, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := fmt.Fprintf(slow, "POST /intake/submit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{", me.token); err != nil {
		t.Fatal(err)
	}
	way.hold()
	answered := make(chan answer, 1)
	go func() {
		got, err := s.try(context.Background(), "POST", "/intake/submit", observation("under way when it stops"), me.bearer()...)
		if err != nil {
			t.Error(err)
		}
		answered <- got
	}()
	enginetest.Within(t, time.Minute, "both requests are under way", func() bool { return metric(t, s, "agentlore_requests_in_flight") == "2" })
	s.cancel()
	got := <-answered
	wantProblem(t, got, 503, "store_unavailable")
	if got.header.Get("Retry-After") == "" || !strings.Contains(string(got.body), "is being stopped") {
		t.Errorf("a request that was under way when the service stopped: %v %s", got.header, got.body)
	}
	_ = slow.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := slow.Read(make([]byte, 1)); err == nil {
		t.Errorf("the slow client got %d bytes of an answer", n)
	}
	way.release()
	if status := <-s.ended; status != 0 {
		t.Errorf("it ended with status %d; its log:\n%s", status, s.log)
	}
	if strings.Contains(s.log.String(), `"panic"`) {
		t.Error("a handler panicked")
	}
}
