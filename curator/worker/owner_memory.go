package worker

import (
	"context"
	"maps"
	"slices"
	"time"

	"agentlore/lore"
)

// ownersAskedFor is how many owners are asked for by name at most; with more, all are read.
const ownersAskedFor = 1000

// ownerMemory remembers which owners have accepted contributions: who holds the lease is the only one that accepts them. What
// changes is read again, so that it is what the store says and never what a write that failed was meant to say. The zero value is
// ready to use.
type ownerMemory struct {
	accepted map[string][]string // nil: not read yet
	stale    map[string]bool

	since   map[string]time.Time
	sinceAt time.Time // when it was read
}

// changed notes that owners' contributions may count in another way by now.
func (m *ownerMemory) changed(owners ...string) {
	if m.stale == nil {
		m.stale = map[string]bool{}
	}
	for _, key := range owners {
		m.stale[key] = true
	}
}

// read returns the owners with accepted contributions and at most two patterns of each. The store must have been refreshed since
// the last change.
func (m *ownerMemory) read(ctx context.Context, store Store) (map[string][]string, error) {
	var asked []string
	if m.accepted != nil && len(m.stale) <= ownersAskedFor {
		if len(m.stale) == 0 {
			return m.accepted, nil
		}
		asked = slices.Sorted(maps.Keys(m.stale))
	}
	found, err := store.AcceptedOwners(ctx, asked...)
	if err != nil {
		return nil, err
	}
	if len(asked) == 0 {
		m.accepted = map[string][]string{}
	}
	for _, key := range asked {
		delete(m.accepted, key)
	}
	maps.Copy(m.accepted, found)
	m.stale = nil
	return m.accepted, nil
}

// knownSince returns since when the owners with accepted contributions are known. That hardly ever changes: it is read again after
// a while, as a worker with nothing to do looks again then, and who isn't there is asked for.
func (m *ownerMemory) knownSince(ctx context.Context, store Store, now time.Time) (map[string]time.Time, error) {
	if m.since == nil || now.Sub(m.sinceAt) > lookAgain {
		m.since, m.sinceAt = map[string]time.Time{}, now
	}
	var unread []string
	for key := range m.accepted {
		if _, there := m.since[key]; !there {
			unread = append(unread, key)
		}
	}
	slices.Sort(unread)
	found, err := store.OwnersKnownSince(ctx, unread)
	maps.Copy(m.since, found)
	return m.since, err
}

// countsOtherwise reports whether a change of a submission may change what is accepted of its owner.
func countsOtherwise(change lore.Change) bool {
	_, tier := change.Set["tier"]
	_, pattern := change.Set["pattern_id"]
	return tier || pattern || slices.Contains(change.Drop, "pattern_id")
}
