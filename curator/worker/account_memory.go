package worker

import (
	"context"
	"maps"
	"slices"

	"agentlore/lore"
)

const (
	// sourcesAskedFor is how many sources are asked for by name at most; with more, the contributions of all are read.
	sourcesAskedFor = 1000
	// accountsKept bounds the accounts that are kept in memory: some 300 bytes each.
	accountsKept = 200_000
)

// accountMemory remembers who stands behind sources, which never changes, and which of them contributed: who holds the lease is the
// only one that says so. What changes is read again, so that it is what the store says and never what a write that failed was meant
// to say. The zero value is ready to use.
type accountMemory struct {
	known         map[string]lore.Account
	owners        map[string]string   // the owner's key of each principal that was asked for and has an account
	contributions map[string][]string // patterns by source; nil: not read yet
	stale         map[string]bool
}

// changed notes that sources' contributions may be others by now.
func (m *accountMemory) changed(sources ...string) {
	if m.stale == nil {
		m.stale = map[string]bool{}
	}
	for _, id := range sources {
		m.stale[id] = true
	}
}

// contributed returns the sources with contributions and the patterns of these. The store must have been refreshed since the last
// change.
func (m *accountMemory) contributed(ctx context.Context, store Store) (map[string][]string, error) {
	var asked []string
	if m.contributions != nil && len(m.stale) <= sourcesAskedFor {
		if len(m.stale) == 0 {
			return m.contributions, nil
		}
		asked = slices.Sorted(maps.Keys(m.stale))
	}
	found, err := store.Contributions(ctx, asked...)
	if err != nil {
		return nil, err
	}
	if len(asked) == 0 {
		m.contributions = map[string][]string{}
	}
	for _, id := range asked {
		delete(m.contributions, id)
	}
	maps.Copy(m.contributions, found)
	m.stale = nil
	return m.contributions, nil
}

// read makes the accounts of sources known.
func (m *accountMemory) read(ctx context.Context, store Store, sources []string) error {
	var unread []string
	for _, id := range distinct(sources) {
		if _, there := m.known[id]; !there {
			unread = append(unread, id)
		}
	}
	if len(unread) == 0 {
		return nil
	}
	found, err := store.AccountsOf(ctx, unread)
	maps.Copy(m.known, found)
	return err
}

// readOwners makes the owners of principals known.
func (m *accountMemory) readOwners(ctx context.Context, store Store, principals []string) error {
	unread := slices.DeleteFunc(slices.Clone(principals), func(id string) bool { _, there := m.owners[id]; return there })
	if len(unread) == 0 {
		return nil
	}
	found, err := store.AccountsOfPrincipals(ctx, unread)
	for _, account := range found {
		m.owners[account.Principal] = account.OwnerKey
	}
	return err
}

// trim makes it ready for reading, and forgets what there is too much of. Nothing that was read before may be asked for behind it.
func (m *accountMemory) trim() {
	if m.known == nil || len(m.known) > accountsKept {
		m.known = map[string]lore.Account{}
	}
	if m.owners == nil || len(m.owners) > accountsKept {
		m.owners = map[string]string{}
	}
}

// contributes reports whether a change of a submission may change what its source contributed.
func contributes(change lore.Change) bool {
	_, confirmed := change.Set["confirmed"]
	_, pattern := change.Set["pattern_id"]
	return confirmed || pattern || slices.Contains(change.Drop, "confirmed") || slices.Contains(change.Drop, "pattern_id")
}
