package main

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"sync"

	"agentlore/handlers/admit"
)

// siteConnections is how many times the connections of one client an IPv6 site (/48) may have. A quarter of all places, by the
// defaults: more than a site needs, too few to keep others out.
const siteConnections = 4

// boundedListener bounds how many connections there are at once, and how many of them a client may have: some addresses that send
// slowly, or nothing, can't take every place. The server's time-outs end their connections. A client beyond its bound is cut
// off at once; where all places are taken, new connections wait in the kernel.
type boundedListener struct {
	net.Listener
	places    chan struct{} // holds one for each connection
	perClient int
	proxies   admit.Proxies // not bounded by themselves: each has the connections of many clients
	refused   func()        // is told of each connection that was cut off
	crowded   func(bool)    // is told when three quarters of the places are taken, and when half of them are free again
	closed    chan struct{}
	closing   sync.Once

	mu   sync.Mutex
	full bool // what crowded was told last
	open map[netip.Prefix]int
}

// bound returns a listener with the bounds that are configured. refused is called for each connection that is cut off.
func (c capacityConfig) bound(listener net.Listener, trusted []string, refused func()) (*boundedListener, error) {
	proxies, err := admit.ParseProxies(trusted)
	return &boundedListener{
		Listener: listener, places: make(chan struct{}, c.MaxConnections), perClient: c.MaxClientConnections, proxies: proxies,
		refused: refused, crowded: func(bool) {}, closed: make(chan struct{}), open: map[netip.Prefix]int{},
	}, err
}

// Accept returns the next connection that there is a place for.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		select {
		case l.places <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
		conn, err := l.Listener.Accept()
		if err != nil {
			<-l.places
			return nil, err
		}
		networks := l.networks(conn)
		if l.take(networks) {
			l.tellCrowded()
			return &boundedConn{Conn: conn, free: sync.OnceFunc(func() { l.free(networks) })}, nil
		}
		<-l.places
		if tcp, is := conn.(*net.TCPConn); is {
			_ = tcp.SetLinger(0) // a reset: it leaves nothing behind in the kernel
		}
		_ = conn.Close()
		l.refused()
	}
}

// Close ends the listener, and the wait for a place.
func (l *boundedListener) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// networks returns what a connection is counted by; a proxy's by nothing.
func (l *boundedListener) networks(conn net.Conn) []netip.Prefix {
	peer, is := conn.RemoteAddr().(*net.TCPAddr)
	if !is {
		return nil
	}
	address := peer.AddrPort().Addr().Unmap().WithZone("")
	if l.proxies.Trust(address) {
		return nil
	}
	return admit.Networks(address)
}

// take counts a connection, unless one of its networks has as many as it may.
func (l *boundedListener) take(networks []netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	most := l.perClient
	for _, network := range networks {
		if l.open[network] >= most {
			return false
		}
		most *= siteConnections
	}
	for _, network := range networks {
		l.open[network]++
	}
	return true
}

// free gives a connection's place back.
func (l *boundedListener) free(networks []netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, network := range networks {
		if l.open[network]--; l.open[network] == 0 {
			delete(l.open, network)
		}
	}
	<-l.places
}

// tellCrowded tells of a change.
func (l *boundedListener) tellCrowded() {
	l.mu.Lock()
	before, taken := l.full, len(l.places)
	switch {
	case taken*4 > cap(l.places)*3:
		l.full = true
	case taken*2 <= cap(l.places):
		l.full = false
	}
	full := l.full
	l.mu.Unlock()
	if full != before {
		l.crowded(full)
	}
}

// boundedConn is a connection with a place.
type boundedConn struct {
	net.Conn
	free func()
}

// Close ends the connection and gives its place back.
func (c *boundedConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}

// CloseWrite ends what is sent to the client. The server does so before it closes a connection of which it hasn't read everything:
// closed at once, the answer might be lost.
func (c *boundedConn) CloseWrite() error {
	if closer, can := c.Conn.(interface{ CloseWrite() error }); can {
		return closer.CloseWrite()
	}
	return errors.ErrUnsupported
}

// serverError begins what net/http answers by itself, behind the status, to what it can't read. Handlers' answers have a Date.
var serverError = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// Write sends an answer. Those that net/http writes by itself get the header that all others have.
func (c *boundedConn) Write(p []byte) (int, error) {
	if len(p) < 512 && bytes.HasPrefix(p, []byte("HTTP/1.1 ")) {
		if status, text, is := bytes.Cut(p, serverError); is && !bytes.Contains(status, []byte("\r\n")) {
			_, err := c.Conn.Write(bytes.Join([][]byte{status, []byte("\r\nX-Content-Type-Options: nosniff"), serverError, text}, nil))
			return len(p), err
		}
	}
	return c.Conn.Write(p)
}
