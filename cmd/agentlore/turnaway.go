package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"agentlore/handlers"
)

const (
	// turnedAtOnce bounds how many clients are being turned away at once. Who comes beyond that waits outside for a moment, where it
	// costs nothing. Each takes some 10 kB.
	turnedAtOnce = 512
	// turnedWithin is how long one may take to send its request and to read what it is told.
	turnedWithin = time.Second
)

// turningAway tells clients for whom there is no place to come back later. It costs a fraction of what a client of the server
// does: to leave them waiting would make a flood's every answer late. Who asks how the service is, is answered all the same.
type turningAway struct {
	places  chan struct{}
	buffers *sync.Pool
	counted func()             // is told of each
	serve   func(net.Listener) // lets the server answer
}

func newTurningAway() turningAway {
	return turningAway{
		places: make(chan struct{}, turnedAtOnce), counted: func() {}, serve: func(net.Listener) {},
		buffers: &sync.Pool{New: func() any { return new([4096]byte) }},
	}
}

// turn turns a client away. It waits for nothing but until that can begin.
func (a *turningAway) turn(conn net.Conn) {
	a.places <- struct{}{}
	go a.tell(conn)
}

// tell reads a request and answers it, or lets the server do so.
func (a *turningAway) tell(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(turnedWithin))
	buffer := a.buffers.Get().(*[4096]byte)
	defer a.buffers.Put(buffer)
	n, err := conn.Read(buffer[:])
	if err == nil && asksForState(buffer[:n]) {
		_ = conn.SetDeadline(time.Time{})
		a.serve(&single{&visitor{
			Conn: conn, unread: io.MultiReader(bytes.NewReader(bytes.Clone(buffer[:n])), conn), left: sync.OnceFunc(func() { <-a.places }),
		}})
		return
	}
	defer func() { <-a.places }()
	if err != nil { // its request may still be on its way
		tellLast(conn, handlers.Expiry(), buffer[:])
		return
	}
	a.counted()
	tellLast(conn, handlers.Refusal(), buffer[:])
}

// part tells a client that it lost its place, and closes its connection.
func (a *turningAway) part(conn net.Conn) {
	select {
	case a.places <- struct{}{}:
		defer func() { <-a.places }()
	default: // too many are there to let this one finish as well
		tellLast(conn, handlers.Expiry(), nil)
		return
	}
	buffer := a.buffers.Get().(*[4096]byte)
	defer a.buffers.Put(buffer)
	tellLast(conn, handlers.Expiry(), buffer[:])
}

// tellLast writes a connection's last answer and closes it. One that is closed while there is something to read from it is reset,
// and the answer may be lost with it: so the client may finish first, in bounded time, when there is a buffer to read into.
func tellLast(conn net.Conn, answer, buffer []byte) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(turnedWithin))
	if _, err := conn.Write(answer); err != nil || len(buffer) == 0 {
		return
	}
	if closer, can := conn.(interface{ CloseWrite() error }); can && closer.CloseWrite() == nil {
		for {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
		}
	}
}

// asksForState reports whether a request begins as those of balancers and monitors do.
func asksForState(request []byte) bool {
	for _, line := range []string{"GET /health ", "HEAD /health ", "GET /metrics "} {
		if bytes.HasPrefix(request, []byte(line)) {
			return true
		}
	}
	return false
}

// visitor is a client without a place whose one request is answered. A part of it was read before.
type visitor struct {
	net.Conn
	unread io.Reader
	left   func()
}

// Read reads on, from what was read before.
func (v *visitor) Read(p []byte) (int, error) { return v.unread.Read(p) }

// Close ends the visit.
func (v *visitor) Close() error { v.left(); return v.Conn.Close() }

type visitorKey struct{}

// markVisitor is the server's ConnContext: it tells visitors from those who have a place.
func markVisitor(ctx context.Context, conn net.Conn) context.Context {
	if _, visits := conn.(*visitor); visits {
		return context.WithValue(ctx, visitorKey{}, true)
	}
	return ctx
}

// oneAnswer returns the handler with answers to visitors that end their connections.
func oneAnswer(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(visitorKey{}) != nil {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
}

// single is a listener with one client.
type single struct{ conn net.Conn }

// Accept returns the client, and then net.ErrClosed.
func (s *single) Accept() (conn net.Conn, err error) {
	if s.conn == nil {
		return nil, net.ErrClosed
	}
	conn, s.conn = s.conn, nil
	return conn, nil
}

// Close does nothing: the client is closed by itself.
func (s *single) Close() error { return nil }

// Addr returns no address: nobody asks.
func (s *single) Addr() net.Addr { return &net.TCPAddr{} }
