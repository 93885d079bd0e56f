package admit

import (
	"net/netip"
	"sync"
)

// Memory bounds how many bytes requests hold together, and how many of them those of one network. It is safe for concurrent use.
type Memory struct {
	most, each int64

	mu   sync.Mutex
	held int64
	by   map[netip.Prefix]int64
}

// NewMemory returns a bound of so many bytes for all, and so many for each network.
func NewMemory(most, each int64) *Memory {
	return &Memory{most: most, each: each, by: map[netip.Prefix]int64{}}
}

// Take notes bytes that a network holds now. It reports false, and notes nothing, where that is too much.
func (m *Memory) Take(network netip.Prefix, bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held+bytes > m.most || m.by[network]+bytes > m.each {
		return false
	}
	m.held += bytes
	m.by[network] += bytes
	return true
}

// Free notes that a network holds so many bytes less.
func (m *Memory) Free(network netip.Prefix, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held -= bytes
	if m.by[network] -= bytes; m.by[network] <= 0 {
		delete(m.by, network)
	}
}
