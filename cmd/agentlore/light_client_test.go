package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// lightClient sends HTTP/1.1 requests that are written out beforehand and keeps its connections. It costs a third of what
// net/http's client does, which on a machine that it shares with the service decides how many requests a flood can bring.
type lightClient struct {
	address string

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

// send sends a request and returns its answer, whose body has been read. Where a connection that was kept has ended meanwhile, it
// is sent again on a new one, as with every client that keeps any.
func (c *lightClient) send(request []byte) (*http.Response, error) {
	for {
		conn, kept := c.last(), true
		if conn == nil {
			opened, err := net.Dial("tcp", c.address)
			if err != nil {
				return nil, err
			}
			conn, kept = &lightConnection{opened, bufio.NewReader(opened)}, false
		}
		response, err := conn.exchange(request)
		if err == nil && !response.Close {
			c.keep(conn)
			return response, nil
		}
		conn.Close()
		if err == nil || !kept {
			return response, err
		}
	}
}

// exchange sends a request and reads its answer.
func (c *lightConnection) exchange(request []byte) (*http.Response, error) {
	if err := c.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return nil, err
	}
	// A service that turns somebody away may answer before it has read everything: its answer counts.
	_, unsent := c.Write(request)
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, errors.Join(err, unsent)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response, err
}

// last takes the connection that was used last from those kept, and returns nil when there is none.
func (c *lightClient) last() (conn *lightConnection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := len(c.idle) - 1; last >= 0 {
		conn, c.idle = c.idle[last], c.idle[:last]
	}
	return conn
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
