package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// lightClient sends HTTP/1.1 requests that are written out beforehand and keeps its connections. It costs a third of what
// net/http's client does, which on a machine that it shares with the service decides how many requests a flood can bring.
type lightClient struct {
	address string
	again   atomic.Int64 // requests that were sent again

	mu   sync.Mutex
	idle []*lightConnection // the one used last is used next
}

// lightConnection is a connection to the service with what it reads by.
type lightConnection struct {
	net.Conn
	reader *bufio.Reader
}

// answerLimit is how long an answer may take.
const answerLimit = time.Minute

// send sends a request and returns its answer, whose body has been read. Where a kept connection was closed before it brought a
// byte, as the service does with those that were silent, the request is sent again and counted; net/http's client does so with
// reads alone. A time-out is never tried again.
func (c *lightClient) send(request []byte) (*http.Response, error) {
	for {
		conn, kept, err := c.take()
		if err != nil {
			return nil, err
		}
		response, begun, err := conn.exchange(request)
		if err != nil {
			conn.Close()
			var slow net.Error
			if kept && !begun && !(errors.As(err, &slow) && slow.Timeout()) {
				c.again.Add(1)
				continue
			}
			return nil, err
		}
		if response.Close {
			conn.Close()
		} else {
			c.keep(conn)
		}
		return response, nil
	}
}

// exchange sends a request and reads its answer, and reports whether any of that came.
func (c *lightConnection) exchange(request []byte) (response *http.Response, begun bool, err error) {
	if err := c.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return nil, false, err
	}
	// A service that turns somebody away may answer before it has read everything: its answer counts.
	_, unsent := c.Write(request)
	if _, err := c.reader.Peek(1); err != nil {
		if unsent != nil {
			err = fmt.Errorf("%w, and before: %w", err, unsent)
		}
		return nil, false, err
	}
	if response, err = http.ReadResponse(c.reader, nil); err != nil {
		return nil, true, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response, true, err
}

// take returns a connection, and whether it was kept from before.
func (c *lightClient) take() (conn *lightConnection, kept bool, err error) {
	c.mu.Lock()
	if last := len(c.idle) - 1; last >= 0 {
		conn, c.idle = c.idle[last], c.idle[:last]
	}
	c.mu.Unlock()
	if conn != nil {
		return conn, true, nil
	}
	opened, err := net.Dial("tcp", c.address)
	if err != nil {
		return nil, false, err
	}
	return &lightConnection{opened, bufio.NewReader(opened)}, false, nil
}

func (c *lightClient) keep(conn *lightConnection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, conn)
}

// close closes the connections that are kept.
func (c *lightClient) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.idle {
		conn.Close()
	}
	c.idle = nil
}
