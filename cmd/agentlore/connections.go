package main

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

// silence is how long a client must have sent nothing to lose its place to another one. A new one's first request may be on its
// way for a while on a busy machine, and so may the next one of who has just been answered: to close its connection then would
// cost it an answer. In a flood many connections are idle for a moment.
const silence = 2 * time.Second

// connections bounds how many clients may be connected at once. Each costs memory, whether it sends or not. When all places are
// taken, a new client gets that of the one that has been silent longest (slow or idle). Where nobody is silent it is turned away.
type connections struct {
	net.Listener
	limit int
	away  turningAway

	mu     sync.Mutex
	known  map[net.Conn]*list.Element // in silent; nil: a request is under way
	silent *list.List                 // of silentClient, the longest silent first
}

// silentClient is a client that has no request under way.
type silentClient struct {
	net.Conn
	since time.Time
}

func boundConnections(listener net.Listener, limit int) *connections {
	return &connections{Listener: listener, limit: limit, away: newTurningAway(), known: map[net.Conn]*list.Element{}, silent: list.New()}
}

// Accept returns the next client for whom there is room.
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil || c.admit(conn) {
			return conn, err
		}
		c.away.turn(conn)
	}
}

// admit notes a new client when there is room for it, or makes some.
func (c *connections) admit(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for len(c.known) >= c.limit {
		longest := c.silent.Front()
		if longest == nil {
			return false
		}
		client := longest.Value.(silentClient)
		if now.Sub(client.since) < silence {
			return false
		}
		if hasSent(client.Conn) { // it is at work as soon as the server comes to it
			c.silent.Remove(longest)
			c.known[client.Conn] = nil
			continue
		}
		c.forget(client.Conn)
		_ = client.Close()
	}
	c.known[conn] = c.silent.PushBack(silentClient{conn, now})
	return true
}

// changed is the server's ConnState: it tells who is at work. A client counts as at work when its request's headers are there; one
// that sends them slowly is silent, and ended by the server's own deadline at the latest.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place, known := c.known[conn]
	if !known {
		return // it gave up its place, or never had one
	}
	switch state {
	case http.StateActive:
		if place != nil {
			c.silent.Remove(place)
			c.known[conn] = nil
		}
	case http.StateIdle:
		if place == nil {
			c.known[conn] = c.silent.PushBack(silentClient{conn, time.Now()})
		}
	case http.StateClosed, http.StateHijacked:
		c.forget(conn)
	}
}

// forget frees a client's place, for who holds the lock.
func (c *connections) forget(conn net.Conn) {
	if place := c.known[conn]; place != nil {
		c.silent.Remove(place)
	}
	delete(c.known, conn)
}

// busy returns how many clients have a request under way.
func (c *connections) busy() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known) - c.silent.Len()
}
