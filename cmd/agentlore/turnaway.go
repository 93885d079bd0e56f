package main

import (
	"bytes"
	"net"
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
	ended   chan struct{} // closed when no more clients come
	buffers *sync.Pool
	visit   time.Duration      // visitWithin; a test is in a hurry
	counted func()             // is told of each
	serve   func(net.Listener) // lets the server answer
}

func newTurningAway() turningAway {
	return turningAway{
		places: make(chan struct{}, turnedAtOnce), ended: make(chan struct{}), visit: visitWithin, counted: func() {}, serve: func(net.Listener) {},
		buffers: &sync.Pool{New: func() any { return new([4096]byte) }},
	}
}

// turn turns a client away. It waits for nothing but until that can begin.
func (a *turningAway) turn(conn net.Conn) {
	select {
	case a.places <- struct{}{}:
		go a.tell(conn)
	case <-a.ended:
		_ = conn.Close()
	}
}

// tell reads a request and answers it, or lets the server do so.
func (a *turningAway) tell(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(turnedWithin))
	buffer := a.buffers.Get().(*[4096]byte)
	defer a.buffers.Put(buffer)
	n, err := conn.Read(buffer[:])
	if err == nil && asksForState(buffer[:n]) {
		a.answer(conn, buffer[:n])
		return
	}
	defer func() { <-a.places }()
	if err != nil { // its request may still be on its way, and there was time enough for it
		_ = conn.SetDeadline(time.Now().Add(turnedWithin))
		tellLast(conn, handlers.Expiry(), nil)
		return
	}
	a.counted()
	tellLast(conn, handlers.Refusal(), buffer[:])
}

// part tells a client that it lost its place, and closes its connection.
func (a *turningAway) part(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(turnedWithin))
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
// and the answer may be lost with it: so the client may finish first, until the connection's deadline, where there is a buffer to read into.
func tellLast(conn net.Conn, answer, buffer []byte) {
	defer conn.Close()
	if _, err := conn.Write(answer); err != nil || len(buffer) == 0 {
		return
	}
	for err := closeWrite(conn); err == nil; {
		_, err = conn.Read(buffer)
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
