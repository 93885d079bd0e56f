package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
)

// More clients than there is room for, all at work: who is beyond the bound is told when to come back, whole and with its body
// unread, and who asks how the service is gets its answer.
func TestACrowdIsTurnedAway(t *testing.T) {
	t.Parallel()
	const room, crowd = 2, 40
	var inside, counted atomic.Int64
	work := make(chan struct{})
	server, stop := bounded(t, room, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			inside.Add(1)
			<-work
		}
	})
	server.clients.away.counted = func() { counted.Add(1) }

	send := func(method, path string) (*http.Response, string) {
		client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		request, _ := http.NewRequest(method, "http://"+server.clients.Addr().String()+path, strings.NewReader(strings.Repeat("x", 100_000)))
		if method == http.MethodGet {
			request.Body, request.ContentLength = http.NoBody, 0
		}
		response, err := client.Do(request)
		if err != nil {
			t.Error(err)
			return &http.Response{}, ""
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response, string(body)
	}
	var group sync.WaitGroup
	for range room {
		group.Go(func() {
			if response, _ := send("GET", "/work"); response.StatusCode != http.StatusOK {
				t.Errorf("who was let in got %d", response.StatusCode)
			}
		})
	}
	enginetest.Within(t, time.Minute, "all places are taken", func() bool { return inside.Load() == room })
	var outside sync.WaitGroup
	for range crowd {
		outside.Go(func() {
			response, body := send("POST", "/work")
			if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "1" || !response.Close ||
				response.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(body, `"code":"store_unavailable"`) {
				t.Errorf("%d %v %s", response.StatusCode, response.Header, body)
			}
		})
		outside.Go(func() {
			if response, _ := send("GET", "/health"); response.StatusCode != http.StatusOK || !response.Close {
				t.Errorf("/health: %d", response.StatusCode)
			}
		})
	}
	outside.Wait()
	if inside.Load() != room || counted.Load() != crowd {
		t.Errorf("%d were let in, want %d; %d were counted as turned away, want %d", inside.Load(), room, counted.Load(), crowd)
	}
	enginetest.Within(t, time.Minute, "nobody is being turned away", func() bool { return len(server.clients.away.places) == 0 })
	close(work)
	group.Wait()
	stop()
}

// Clients who wake up just when their places are given away: each request is answered, and what was answered with an end wasn't
// carried out.
func TestARequestThatCrossesItsEnd(t *testing.T) {
	t.Parallel()
	const room = 8
	var served atomic.Int64
	server, stop := bounded(t, room, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wakes" {
			served.Add(1)
		}
	})
	defer stop()
	address := server.clients.Addr().String()
	request := func(path string) []byte {
		return []byte("GET " + path + " HTTP/1.1\r\nHost: " + address + "\r\n\r\n")
	}
	var answers [2]atomic.Int64 // 200, 408
	for range 50 {
		clients := &lightClient{address: address}
		var woken, group sync.WaitGroup
		woken.Add(room)
		start := make(chan struct{})
		for range room {
			group.Go(func() {
				conn, err := clients.take()
				if err != nil {
					t.Error(err)
				}
				defer conn.Close()
				for response, err := conn.exchange(request("/first")); err != nil || response.StatusCode != http.StatusOK; response, err = conn.exchange(request("/first")) {
					conn.Close() // the last round's clients are still there
					if conn, err = clients.take(); err != nil {
						t.Error(err)
					}
				}
				woken.Done()
				<-start
				response, err := conn.exchange(request("/wakes"))
				switch {
				case err != nil:
					t.Error("no answer:", err)
				case response.StatusCode == http.StatusOK:
					answers[0].Add(1)
				case response.StatusCode == http.StatusRequestTimeout && response.Close && response.Header.Get("Retry-After") == "1":
					answers[1].Add(1)
				default:
					t.Error("status", response.StatusCode)
				}
			})
		}
		woken.Wait()
		server.clients.mu.Lock()
		for place := server.clients.silent.Front(); place != nil; place = place.Next() {
			place.Value.(*connection).since = time.Time{}
		}
		server.clients.mu.Unlock()
		for range room {
			group.Go(func() {
				<-start
				if fresh, err := net.Dial("tcp", clients.address); err == nil {
					fresh.Close()
				}
			})
		}
		close(start)
		group.Wait()
	}
	if served.Load() != answers[0].Load() {
		t.Errorf("%d were served, and %d got their answers", served.Load(), answers[0].Load())
	}
	t.Logf("%d were served, %d told to come again", answers[0].Load(), answers[1].Load())
}

// Who loses its place when its request has been read, and the server hasn't come to it yet: it is told that it wasn't read, so
// nothing of it is done.
func TestALateExpiryCarriesNothingOut(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server, stop := bounded(t, 4, func(http.ResponseWriter, *http.Request) { served.Add(1) })
	defer stop()
	client, err := net.Dial("tcp", server.clients.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	house := server.clients
	one := func() *connection {
		house.mu.Lock()
		defer house.mu.Unlock()
		if first := house.silent.Front(); first != nil {
			return first.Value.(*connection)
		}
		return nil
	}
	enginetest.Within(t, time.Minute, "the client has a place", func() bool { return one() != nil })
	conn := one()
	house.mu.Lock() // so that the server can't come to it
	if _, err := io.WriteString(client, "GET /work HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	enginetest.Within(t, time.Minute, "the request is read", func() bool { return conn.state.Load() == heard })
	conn.begun = true
	conn.expire(true)
	house.forget(conn)
	house.mu.Unlock()
	answer, err := io.ReadAll(client)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") || strings.Count(string(answer), "HTTP/1.1") != 1 || !strings.Contains(string(answer), `"retryable":true`) {
		t.Errorf("it is told %q, %v", answer, err)
	}
	if served.Load() > 0 {
		t.Error("it was carried out all the same")
	}
}

// A visitor that announces a body and never sends it goes after a while: it would keep others from being turned away, and the
// service from ending.
func TestAVisitorCantStay(t *testing.T) {
	t.Parallel()
	inside, work := make(chan struct{}), make(chan struct{})
	server, stop := bounded(t, 1, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			close(inside)
			<-work
		}
	})
	defer stop()
	defer close(work)
	server.clients.away.visit = 50 * time.Millisecond
	address := server.clients.Addr().String()
	send := func(request string) net.Conn {
		client, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(client, request); err != nil {
			t.Fatal(err)
		}
		return client
	}
	defer send("GET /work HTTP/1.1\r\nHost: x\r\n\r\n").Close()
	<-inside
	visitor := send("GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
	defer visitor.Close()
	_ = visitor.SetReadDeadline(time.Now().Add(readTimeout / 2))
	if answer, err := io.ReadAll(visitor); err != nil {
		t.Errorf("it is still there after %s: %q, %v", readTimeout/2, answer, err)
	}
	enginetest.Within(t, time.Minute, "its place is free", func() bool { return len(server.clients.away.places) == 0 })
}

// bounded returns a server with room for so many clients, and what ends it.
func bounded(t *testing.T, room int, handler http.HandlerFunc) (server *drained, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server = newDrained(handler, listener, room, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.serve(ctx, time.Minute) }()
	return server, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// Who has sent something isn't silent, though nobody has read it yet.
func TestHasSent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is asked")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if hasSent(conn) {
		t.Error("a silent client has sent something")
	}
	if _, err := io.WriteString(client, "G"); err != nil {
		t.Fatal(err)
	}
	enginetest.Within(t, time.Minute, "what was sent is seen", func() bool { return hasSent(conn) })
	read := make([]byte, 2)
	if n, err := conn.Read(read); err != nil || string(read[:n]) != "G" {
		t.Errorf("then %q is read, %v", read[:n], err)
	}
	conn.Close()
	if hasSent(conn) {
		t.Error("a closed connection has sent something")
	}
}
