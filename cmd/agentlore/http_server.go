package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"agentlore/handlers"
	"agentlore/handlers/admit"
	"agentlore/lore"
)

// capacityConfig bounds what a service takes on at once.
type capacityConfig struct {
	handlers.Capacity
	MaxConnections       int           `env:"AGENTLORE_MAX_CONNECTIONS" default:"4096" help:"Connections at once; more wait until one ends."`
	MaxClientConnections int           `env:"AGENTLORE_MAX_CLIENT_CONNECTIONS" default:"256" help:"Connections at once of one client address (IPv6: a /64, four times as many a /48); trusted proxies may have any number."`
	DrainDelay           time.Duration `env:"AGENTLORE_DRAIN_DELAY" default:"0s" help:"How long the service goes on taking requests when it is told to stop, while GET /readyz says no: for balancers to notice."`
	DrainTimeout         time.Duration `env:"AGENTLORE_DRAIN_TIMEOUT" default:"20s" help:"How long requests under way may take to finish when the service is told to stop."`
}

// check returns what is wrong, or nil.
func (c capacityConfig) check() error {
	if c.Reads < 1 || c.Writes < 1 || c.Wait <= 0 || c.MaxConnections < 1 || c.MaxClientConnections < 1 ||
		c.DrainTimeout <= 0 || c.DrainDelay < 0 {
		return errors.New("AGENTLORE_MAX_READS, AGENTLORE_MAX_WRITES, AGENTLORE_MAX_CONNECTIONS, AGENTLORE_MAX_CLIENT_CONNECTIONS, " +
			"AGENTLORE_QUEUE_WAIT and AGENTLORE_DRAIN_TIMEOUT must be above 0, AGENTLORE_DRAIN_DELAY not below")
	}
	return nil
}

// Times of the HTTP server.
const (
	headerTimeout = 5 * time.Second // a client that sends its headers byte by byte
	idleTimeout   = 30 * time.Second
	readTimeout   = 40 * time.Second // for a whole request; bodies have a shorter one of their own
	writeTimeout  = 60 * time.Second
	maxHeader     = 32 << 10
	drainGrace    = 3 * time.Second // for requests to answer once they are ended
)

// clientLimit bounds how many connections a client may have: some addresses that send slowly, or nothing, can't take every place. The
// server's time-outs end their connections.
type clientLimit struct {
	quota   *admit.Quota
	proxies admit.Proxies // not bounded: each has the connections of many clients
	refused func()        // called for each connection that was closed
	counted sync.Map      // from a net.Conn to the client's []netip.Prefix
}

// change follows a connection; it is a server's ConnState. One beyond its client's bound is closed at once.
func (l *clientLimit) change(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		peer, is := conn.RemoteAddr().(*net.TCPAddr)
		if !is {
			return
		}
		address := peer.AddrPort().Addr().Unmap().WithZone("")
		client := admit.Networks(address)
		switch {
		case l.proxies.Trust(address):
		case l.quota.Take(client, 1):
			l.counted.Store(conn, client)
		default:
			_ = conn.Close()
			l.refused()
		}
	case http.StateClosed, http.StateHijacked:
		if client, counted := l.counted.LoadAndDelete(conn); counted {
			l.quota.Free(client.([]netip.Prefix), 1)
		}
	}
}

// errStopping is the cause of a request that was ended because the service stops.
var errStopping = errors.New("the service stops, and this request took too long")

// stopping returns the problem of such a request.
func stopping() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, RetryAfter: 5 * time.Second, Cause: errStopping,
		Detail: "this replica of the service is being stopped and gave the request up; it may have been carried out: " +
			"send it again after the time in Retry-After, unchanged, and it counts once",
	}
}

// serveHTTP serves on a listener until ctx ends. Then GET /readyz says no, and after DrainDelay no new requests are taken. Those under way
// get some time to finish; what isn't answered by then gets a 503, and a client that doesn't read its answer is cut off. To have been
// asked to stop is no error. Refused is called for each connection that was closed because its client had too many.
func (c capacityConfig) serveHTTP(
	ctx context.Context, listener net.Listener, handler *probes, proxies admit.Proxies, refused func(), log *slog.Logger,
) error {
	limit := &clientLimit{
		quota: admit.NewQuota(int64(c.MaxConnections), int64(c.MaxClientConnections)), proxies: proxies, refused: refused,
	}
	requests, end := context.WithCancelCause(context.Background())
	defer end(nil)
	server := &http.Server{
		Handler: handler, BaseContext: func(net.Listener) context.Context { return requests }, ConnState: limit.change,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, c.MaxConnections)) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	handler.draining.Store(true)
	if c.DrainDelay > 0 {
		log.Info("stopping: balancers may notice", "for", c.DrainDelay.String())
		select {
		case err := <-failed:
			return err
		case <-time.After(c.DrainDelay):
		}
	}
	shutdown := func(wait time.Duration) error {
		waiting, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		return server.Shutdown(waiting)
	}
	log.Info("stopping: requests under way may finish", "for", c.DrainTimeout.String())
	if shutdown(c.DrainTimeout) == nil {
		return nil
	}
	log.Warn("stopping: requests that take longer are ended")
	end(stopping())
	if shutdown(drainGrace) != nil {
		log.Warn("stopping: clients that don't read their answers are cut off")
		_ = server.Close() // it only closes connections
	}
	return nil
}
