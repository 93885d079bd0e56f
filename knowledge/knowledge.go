// Package knowledge keeps at hand what stored knowledge is met by, what the reference library vouches for, and its catalog of
// assets, and follows the store as these change: an import reaches every replica within seconds.
package knowledge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentlore/catalog"
	"agentlore/curator"
	"agentlore/lore"
	"agentlore/matcher"
)

// Every is how old what is at hand may be.
const Every = 2 * time.Second

// Store is where knowledge is kept.
type Store interface {
	// KnowledgeState returns a text that is another one once units of knowledge or assets changed and searches find the change.
	// Errors: store_unavailable.
	KnowledgeState(ctx context.Context) (string, error)
	// UnitsByName returns all active units with their words, names and references, and nothing else of them. Errors:
	// store_unavailable.
	UnitsByName(ctx context.Context) ([]lore.KnowledgeUnit, error)
	// CatalogAssets returns the assets of the reference library's catalog that are in force. Errors: store_unavailable.
	CatalogAssets(ctx context.Context) ([]lore.Asset, error)
	// ReportsNaming returns in how many reports each of some names stands, as entities, and how many reports there
	// are. Errors: store_unavailable.
	ReportsNaming(ctx context.Context, names []string) (in map[string]int64, all int64, err error)
}

// Knowledge follows a store. It is safe for concurrent use.
type Knowledge struct {
	store   Store
	log     *slog.Logger
	reading sync.Mutex // held by who reads the store
	state   string     // of the store, when it was read last
	units   []lore.KnowledgeUnit
	assets  []lore.Asset
	current atomic.Pointer[Current] // nil: nothing was read yet
}

// Current is what is known at a time. It doesn't change.
type Current struct {
	*matcher.Matcher
	*Library
	Catalog *catalog.Catalog
}

// Library is the reference library as it is stored.
type Library struct {
	Version string               // stands for its words and names
	Units   []lore.KnowledgeUnit // in order of their entries' ids
	Vouched *curator.KnownNames  // packages, hosts and addresses that it names
	// Kinds returns the kinds of problems that it knows. The first call takes a tenth of a second.
	Kinds func() *matcher.Kinds
}

// New returns the knowledge of a store, of which nothing is read yet.
func New(store Store, log *slog.Logger) *Knowledge { return &Knowledge{store: store, log: log} }

// Current returns what is known. Only the first call, before Follow has read the store, reads it. Errors:
// store_unavailable.
func (k *Knowledge) Current(ctx context.Context) (*Current, error) {
	if current := k.current.Load(); current != nil {
		return current, nil
	}
	err := k.read(ctx, false)
	return k.current.Load(), err
}

// Follow reads the store whenever knowledge has changed, until ctx ends. While the store can't be read, what is known
// holds.
func (k *Knowledge) Follow(ctx context.Context) {
	for tick := time.NewTicker(Every); ctx.Err() == nil; {
		if err := k.Refresh(ctx); err != nil && ctx.Err() == nil {
			k.log.Warn("the names of stored knowledge could not be read; those known hold", "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Refresh reads the store if knowledge has changed: what who calls it has written is known then. Errors:
// store_unavailable.
func (k *Knowledge) Refresh(ctx context.Context) error { return k.read(ctx, true) }

// read reads the store if its state is another one than at the last time; the first time only, unless again.
func (k *Knowledge) read(ctx context.Context, again bool) error {
	k.reading.Lock()
	defer k.reading.Unlock()
	if !again && k.current.Load() != nil {
		return nil
	}
	state, err := k.store.KnowledgeState(ctx) // before the units: what changes between is read next time
	if err != nil || state == k.state {
		return err
	}
	units, err := k.store.UnitsByName(ctx)
	if err != nil {
		return err
	}
	if err := k.keepRare(ctx, units); err != nil {
		return err
	}
	assets, err := k.store.CatalogAssets(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(units, func(a, b lore.KnowledgeUnit) int {
		return cmp.Or(strings.Compare(entryOf(a), entryOf(b)), strings.Compare(a.ID, b.ID))
	})
	last := k.current.Load()
	if k.state = state; last != nil && reflect.DeepEqual(k.units, units) && reflect.DeepEqual(k.assets, assets) { // outcomes, mostly
		return nil
	}
	k.units, k.assets = units, assets
	var library *Library // of the last state, nil where there is none
	if last != nil {
		library = last.Library
	}
	k.current.Store(&Current{Matcher: matcher.New(units), Library: libraryOf(units, library), Catalog: catalog.New(assets)})
	return nil
}

const (
	// fewReports is in how many reports a name may always stand: those of one problem. rareShare is the share of all
	// reports in which it may stand: TypeError is in more.
	fewReports = 20
	rareShare  = 0.001
)

// keepRare leaves those names of units that agents earned which name them: few reports have them, and no entry of the
// library. A name that two of them have is shared.
func (k *Knowledge) keepRare(ctx context.Context, units []lore.KnowledgeUnit) error {
	taken, earned := map[string]bool{}, map[string]int{}
	for _, unit := range units {
		for _, name := range slices.Concat(unit.Names, unit.Shared) {
			if unit.Reference != nil {
				taken[matcher.NameKey(name)] = true
			} else {
				earned[name]++
			}
		}
	}
	if len(earned) == 0 {
		return nil
	}
	entities := slices.DeleteFunc(slices.Collect(maps.Keys(earned)), func(name string) bool { return strings.Contains(name, " ") })
	in, all, err := k.store.ReportsNaming(ctx, entities) // a message is no entity of a report
	if err != nil {
		return err
	}
	for i := range units {
		if units[i].Reference != nil {
			continue
		}
		var own, shared []string
		for _, name := range units[i].Names {
			switch {
			case taken[matcher.NameKey(name)] || float64(in[name]) > max(fewReports, rareShare*float64(all)):
			case earned[name] > 1:
				shared = append(shared, name)
			default:
				own = append(own, name)
			}
		}
		units[i].Names, units[i].Shared = own, shared
	}
	return nil
}

// entryOf returns the id of the library's entry that a unit is, or "".
func entryOf(unit lore.KnowledgeUnit) string {
	if unit.Reference == nil {
		return ""
	}
	return unit.Reference.ID
}

// incidents begins the ids of entries that name evil packages and hosts.
const incidents = "incident."

// libraryOf returns the reference library of units, which are sorted: the last one where that says the same.
func libraryOf(units []lore.KnowledgeUnit, last *Library) *Library {
	first := slices.IndexFunc(units, func(unit lore.KnowledgeUnit) bool { return unit.Reference != nil })
	if first < 0 {
		first = len(units)
	}
	text, _ := json.Marshal(units[first:]) // strings and lists of strings can't fail
	version := fmt.Sprintf("%x", sha256.Sum256(text))
	if last != nil && last.Version == version {
		return last
	}
	l := &Library{Version: version, Units: units[first:], Vouched: &curator.KnownNames{}}
	for _, unit := range l.Units {
		for _, source := range slices.Concat([]string{unit.Reference.URL}, unit.Reference.Further) {
			l.Vouched.Add(source)
		}
		if strings.HasPrefix(unit.Reference.ID, incidents) {
			continue
		}
		for _, text := range slices.Concat([]string{unit.Summary, unit.Content, unit.Resolution}, unit.Names) {
			l.Vouched.Add(text)
		}
	}
	l.Kinds = sync.OnceValue(func() *matcher.Kinds { return matcher.NewKinds(l.Units) })
	return l
}
