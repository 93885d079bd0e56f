package tokens

import (
	"crypto/sha256"
	"sync"
	"time"
)

// sum identifies a token in this process: its SHA-256. It is a map key without an allocation, and a heap dump shows no token.
type sum = [sha256.Size]byte

// recent remembers values for a short time, in bounded memory: two generations of at most half the limit. A full or old
// young generation becomes the old one, and the old one is dropped whole. That is all the order that entries of one second
// need, and a get takes a read lock only.
type recent[V any] struct {
	ttl   time.Duration
	limit int // entries, both generations together

	mu         sync.RWMutex
	young, old map[sum]remembered[V]
	turned     time.Time
}

type remembered[V any] struct {
	value V
	since time.Time
}

func newRecent[V any](ttl time.Duration, limit int) *recent[V] {
	return &recent[V]{ttl: ttl, limit: limit, young: map[sum]remembered[V]{}, old: map[sum]remembered[V]{}}
}

// get returns what is remembered for key and not older than ttl.
func (r *recent[V]) get(key sum, now time.Time) (V, bool) {
	r.mu.RLock()
	found, ok := r.young[key]
	if !ok {
		found, ok = r.old[key]
	}
	r.mu.RUnlock()
	if !ok || now.Sub(found.since) >= r.ttl {
		var none V
		return none, false
	}
	return found.value, true
}

// put remembers value, which was true at since.
func (r *recent[V]) put(key sum, value V, since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.young) >= r.limit/2 || since.Sub(r.turned) >= r.ttl {
		clear(r.old)
		r.young, r.old = r.old, r.young
		r.turned = since
	}
	r.young[key] = remembered[V]{value, since}
}

// drop forgets key.
func (r *recent[V]) drop(key sum) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.young, key)
	delete(r.old, key)
}

// size returns how many entries are held, fresh or not.
func (r *recent[V]) size() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.young) + len(r.old)
}
