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
	// EnsureSource returns who has a name, and whether a token was ever issued to it, and registers it, without a token, if it is free.
	EnsureSource(ctx context.Context, wanted scrubber.Scrubbed[lore.Registration], now time.Time) (holder lore.Identity, live bool, err error)
}

// sources remembers the identities behind the names in a file. Each name is looked up once at a time, and again after a failure.
type sources struct {
	importer *Importer
	asked    sync.Map // by the name's key: what looks it up once
	naming   sync.Mutex
}

// identity returns the source of a name, registering a tool of that name if it is free. A stopped import completes that: a half-done
// registration would keep the next one waiting.
func (s *sources) identity(ctx context.Context, name string) (lore.Identity, error) {
	key := lore.LegacyNameKey(name)
	look, _ := s.asked.LoadOrStore(key, sync.OnceValues(func() (lore.Identity, error) { return s.ensure(context.WithoutCancel(ctx), name) }))
	held, err := look.(func() (lore.Identity, error))()
	if err != nil {
		s.asked.Delete(key)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return held, err
}

// ensure looks a name up and registers it if it is free.
func (s *sources) ensure(ctx context.Context, name string) (lore.Identity, error) {
	i := s.importer
	clean, err := scrubber.Scrub(ctx, i.Scrubber, lore.Registration{Name: name, Type: lore.SourceTool, Owner: name})
	switch {
	case err != nil:
		return lore.Identity{}, err
	case clean.Report().Changed:
		return lore.Identity{}, &lore.Problem{
			Code: lore.CodeSecretInIdentity, Detail: "the source's name looks like it holds a secret or an e-mail address; give it another name",
		}
	}
	if err := i.Refuse(clean.Value()); err != nil {
		return lore.Identity{}, err
	}
	holder, live, err := i.Accounts.EnsureSource(ctx, clean, i.Now())
	switch {
	case err != nil:
		return lore.Identity{}, err
	case live && !i.AsAgent:
		return lore.Identity{}, &lore.Problem{
			Code: lore.CodeNameTaken, Detail: "an agent with a token has the source's name; --as-agent imports in its name all the same",
		}
	}
	if i.Named != nil {
		s.naming.Lock()
		defer s.naming.Unlock()
		i.Named(holder)
	}
	return holder, nil
}
