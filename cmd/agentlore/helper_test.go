package main

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// text is what a command has printed so far; tests read it while it is written.
type text struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes.String()
}

// newLog returns a log like the program's own.
func newLog(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }

// inTime fails unless what was stored can be found within 2 s: the index refreshes every second.
func inTime(t *testing.T, what string, holds func() bool) {
	t.Helper()
	enginetest.Within(t, 2*time.Second, what, holds)
}

// inParallel runs work for 0 to n-1, many at a time, and waits for all.
func inParallel(n, atOnce int, work func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			work(i)
		})
	}
	group.Wait()
}

// freeAddress returns an address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
