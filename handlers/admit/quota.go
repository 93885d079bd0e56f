package admit

import (
	"net/netip"
	"sync"
)

// siteFactor is how many times the part of one client an IPv6 site (/48) may have of a quota.
const siteFactor = 4

// Quota bounds how much of a thing, such as bytes or connections, is taken together, and how much of it by one
// client: never more than is free then, so that few clients can't take all of it. It is safe for concurrent use.
type Quota struct {
	most, each int64

	mu       sync.Mutex
	taken    int64
	networks map[netip.Prefix]int64
}

// NewQuota returns a quota of most for all clients together and of each for one; an IPv6 site has four times as much.
func NewQuota(most, each int64) *Quota {
	return &Quota{most: most, each: each, networks: map[netip.Prefix]int64{}}
}

// Take takes n for a client with these Networks. It reports false, and takes nothing, where that is too much.
func (q *Quota) Take(client []netip.Prefix, n int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.taken+n > q.most {
		return false
	}
	each := q.each
	for _, network := range client {
		if held := q.networks[network]; held+n > each || held > q.most-q.taken {
			return false
		}
		each *= siteFactor
	}
	q.add(client, n)
	return true
}

// Free gives back n that was taken.
func (q *Quota) Free(client []netip.Prefix, n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(client, -n)
}

func (q *Quota) add(client []netip.Prefix, n int64) {
	q.taken += n
	for _, network := range client {
		if q.networks[network] += n; q.networks[network] == 0 {
			delete(q.networks, network)
		}
	}
}

// Held is what one client's work holds of a quota. It is safe for concurrent use; the zero value holds nothing of none.
type Held struct {
	quota  *Quota
	client []netip.Prefix

	mu    sync.Mutex
	n     int64
	ended bool
}

// Hold begins to hold of a quota for a client with these Networks.
func (q *Quota) Hold(client []netip.Prefix) *Held { return &Held{quota: q, client: client} }

// Take takes n more. It reports false, and takes nothing, where that is too much. After End it takes nothing.
func (h *Held) Take(n int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.quota == nil || h.ended || n == 0 {
		return true
	}
	if !h.quota.Take(h.client, n) {
		return false
	}
	h.n += n
	return true
}

// Drop gives everything back; more may be taken.
func (h *Held) Drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n > 0 {
		h.quota.Free(h.client, h.n)
		h.n = 0
	}
}

// End gives everything back for good.
func (h *Held) End() {
	h.Drop()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
}
