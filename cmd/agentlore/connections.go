package main

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// connections bounds how many clients may be connected at once. Each costs memory, whether it sends or not. When all are
// taken, a new client gets the place of the one that has been silent longest (slow or idle); where all are at work, it is
// turned away.
type connections struct {
	net.Listener
	limit int

	mu    sync.Mutex
	state map[net.Conn]connection
}

// connection is what is known of one client.
type connection struct {
	busy  bool // a request is under way
	since time.Time
}

func boundConnections(listener net.Listener, limit int) *connections {
	return &connections{Listener: listener, limit: limit, state: map[net.Conn]connection{}}
}

// Accept returns the next client for whom there is room.
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil || c.admit(conn) {
			return conn, err
		}
		_ = conn.Close()
	}
}

// admit notes a new client and makes room for it.
func (c *connections) admit(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.state) >= c.limit {
		var oldest net.Conn
		for other, known := range c.state {
			if !known.busy && (oldest == nil || known.since.Before(c.state[oldest].since)) {
				oldest = other
			}
		}
		if oldest == nil {
			return false
		}
		delete(c.state, oldest)
		_ = oldest.Close()
	}
	c.state[conn] = connection{since: time.Now()}
	return true
}

// changed is the server's ConnState: it tells who is at work. A client counts as at work from its request's first byte; one
// that sends its headers slowly is ended by the server's own deadline.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.state[conn]; !known {
		return // it gave up its place
	}
	switch state {
	case http.StateActive:
		c.state[conn] = connection{busy: true, since: time.Now()}
	case http.StateIdle:
		c.state[conn] = connection{since: time.Now()}
	case http.StateClosed, http.StateHijacked:
		delete(c.state, conn)
	}
}

// busy returns how many clients have a request under way.
func (c *connections) busy() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range c.state {
		if known.busy {
			n++
		}
	}
	return n
}
