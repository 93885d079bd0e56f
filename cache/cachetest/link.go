package cachetest

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// Link is a connection to a Server that can be cut for one client while the others keep theirs.
type Link struct {
	listener net.Listener
	backend  string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// NewLink returns a Link to server. It ends with the test.
func NewLink(tb testing.TB, server *Server) *Link {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	l := &Link{listener: listener, backend: fmt.Sprintf("127.0.0.1:%d", server.port), conns: map[net.Conn]bool{}}
	tb.Cleanup(func() {
		_ = listener.Close()
		l.Cut()
	})
	go l.accept()
	return l
}

// URL returns the address of the server as seen through the link.
func (l *Link) URL() string { return "redis://" + l.listener.Addr().String() + "/0" }

// Cut ends all connections and refuses new ones.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for conn := range l.conns {
		_ = conn.Close()
	}
	clear(l.conns)
}

// Mend ends Cut.
func (l *Link) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

func (l *Link) accept() {
	for {
		in, err := l.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", l.backend)
		if err != nil || !l.keep(in, out) {
			_ = in.Close()
			if out != nil {
				_ = out.Close()
			}
			continue
		}
		go forward(in, out)
		go forward(out, in)
	}
}

func (l *Link) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		l.conns[conn] = true
	}
	if l.cut {
		for _, conn := range conns {
			delete(l.conns, conn)
		}
	}
	return !l.cut
}

// forward copies until one side ends, and then ends the other.
func forward(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}
