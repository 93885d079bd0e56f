package main

import (
	"container/list"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// What a client is at, as its reader and who wants its place see it without a lock.
const (
	quiet   int32 = iota // it has sent nothing since its last request was answered
	heard                // it has sent something: a request is on its way, or under way
	expired              // its place was given away
	parting              // it is being told so
)

// connection is that of a client which has, or had, a place among the connections.
type connection struct {
	net.Conn
	all   *connections
	state atomic.Int32

	// Guarded by the lock of all.
	place *list.Element // among the silent; nil: a request is under way, or the place was given away
	since time.Time     // when it fell silent, or was seen to begin a request that isn't there yet
	begun bool          // it was seen to begin one
}

// Read reads what the client sent. What comes after its place was given away is not read.
func (c *connection) Read(p []byte) (int, error) {
	if c.lost() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := c.Conn.Read(p)
	if n > 0 && !c.state.CompareAndSwap(quiet, heard) && c.lost() {
		return 0, os.ErrDeadlineExceeded
	}
	return n, err
}

func (c *connection) lost() bool { return c.state.Load() >= expired }

// expire takes the client's place from it, unless it was heard or insist is set, and reports whether it did.
func (c *connection) expire(insist bool) bool {
	if insist {
		c.state.Store(expired)
	} else if hasSent(c.Conn) || !c.state.CompareAndSwap(quiet, expired) {
		return false
	}
	_ = c.SetReadDeadline(time.Unix(1, 0)) // its server stops waiting for it, and closes it
	return true
}

// Close ends the connection. Who lost its place is told so: a request that is on its way to here would have no answer otherwise.
func (c *connection) Close() error {
	if c.state.CompareAndSwap(expired, parting) {
		go c.all.away.part(c.Conn)
	}
	if c.lost() {
		return nil // it ends in a moment
	}
	return c.Conn.Close()
}

// CloseWrite ends what is sent to the client: the server does so where it hasn't read a whole request and wants its answer to arrive.
func (c *connection) CloseWrite() error { return closeWrite(c.Conn) }

// closeWrite ends what is sent on a connection. It returns errors.ErrUnsupported where the connection ends as a whole only.
func closeWrite(conn net.Conn) error {
	if closer, can := conn.(interface{ CloseWrite() error }); can {
		return closer.CloseWrite()
	}
	return errors.ErrUnsupported
}
