package main

import (
	"context"
	"sync"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/knowledge"
	"agentlore/matcher"
)

// kindLibrary is the reference library as the curator's families know it.
type kindLibrary struct {
	version string
	kinds   *matcher.Kinds
	cores   map[string]curator.FamilyCore // by family
	vouched *curator.KnownNames
}

// kindLibraries returns what gives a pass the library as it is stored then. As long as it stays the same, so does
// what is returned.
func kindLibraries(known *knowledge.Knowledge) func(context.Context) (worker.Library, error) {
	var mu sync.Mutex
	var of *knowledge.Library
	var made *kindLibrary
	return func(ctx context.Context) (worker.Library, error) {
		current, err := known.Current(ctx)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if of != current.Library {
			of, made = current.Library, newKindLibrary(current.Library)
		}
		return made, nil
	}
}

func newKindLibrary(stored *knowledge.Library) *kindLibrary {
	library := &kindLibrary{stored.Version, stored.Kinds(), map[string]curator.FamilyCore{}, stored.Vouched}
	for _, unit := range stored.Units {
		if unit.Reference.Family == "" {
			library.cores[curator.FamilyID(unit.Reference.ID)] = curator.FamilyCore{
				Title: unit.Summary, Cause: unit.Content, Fix: unit.Resolution,
				Category: unit.Category, Ecosystem: unit.Ecosystem, UnitID: unit.ID,
			}
		}
	}
	return library
}

// Version stands for what Kind says.
func (l *kindLibrary) Version() string { return l.version }

// Kind returns what a title says of the kind of its problem.
func (l *kindLibrary) Kind(title string) curator.Kind {
	kind := curator.Kind{Words: matcher.KindTerms(title)}
	if found, ok := l.kinds.Of(title); ok {
		kind.Entry, kind.Why = found.Entry, found.Said
	}
	return kind
}

// Core returns what the family with an id has its words from, where that is one of the library's.
func (l *kindLibrary) Core(family string) (curator.FamilyCore, bool) {
	core, found := l.cores[family]
	return core, found
}

// Names reports whether the library names a package, an address or a host.
func (l *kindLibrary) Names(name string) bool { return l.vouched.Has(name) }

// Title returns a title as a family has it: its words alone.
func (l *kindLibrary) Title(title string) string { return matcher.PlainTitle(title) }
