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
	// EnsureSources returns the holder of each of the names, and registers, without a token, those that are free.
	EnsureSources(ctx context.Context, wanted []scrubber.Scrubbed[lore.Registration], now time.Time) []lore.NameHolder
}

// sourcesAtOnce is how many names share the requests that look them up and register them. A file has a new one in every
// fourth line at its beginning; each by itself would cost the store more than the line.
const sourcesAtOnce = 1024

// sources remembers the identities behind the names in a file. Each name is looked up once. Those that come while others are looked up
// wait and go together.
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

// identity returns the source of a name, registering a tool of that name if it is free.
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
	if named := s.names[key]; named != nil {
		return named
	}
	named := &source{name: name, known: make(chan struct{})}
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
			if named.err != nil && !isRefusal(named.err) { // a later line, or the same one again, asks anew
				s.mu.Lock()
				delete(s.names, lore.LegacyNameKey(named.name))
				s.mu.Unlock()
			}
			close(named.known)
		}
	}
}

// wait returns when no name is looked up any more: what an import has begun must not go on beside the next one.
func (s *sources) wait() { s.workers.Wait() }

// find looks names up and registers those that are free. A stopped import completes that: half-done registrations would keep the next
// one waiting.
func (s *sources) find(ctx context.Context, group []*source) {
	var wanted []scrubber.Scrubbed[lore.Registration]
	var asked []*source
	for _, named := range group {
		if named.err = context.Cause(ctx); named.err != nil {
			continue
		}
		clean, err := scrubber.Scrub(ctx, s.importer.Scrubber, lore.Registration{Name: named.name, Type: lore.SourceTool, Owner: named.name})
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
	i := s.importer
	for n, holder := range i.Accounts.EnsureSources(context.WithoutCancel(ctx), wanted, i.Now()) {
		asked[n].identity, asked[n].err = holder.Identity, holder.Err
		foreign := holder.Live && !i.AsAgent
		if holder.Err == nil && foreign {
			asked[n].err = &lore.Problem{
				Code: lore.CodeNameTaken, Detail: "an agent with a token has the source's name; --as-agent imports in its name all the same",
			}
		} else if holder.Err == nil && i.Named != nil {
			i.Named(holder.Identity)
		}
	}
}
