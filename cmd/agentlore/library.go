package main

import (
	"sync"

	"agentlore/curator"
	"agentlore/handlers"
	"agentlore/reference"
)

// kindLibrary is the reference library as the curator's families know it.
type kindLibrary struct {
	kinds *reference.Kinds
	cores map[string]curator.FamilyCore // by family
	names *curator.KnownNames
}

// newKindLibrary returns the library of this process: what titles say never changes while it runs.
var newKindLibrary = sync.OnceValues(func() (*kindLibrary, error) {
	entries, err := reference.Entries()
	if err != nil {
		return nil, err
	}
	names, err := handlers.LibraryNames()
	if err != nil {
		return nil, err
	}
	library := &kindLibrary{reference.NewKinds(entries), map[string]curator.FamilyCore{}, names}
	for _, e := range entries {
		if e.Family == "" {
			library.cores[curator.FamilyID(e.ID)] = curator.FamilyCore{
				Title: e.Title, Cause: e.Cause, Fix: e.Fix, Category: e.Category, Ecosystem: e.Ecosystem, UnitID: reference.UnitID(e.ID),
			}
		}
	}
	return library, nil
})

// Kind returns what a title says of the kind of its problem.
func (l *kindLibrary) Kind(title string) curator.Kind {
	kind := curator.Kind{Words: reference.KindTerms(title)}
	if found, ok := l.kinds.Of(title); ok {
		kind.Entry, kind.Why = found.Entry.ID, found.Said
	}
	return kind
}

// Core returns what the family with an id has its words from, where that is one of the library's.
func (l *kindLibrary) Core(family string) (curator.FamilyCore, bool) {
	core, found := l.cores[family]
	return core, found
}

// Names reports whether the library names a package, an address or a host.
func (l *kindLibrary) Names(name string) bool { return l.names.Has(name) }

// Title returns a title as a family has it: its words alone.
func (l *kindLibrary) Title(title string) string { return reference.PlainTitle(title) }
