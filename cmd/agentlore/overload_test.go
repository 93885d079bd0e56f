package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// residentMiB returns the highest memory that a service of its own process ever had.
func residentMiB(t *testing.T, s *service) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		t.Skip("needs /proc to tell a process's memory")
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found { // the highest it ever was
			kilobytes, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return float64(kilobytes) / 1024
		}
	}
	t.Fatal("no VmHWM in /proc")
	return 0
}

// More than the service holds: what it takes it answers in time, what it can't take it refuses at once, its memory stays
// bounded, and it recovers. By default for a few seconds; AGENTLORE_LONG=1 takes the design's 60 s.
func TestOverload(t *testing.T) {
	lasts, crowd := 4*time.Second, 400
	if os.Getenv("AGENTLORE_LONG") == "1" {
		lasts, crowd = time.Minute, 1280 // ten times what it works on at once
	}
	prefix := enginetest.Prefix(t)
	s := serveProcess(t, prefix, "--queue-wait=400ms", "--max-writes=128", "--max-reads=64")
	me := s.register(t, "one-of-many")
	flood := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: crowd, MaxConnsPerHost: crowd}}
	defer flood.CloseIdleConnections()
	var mu sync.Mutex
	statuses := map[int]int{}
	var accepted []time.Duration
	ctx, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	var group sync.WaitGroup
	content := strings.Repeat("What the crowd has to say. ", 80) // 2 kB
	for worker := range crowd {
		group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				body := fmt.Sprintf(`{"summary":"flood %d of %d","category":"failure","content":%q}`, i, worker, content)
				request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), "POST", s.base+"/intake/submit", strings.NewReader(body))
				if worker%4 == 3 {
					request, err = http.NewRequestWithContext(context.WithoutCancel(ctx), "GET", s.base+"/search/all?q=crowd+flood+say", nil)
				}
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer "+me.token)
				began := time.Now()
				response, err := flood.Do(request)
				took := time.Since(began)
				if err != nil {
					t.Errorf("no answer: %v", err)
					return
				}
				_, _ = bufio.NewReader(response.Body).WriteTo(discard{})
				response.Body.Close()
				mu.Lock()
				statuses[response.StatusCode]++
				if response.StatusCode < 300 {
					accepted = append(accepted, took)
				}
				mu.Unlock()
				if response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") == "" {
					t.Error("a 503 without Retry-After")
				}
				if response.StatusCode == http.StatusServiceUnavailable { // an impatient caller: a tenth of what it is told
					select {
					case <-ctx.Done():
					case <-time.After(100 * time.Millisecond):
					}
				}
			}
		})
	}
	group.Wait()
	ended := time.Now()
	enginetest.Within(t, time.Minute, "it works as before", func() bool {
		got := s.send(t, "POST", "/intake/submit", observation(fmt.Sprint("after the flood ", time.Now().UnixNano())), me.bearer()...)
		return got.status == 201
	})
	recovered := time.Since(ended)
	slices.Sort(accepted)
	if len(accepted) == 0 {
		t.Fatalf("nothing was accepted: %v", statuses)
	}
	p50, p99 := accepted[len(accepted)/2], accepted[len(accepted)*99/100]
	memory := residentMiB(t, s)
	t.Logf("%d callers for %s: answers %v; accepted p50 %s, p99 %s; highest memory %.0f MiB; recovered after %s", crowd, lasts, statuses,
		p50.Round(time.Millisecond), p99.Round(time.Millisecond), memory, recovered.Round(time.Millisecond))
	for status := range statuses {
		if status != 200 && status != 201 && status != 503 {
			t.Errorf("an answer with status %d", status)
		}
	}
	if memory > 200 {
		t.Errorf("it took %.0f MiB, want at most 200", memory)
	}
	if os.Getenv("AGENTLORE_LONG") == "1" && (p99 > time.Second || recovered > 5*time.Second) { // figures of a machine of one's own
		t.Errorf("p99 %s and recovery %s, want at most 1 s and 5 s", p99, recovered)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Elasticsearch that hangs: what waits for it is bounded, and the rest is told at once.
func TestAHangingStoreShedsEarly(t *testing.T) {
	t.Parallel()
	way := newLink(t, enginetest.ElasticsearchURL(t))
	s := serve(t, sharedService(t).prefix, "--elasticsearch-url="+way.url, "--queue-wait=50ms", "--max-writes=4", "--elasticsearch-timeout=20s")
	me := s.register(t, "meets-a-hang")
	way.hold()
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			_, _ = s.try(context.Background(), "POST", "/intake/submit", observation(fmt.Sprint("hangs ", i)), me.bearer()...)
		})
	}
	enginetest.Within(t, 2*time.Minute, "a further submit is refused at once", func() bool {
		soon, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		got, err := s.try(soon, "POST", "/intake/submit", observation("one too many"), me.bearer()...)
		if err != nil {
			return false // it got one of the four places itself
		}
		wantProblem(t, got, 503, "store_unavailable")
		return got.header.Get("Retry-After") == "1"
	})
	// Whichever gate it met: look-ups of tokens hang as writes do.
	if metric(t, s, `agentlore_requests_shed_total{reason="tokens"}`)+metric(t, s, `agentlore_requests_shed_total{reason="writes"}`) == "" {
		t.Error("no shed request is counted")
	}
	way.release()
	group.Wait()
	enginetest.Eventually(t, "it works again", func() bool {
		return s.send(t, "POST", "/intake/submit", observation("after the hang"), me.bearer()...).status < 300
	})
}

// Clients that send their headers byte by byte, or nothing, keep nobody out.
func TestSilentConnectionsGiveWay(t *testing.T) {
	t.Parallel()
	s := serve(t, sharedService(t).prefix, "--max-connections=8")
	address := strings.TrimPrefix(s.base, "http://")
	var silent []net.Conn
	for range 16 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		silent = append(silent, conn)
	}
	for range 4 {
		fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
		response, err := fresh.Get(s.base + "/categories")
		if err != nil {
			t.Fatalf("with silent clients on every connection: %v", err)
		}
		response.Body.Close()
	}
	// The first of them lost its place.
	_ = silent[0].SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := silent[0].Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the longest silent connection is still open: %v", err)
	}
}
