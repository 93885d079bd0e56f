package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"agentlore/lore"
)

// drainGrace is how long requests have to answer once they are ended.
const drainGrace = 3 * time.Second

// errStopping is the cause of a request that was ended because the service stops.
var errStopping = errors.New("the service stops, and this request took too long")

// stopping is what the caller of such a request is told.
func stopping() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, RetryAfter: 5 * time.Second, Cause: errStopping,
		Detail: "this replica of the service is being stopped and gave the request up; it may have been carried out: send it again after the time in Retry-After, unchanged, and it counts once",
	}
}

// drained is a server that ends in a bounded time, whatever its requests wait for.
type drained struct {
	*http.Server
	clients *boundedListener
	end     context.CancelCauseFunc // of all requests
	log     *slog.Logger
}

// newDrained returns the server for a listener.
func newDrained(handler http.Handler, clients *boundedListener, log *slog.Logger) *drained {
	requests, end := context.WithCancelCause(context.Background())
	server := &http.Server{
		Handler: handler, BaseContext: func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
	}
	// In a crowd a connection ends with its answer, and those that are idle end at once: their places are for who has a request.
	clients.crowded = func(crowded bool) { server.SetKeepAlivesEnabled(!crowded) }
	return &drained{clients: clients, end: end, log: log, Server: server}
}

// serve serves until ctx ends. Then it takes no new requests and gives those under way some time to finish; what isn't
// answered by then gets a 503, and a client that doesn't read its answer is cut off. To have been asked to stop is no error.
func (d *drained) serve(ctx context.Context, finish time.Duration) error {
	defer d.end(nil)
	failed := make(chan error, 1)
	go func() { failed <- d.Serve(d.clients) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	d.log.Info("stopping: requests under way may finish", "for", finish.String())
	if d.shutdown(finish) {
		return nil
	}
	d.log.Warn("stopping: requests that take longer are ended", "connections", len(d.clients.places))
	d.end(stopping())
	if !d.shutdown(drainGrace) {
		d.log.Warn("stopping: clients that don't read their answers are cut off", "connections", len(d.clients.places))
		_ = d.Close() // it only closes connections
	}
	return nil
}

// shutdown waits for the requests under way and reports whether they are done.
func (d *drained) shutdown(wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return d.Shutdown(ctx) == nil
}
