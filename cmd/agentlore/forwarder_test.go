package main

import (
	"net"
	"sync"
	"testing"
	"time"
)

// forwarder is a connection to a store that can be cut for one service while others keep theirs.
type forwarder struct {
	listener net.Listener
	backend  string

	mu      sync.Mutex
	closed  bool
	latency time.Duration
	resets  int           // every so many pieces of an answer, the connection is reset instead; 0: never
	pieces  int           // of answers so far
	held    chan struct{} // while it is there, bytes wait; closed by release
	conns   map[net.Conn]bool
}

func newForwarder(t *testing.T, backend string) *forwarder {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &forwarder{listener: listener, backend: backend, conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = listener.Close()
		f.cut()
	})
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go f.forward(in)
		}
	}()
	return f
}

// cut ends all connections and lets no new one through.
func (f *forwarder) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for conn := range f.conns {
		_ = conn.Close()
	}
	clear(f.conns)
}

// hold keeps all bytes back: connections stay open, and nothing arrives.
func (f *forwarder) hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = make(chan struct{})
}

// release ends hold: what waited arrives.
func (f *forwarder) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.held)
	f.held = nil
}

// delay makes every piece of an answer wait.
func (f *forwarder) delay(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.latency = d
}

// reset ends every n-th piece of an answer by a reset of both connections, which no close announces; 0 ends that.
func (f *forwarder) reset(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resets = n
}

// pass copies from one side to the other.
func (f *forwarder) pass(to, from net.Conn, answers bool) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		f.mu.Lock()
		held, latency := f.held, f.latency
		if answers {
			f.pieces++
		}
		reset := answers && f.resets > 0 && f.pieces%f.resets == 0
		f.mu.Unlock()
		if reset {
			for _, conn := range []net.Conn{to, from} {
				if tcp, ok := conn.(*net.TCPConn); ok {
					_ = tcp.SetLinger(0) // a reset, not an orderly end
				}
				_ = conn.Close()
			}
			return
		}
		if held != nil {
			<-held
		}
		if latency > 0 {
			time.Sleep(latency)
		}
		if n > 0 {
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// mend ends cut.
func (f *forwarder) mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = false
}

func (f *forwarder) forward(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", f.backend)
	if err != nil {
		return
	}
	defer out.Close()
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return
	}
	f.conns[in], f.conns[out] = true, true
	f.mu.Unlock()
	done := make(chan struct{}, 2)
	pass := func(to, from net.Conn, answers bool) {
		f.pass(to, from, answers)
		done <- struct{}{}
	}
	go pass(in, out, true)
	go pass(out, in, false)
	<-done
	f.mu.Lock()
	delete(f.conns, in)
	delete(f.conns, out)
	f.mu.Unlock()
}
