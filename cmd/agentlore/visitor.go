package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// visitWithin is how long an answer to a client without a place may take altogether: longer than the service takes to look at its
// stores.
const visitWithin = 5 * time.Second

// visitor is a client without a place whose one request is answered. A part of it was read before.
type visitor struct {
	net.Conn
	unread io.Reader
	end    time.Time // of the visit, whatever deadlines the server sets
	left   func()
}

// Read reads on, from what was read before.
func (v *visitor) Read(p []byte) (int, error) { return v.unread.Read(p) }

// SetDeadline, SetReadDeadline and SetWriteDeadline set no time behind the end of the visit.
func (v *visitor) SetDeadline(at time.Time) error { return v.Conn.SetDeadline(v.before(at)) }

// SetReadDeadline is as SetDeadline.
func (v *visitor) SetReadDeadline(at time.Time) error { return v.Conn.SetReadDeadline(v.before(at)) }

// SetWriteDeadline is as SetDeadline.
func (v *visitor) SetWriteDeadline(at time.Time) error { return v.Conn.SetWriteDeadline(v.before(at)) }

func (v *visitor) before(at time.Time) time.Time {
	if at.IsZero() || at.After(v.end) {
		return v.end
	}
	return at
}

// Close ends the visit.
func (v *visitor) Close() error { v.left(); return v.Conn.Close() }

type connKey struct{}

// noteConn is the server's ConnContext: it lets requests know what they came by.
func noteConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// ofPlaces returns the handler for those who have a place, and for visitors: answers to these end their connections. Who lost its
// place between a request's last byte and now has been told that it was not read, or will be: so it isn't carried out.
func ofPlaces(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch conn := r.Context().Value(connKey{}).(type) {
		case *visitor:
			w.Header().Set("Connection", "close")
		case *connection:
			if conn.lost() {
				panic(http.ErrAbortHandler) // net/http's own way to drop a connection
			}
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

// answer lets the server answer a client that keeps no place, and what it sent was read already.
func (a *turningAway) answer(conn net.Conn, sent []byte) {
	visit := &visitor{
		Conn: conn, unread: io.MultiReader(bytes.NewReader(bytes.Clone(sent)), conn), end: time.Now().Add(a.visit), left: sync.OnceFunc(func() { <-a.places }),
	}
	_ = visit.SetDeadline(visit.end)
	alone := &single{visit}
	a.serve(alone)
	if alone.conn != nil { // the server has ended and took nobody in
		_ = visit.Close()
	}
}
