package importer

import (
	"context"
	"errors"
	"sync"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// Accounts finds and makes the sources that lines name.
type Accounts interface {
	// OwnerKey returns what stands for an owner when owners are counted.
	OwnerKey(owner string) string
	// Register claims the name. An empty token hash makes a source that can't submit by itself. Errors: name_taken.
	Register(ctx context.Context, registration scrubber.Scrubbed[lore.Registration], ownerKey, tokenHash string, now time.Time) (lore.Source, error)
	// SourceByName returns who holds a name, and whether it is a live agent with a token. Errors: not_found.
	SourceByName(ctx context.Context, name string) (identity lore.Identity, live bool, err error)
}

// registering is how many names are looked up or registered at once: each costs the store several small writes, and one
// after another they would take longer than all lines of a file.
const registering = 32

// sources remembers who the names in a file are. Names are as many as a file has reporters; each is looked up once.
type sources struct {
	importer *Importer
	slots    chan struct{}
	mu       sync.Mutex
	names    map[string]*source
}

// source is a name on its way to an identity. Lines of one new source come in crowds: the first one looks it up and
// registers it while the others wait for that, and lines of other sources pass.
type source struct {
	mu       sync.Mutex
	settled  bool // identity or refused is final
	identity lore.Identity
	refused  error
}

func newSources(i *Importer) *sources {
	return &sources{importer: i, slots: make(chan struct{}, registering), names: map[string]*source{}}
}

// identity returns who bears a name, registering a tool of that name if nobody does.
func (s *sources) identity(ctx context.Context, name string) (lore.Identity, error) {
	key := lore.NameKey(name)
	s.mu.Lock()
	named := s.names[key]
	if named == nil {
		named = &source{}
		s.names[key] = named
	}
	s.mu.Unlock()

	named.mu.Lock()
	defer named.mu.Unlock()
	if named.settled {
		return named.identity, named.refused
	}
	s.slots <- struct{}{}
	identity, err := s.find(ctx, name)
	<-s.slots
	if err == nil || refusal(err) {
		named.settled, named.identity, named.refused = true, identity, err
	}
	return identity, err
}

// find looks a name up and registers it if it is free.
func (s *sources) find(ctx context.Context, name string) (lore.Identity, error) {
	i := s.importer
	clean, err := scrubber.Scrub(ctx, i.Scrubber, lore.Registration{Name: name, Type: lore.SourceTool, Owner: name})
	if err != nil {
		return lore.Identity{}, err
	}
	if clean.Report().Changed {
		return lore.Identity{}, &lore.Problem{Code: lore.CodeSecretInIdentity, Detail: "the source's name looks like it holds a secret; give it another name"}
	}
	identity, live, err := i.Accounts.SourceByName(ctx, name)
	var problem *lore.Problem
	switch {
	case err == nil && live && !i.AsAgent:
		return lore.Identity{}, &lore.Problem{Code: lore.CodeNameTaken, Detail: "an agent with a token has the source's name; --as-agent imports in its name all the same"}
	case err == nil:
		return identity, nil
	case !errors.As(err, &problem) || problem.Code != lore.CodeNotFound:
		return lore.Identity{}, err
	}
	ownerKey := i.Accounts.OwnerKey(name)
	source, err := i.Accounts.Register(ctx, clean, ownerKey, "", i.Now())
	if errors.As(err, &problem) && problem.Code == lore.CodeNameTaken {
		return s.find(ctx, name) // another import was quicker
	}
	if err != nil {
		return lore.Identity{}, err
	}
	return lore.Identity{SourceID: source.ID, OwnerKey: ownerKey}, nil
}
