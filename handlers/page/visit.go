package page

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"agentlore/handlers/local"
)

// pageTime is how long a page waits for its parts, its turn among them. What comes later is not shown.
const pageTime = 850 * time.Millisecond

// visit is one request for a page.
type visit struct {
	turn  sync.Once
	leave func()      // ends its turn; nil: it had none
	late  atomic.Bool // a part of it didn't come in time
}

type visitKey struct{}

// visitOf returns the visit that a context belongs to.
func visitOf(ctx context.Context) *visit {
	if known, is := ctx.Value(visitKey{}).(*visit); is {
		return known
	}
	return &visit{}
}

// begin gives the request for a page a visit, and a time to read in.
func (p *Page) begin(r *http.Request) (*http.Request, *visit, context.CancelFunc) {
	mine, cancel := &visit{}, context.CancelFunc(func() {})
	ctx := context.WithValue(r.Context(), visitKey{}, mine)
	if r.Method == http.MethodGet {
		ctx, cancel = context.WithTimeout(ctx, pageTime)
	}
	return r.WithContext(ctx), mine, cancel
}

// awaitTurn returns when it is the page's turn to read, or when there is none for it: then its parts are refused as
// it is. All parts of a page share one turn.
func (p *Page) awaitTurn(ctx context.Context) {
	mine := visitOf(ctx)
	mine.turn.Do(func() { mine.leave = p.Turn(ctx) })
}

// end ends the visit's turn: who reads a page slowly takes no other's.
func (v *visit) end() {
	v.turn.Do(func() {})
	if v.leave != nil {
		v.leave()
	}
}

// healthWait is how long a page waits for GET /health where the service was healthy the last time. Where it was not,
// it waits for the answer: an error page says only what holds now.
const healthWait = 100 * time.Millisecond

// health is what GET /health says. One look at it answers all pages that ask meanwhile.
type health struct {
	mu   sync.Mutex
	ill  bool          // it said so the last time
	look chan struct{} // closed when the look under way ends; nil: there is none
}

// healthy reports whether GET /health says that the service can work, or doesn't say soon.
func (p *Page) healthy(ctx context.Context) bool {
	p.health.mu.Lock()
	ill, look := p.health.ill, p.health.look
	if look == nil {
		look = make(chan struct{})
		p.health.look = look
		go p.lookAtHealth(context.WithoutCancel(ctx))
	}
	p.health.mu.Unlock()
	var soon <-chan time.Time
	if !ill {
		soon = time.After(healthWait)
	}
	select {
	case <-look:
	case <-soon:
	}
	p.health.mu.Lock()
	defer p.health.mu.Unlock()
	return !p.health.ill
}

// lookAtHealth asks GET /health, which answers within two seconds.
func (p *Page) lookAtHealth(ctx context.Context) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/health", http.NoBody)
	ill := err != nil || local.Ask(p.API, request).Status != http.StatusOK
	p.health.mu.Lock()
	defer p.health.mu.Unlock()
	p.health.ill = ill
	close(p.health.look)
	p.health.look = nil
}
