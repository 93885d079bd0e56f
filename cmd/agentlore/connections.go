package main

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

// silence is how long a client must have sent nothing to lose its place to another one. In a flood many connections are idle for
// a moment, and on a busy machine a new one's first request is on its way for a while.
const silence = 2 * time.Second

// connections bounds how many clients may be connected at once. Each costs memory, whether it sends or not. When all places are
// taken, a new client gets that of the one that has been silent longest (slow or idle). Where nobody is silent it is turned away.
type connections struct {
	net.Listener
	limit   int
	away    turningAway
	closing sync.Once

	mu     sync.Mutex
	known  map[*connection]struct{}
	silent *list.List // of *connection without a request under way, the longest silent first
}

func boundConnections(listener net.Listener, limit int) *connections {
	return &connections{Listener: listener, limit: limit, away: newTurningAway(), known: map[*connection]struct{}{}, silent: list.New()}
}

// Accept returns the next client for whom there is room.
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if admitted := c.admit(conn); admitted != nil {
			return admitted, nil
		}
		c.away.turn(conn)
	}
}

// Close ends the listener, and the wait of who would be turned away.
func (c *connections) Close() error {
	c.closing.Do(func() { close(c.away.ended) })
	return c.Listener.Close()
}

// admit notes a new client when there is room for it, or can be made. Without room it returns nil.
func (c *connections) admit(conn net.Conn) *connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for len(c.known) >= c.limit {
		longest := c.silent.Front()
		if longest == nil {
			return nil
		}
		silent := longest.Value.(*connection)
		if now.Sub(silent.since) < silence {
			return nil
		}
		if !silent.expire(silent.begun) { // it has as long again to send the rest of its request's headers
			silent.begun, silent.since = true, now
			c.silent.MoveToBack(longest)
			continue
		}
		c.forget(silent)
	}
	admitted := &connection{Conn: conn, all: c}
	c.known[admitted] = struct{}{}
	c.fallSilent(admitted)
	return admitted
}

// changed is the server's ConnState: it tells who is at work. A client counts as at work when its request's headers are there; one
// that sends them slowly is silent, and ended by the server's own deadline at the latest.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	one, placed := conn.(*connection)
	if !placed {
		return // a visitor
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.known[one]; !known {
		return // it lost its place
	}
	switch state {
	case http.StateActive:
		c.leaveSilent(one)
	case http.StateIdle:
		if one.place == nil {
			one.state.Store(quiet)
			c.fallSilent(one)
		}
	case http.StateClosed, http.StateHijacked:
		c.forget(one)
	}
}

func (c *connections) fallSilent(one *connection) {
	one.begun, one.since = false, time.Now()
	one.place = c.silent.PushBack(one)
}

func (c *connections) leaveSilent(one *connection) {
	if one.place != nil {
		c.silent.Remove(one.place)
		one.place = nil
	}
}

// forget frees a client's place.
func (c *connections) forget(one *connection) {
	c.leaveSilent(one)
	delete(c.known, one)
}

// busy returns how many clients have a request under way.
func (c *connections) busy() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known) - c.silent.Len()
}
