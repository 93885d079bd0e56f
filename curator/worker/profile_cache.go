package worker

import (
	"slices"
	"sync"

	"agentlore/curator"
	"agentlore/lore"
)

// profileCacheBytes is what packed profiles may take in memory: those of 100,000 reports of usual length.
const profileCacheBytes = 96 << 20

// profileOverhead is what a profile takes beside its bytes: its id, and its place by id.
const profileOverhead = 60

// profileCache keeps the profiles that were kept last. They lie together in blocks, and who finds them by id holds no pointers: a
// hundred thousand profiles one by one would cost Go's collector more than all else that a pass does. It is safe for concurrent use.
type profileCache struct {
	limit int

	mu     sync.Mutex
	size   int
	blocks [][]byte // the oldest first
	gone   uint32   // how many older ones there were
	places map[[16]byte]profilePlace
	ids    [][][16]byte // of the profiles of each block, in order
}

// profilePlace is where a profile is: in the block of that number, ever, from byte on.
type profilePlace struct{ block, from, length uint32 }

func newProfileCache(limit int) *profileCache {
	return &profileCache{limit: limit, places: map[[16]byte]profilePlace{}}
}

// clear drops everything.
func (c *profileCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone += uint32(len(c.blocks))
	c.blocks, c.ids, c.size = nil, nil, 0
	clear(c.places)
}

// add keeps a report's profile, which it returns packed.
func (c *profileCache) add(id string, profile *curator.Profile) []byte {
	packed := profile.Pack()
	c.keep(id, packed)
	return packed
}

// keep keeps a packed profile, and drops the blocks that are oldest.
func (c *profileCache) keep(id string, packed []byte) {
	key, err := lore.IDBytes(id)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(c.blocks) - 1
	if last < 0 || len(c.blocks[last])+len(packed) > cap(c.blocks[last]) {
		c.blocks, c.ids = append(c.blocks, make([]byte, 0, max(profileChunk, len(packed)))), append(c.ids, nil)
		last++
	}
	c.places[key] = profilePlace{c.gone + uint32(last), uint32(len(c.blocks[last])), uint32(len(packed))}
	c.blocks[last], c.ids[last] = append(c.blocks[last], packed...), append(c.ids[last], key)
	c.size += len(packed) + profileOverhead
	for c.size > c.limit && len(c.blocks) > 0 {
		c.dropOldest()
	}
}

// dropOldest drops a block. What of it was kept again since is in a younger one.
func (c *profileCache) dropOldest() {
	for _, key := range c.ids[0] {
		if c.places[key].block == c.gone {
			delete(c.places, key)
		}
	}
	c.size -= len(c.blocks[0]) + len(c.ids[0])*profileOverhead
	c.blocks, c.ids = slices.Delete(c.blocks, 0, 1), slices.Delete(c.ids, 0, 1)
	c.gone++
}

// packed returns a report's packed profile, or nil where it isn't kept.
func (c *profileCache) packed(id string) []byte {
	key, err := lore.IDBytes(id)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	place, there := c.places[key]
	if !there {
		return nil
	}
	return c.blocks[place.block-c.gone][place.from : place.from+place.length : place.from+place.length]
}
