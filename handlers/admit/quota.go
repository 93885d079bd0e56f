package admit

import (
	"net/netip"
	"sync"
)

// siteFactor is how many times the part of one client an IPv6 site (/48) may have of a quota.
const siteFactor = 4

// Quota bounds how much of a thing, such as bytes or connections, is taken together, and how much of it by one client. It is safe for
// concurrent use.
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
		if q.networks[network]+n > each {
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
