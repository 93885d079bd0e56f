package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agentlore/enginetest"
)

// dialFrom connects to a service from an address of this machine.
func dialFrom(ctx context.Context, s *service, from string) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 0))}
	return dialer.DialContext(ctx, "tcp", strings.TrimPrefix(s.base, "http://"))
}

// clientFrom returns a client that asks from an address of this machine.
func clientFrom(t *testing.T, s *service, from string) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 8, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialFrom(ctx, s, from) }}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

// slowly keeps a connection to a service busy with as little as it can, until it is cut off or ctx ends.
func slowly(ctx context.Context, conn net.Conn, kind int) {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	head := []string{
		"GET /search/all?q=x HTTP/1.1\r\n", // headers that never end
		"POST /intake/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 250000\r\n\r\n{", // a body that never ends
		"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 250000\r\n\r\n" + strings.Repeat(" ", 200_000),
		"", // nothing
		"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", // answers that nobody reads
	}[kind%5]
	_, err := io.WriteString(conn, head)
	for ; err == nil && ctx.Err() == nil; pause(ctx, time.Second) {
		_, err = io.WriteString(conn, map[int]string{0: "X-A: b\r\n", 1: " ", 2: " ", 3: "", 4: head}[kind%5])
		if kind%5 == 3 { // whether it is cut off, only a read tells
			_ = conn.SetReadDeadline(time.Now().Add(time.Second))
			if _, err = conn.Read(make([]byte, 1)); errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
				err = nil
			}
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// Clients of four addresses take as many connections as they get, send as slowly as they can, and come back when they are cut
// off. Others search meanwhile, and submit, as if they weren't there.
func TestSlowClientsHoldNothingThatOthersNeed(t *testing.T) {
	const slow, lasts = 2500, 12 * time.Second
	s := serveProcess(t, enginetest.Prefix(t), "--rate-read=1200-M")
	me := s.register(t, "is not slow")
	s.submit(t, me, observation("what others look for"))
	ctx, stop := context.WithCancel(t.Context())
	var attackers sync.WaitGroup
	var connected, cutOff atomic.Int64
	for i := range slow {
		attackers.Go(func() {
			for from := fmt.Sprintf("127.0.0.%d", 1+i%4); ctx.Err() == nil; pause(ctx, time.Second) {
				conn, err := dialFrom(ctx, s, from)
				if err != nil {
					continue
				}
				connected.Add(1)
				slowly(ctx, conn, i)
				conn.Close()
				cutOff.Add(1)
			}
		})
	}
	defer func() { stop(); attackers.Wait() }()
	enginetest.Within(t, 20*time.Second, "all slow clients have connected", func() bool { return connected.Load() >= slow })

	ask := func(client *http.Client, method, path, body string) (time.Duration, error) {
		request, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(body))
		if err != nil {
			return 0, err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+me.token)
		began := time.Now()
		response, err := client.Do(request)
		if err != nil {
			return time.Since(began), err
		}
		defer response.Body.Close()
		if _, err = io.Copy(io.Discard, response.Body); err == nil && response.StatusCode >= 300 {
			err = fmt.Errorf("status %d", response.StatusCode)
		}
		return time.Since(began), err
	}
	var mu sync.Mutex
	var took []time.Duration
	var failed []error
	var others sync.WaitGroup
	began := time.Now()
	for worker := range 4 {
		client := clientFrom(t, s, fmt.Sprintf("127.0.0.%d", 10+worker))
		others.Go(func() {
			for n := 0; time.Since(began) < lasts; n++ {
				if n%10 == 0 {
					client.CloseIdleConnections() // newcomers find a place too
				}
				method, path, body := "GET", "/search/all?q=look", ""
				if n%5 == 4 {
					method, path, body = "POST", "/intake/submit", fmt.Sprintf(`{"summary":"not slow %d %d","category":"failure"}`, worker, n)
				}
				one, err := ask(client, method, path, body)
				mu.Lock()
				if took = append(took, one); err != nil {
					failed = append(failed, fmt.Errorf("%s %s after %s: %w", method, path, time.Since(began), err))
				}
				mu.Unlock()
				pause(ctx, 10*time.Millisecond)
			}
		})
	}
	others.Wait()
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	t.Logf("%d slow clients connected %d times and were cut off %d times; %d requests of others: p50 %s, p99 %s, longest %s, %d failed; highest memory %.0f MiB", slow,
		connected.Load(), cutOff.Load(), len(took), p50.Round(time.Millisecond), p99.Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), len(failed), residentMiB(t, s))
	if len(failed) > 0 || p99 > time.Second {
		t.Errorf("%d requests of others failed, p99 is %s; the first: %v", len(failed), p99, errors.Join(failed[:min(3, len(failed))]...))
	}
}

// A client has so many connections and no more, those of others don't count for it, and those of a trusted proxy not at all.
func TestConnectionsOfAClientAreBounded(t *testing.T) {
	t.Parallel()
	const most = 5
	s := serve(t, sharedService(t).prefix, fmt.Sprintf("--max-client-connections=%d", most), "--max-connections=20", "--trusted-proxies=127.0.0.3")
	// open opens connections and returns those that are served.
	open := func(from string, n int) (served []net.Conn) {
		for range n {
			conn, err := dialFrom(t.Context(), s, from)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close() })
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			_, _ = io.WriteString(conn, "GET /categories HTTP/1.1\r\nHost: x\r\n\r\n")
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			switch {
			case err == nil && response.StatusCode == http.StatusOK:
				served = append(served, conn)
			case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE):
				t.Errorf("%v %v", response, err)
			}
		}
		return served
	}
	first := open("127.0.0.2", most+3)
	if len(first) != most {
		t.Fatalf("%d connections of one client, want %d", len(first), most)
	}
	if got := metric(t, s, `agentlore_requests_shed_total{reason="connections"}`); got != "3" {
		t.Errorf("%q cut-off connections are counted, want 3", got)
	}
	first[0].Close()
	enginetest.Within(t, time.Minute, "a place that was given back is there", func() bool { return len(open("127.0.0.2", 1)) == 1 })
	others, proxied := open("127.0.0.4", 2), open("127.0.0.3", most+3)
	if len(others) != 2 {
		t.Errorf("%d of another client's 2 connections are served", len(others))
	}
	if len(proxied) != most+3 {
		t.Errorf("%d connections of a proxy, want %d", len(proxied), most+3)
	}
}
