package importer

import (
	"context"
	"sync"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// Accounts finds and makes the sources that lines name.
type Accounts interface {
	// EnsureSources tells who holds each of the names, and registers, without a token, those that nobody holds.
	EnsureSources(ctx context.Context, wanted []scrubber.Scrubbed[lore.Registration], now time.Time) []lore.NameHolder
}

// sourcesAtOnce is how many names share the requests that look them up and register them. A file has a new one in every
// fourth line at its beginning; each by itself would cost the store more than the line.
const sourcesAtOnce = 1024

// sources remembers who the names in a file are. Names are as many as a file has reporters; each is looked up once.
// Those that come while others are looked up wait and go together.
type sources struct {
	importer *Importer
	mu       sync.Mutex
	names    map[string]*source
	waiting  []*source
	working  bool
	workers  sync.WaitGroup
}

// source is a name on its way to an identity.
type source struct {
	name     string
	known    chan struct{} // closed when the rest is final
	identity lore.Identity
	err      error
}

func newSources(i *Importer) *sources {
	return &sources{importer: i, names: map[string]*source{}}
}

// identity returns who bears a name, registering a tool of that name if nobody does.
func (s *sources) identity(ctx context.Context, name string) (lore.Identity, error) {
	named := s.named(ctx, name)
	select {
	case <-named.known:
		return named.identity, named.err
	case <-ctx.Done():
		return lore.Identity{}, context.Cause(ctx)
	}
}

// named returns the source of a name; a new one is queued.
func (s *sources) named(ctx context.Context, name string) *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := lore.LegacyNameKey(name)
	named := s.names[key]
	if named != nil {
		return named
	}
	named = &source{name: name, known: make(chan struct{})}
	s.names[key] = named
	s.waiting = append(s.waiting, named)
	if !s.working {
		s.working = true
		s.workers.Go(func() { s.work(ctx) })
	}
	return named
}

// work looks up names until none waits.
func (s *sources) work(ctx context.Context) {
	for {
		s.mu.Lock()
		group := s.waiting[:min(len(s.waiting), sourcesAtOnce)]
		s.waiting = s.waiting[len(group):]
		s.working = len(group) > 0
		s.mu.Unlock()
		if len(group) == 0 {
			return
		}
		s.find(ctx, group)
		for _, named := range group {
			if named.err != nil && !refusal(named.err) { // a later line, or the same one again, asks anew
				s.mu.Lock()
				delete(s.names, lore.LegacyNameKey(named.name))
				s.mu.Unlock()
			}
			close(named.known)
		}
	}
}

// wait returns when no name is looked up any more: what an import has begun must not go on behind its back, beside the next one.
func (s *sources) wait() { s.workers.Wait() }

// registerFor is how long registrations may go on after an import was stopped: half-done ones would keep the next import waiting.
const registerFor = 5 * time.Second

// find looks names up and registers those that are free.
func (s *sources) find(ctx context.Context, group []*source) {
	if ctx.Err() != nil {
		for _, named := range group {
			named.err = context.Cause(ctx)
		}
		return
	}
	ctx, cancel := outlive(ctx, registerFor)
	defer cancel()
	i := s.importer
	var wanted []scrubber.Scrubbed[lore.Registration]
	var asked []*source
	for _, named := range group {
		clean, err := scrubber.Scrub(ctx, i.Scrubber, lore.Registration{Name: named.name, Type: lore.SourceTool, Owner: named.name})
		if err == nil && clean.Report().Changed {
			err = &lore.Problem{Code: lore.CodeSecretInIdentity, Detail: "the source's name looks like it holds a secret; give it another name"}
		}
		if named.err = err; err == nil {
			wanted, asked = append(wanted, clean), append(asked, named)
		}
	}
	if len(wanted) == 0 {
		return
	}
	for n, holder := range i.Accounts.EnsureSources(ctx, wanted, i.Now()) {
		asked[n].identity, asked[n].err = holder.Identity, holder.Err
		if holder.Err == nil && i.Named != nil && (!holder.Live || i.AsAgent) {
			i.Named(holder.Identity)
		}
		if holder.Err == nil && holder.Live && !i.AsAgent {
			asked[n].err = &lore.Problem{Code: lore.CodeNameTaken, Detail: "an agent with a token has the source's name; --as-agent imports in its name all the same"}
		}
	}
}

// outlive returns a context that ends a while after another one.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(by):
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel() }
}
