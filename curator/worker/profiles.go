package worker

import (
	"container/list"
	"context"
	"sync"

	"agentlore/curator"
	"agentlore/lore"
)

// profileCacheBytes is what packed profiles may take in memory: those of 100,000 reports of usual length.
const profileCacheBytes = 96 << 20

// profilePage is how many reports without a profile are read at a time.
const profilePage = 500

// profileOverhead is what a profile takes beside its bytes: map, list and id.
const profileOverhead = 200

// profileCache keeps the profiles that were used last. It is safe for concurrent use.
type profileCache struct {
	limit int

	mu    sync.Mutex
	size  int
	order *list.List // of *cachedProfile, the one used last in front
	by    map[string]*list.Element
}

type cachedProfile struct {
	id     string
	packed []byte
}

func newProfileCache(limit int) *profileCache {
	return &profileCache{limit: limit, order: list.New(), by: map[string]*list.Element{}}
}

// clear drops everything.
func (c *profileCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.by)
	c.size = 0
}

// add keeps a report's profile, which it returns packed.
func (c *profileCache) add(id string, profile *curator.Profile) []byte {
	packed := profile.Pack()
	c.keep(id, packed)
	return packed
}

// keep keeps a packed profile, and drops those that were not used for longest.
func (c *profileCache) keep(id string, packed []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held := c.by[id]; held != nil {
		c.drop(held)
	}
	c.by[id] = c.order.PushFront(&cachedProfile{id, packed})
	c.size += len(packed) + profileOverhead
	for c.size > c.limit {
		c.drop(c.order.Back())
	}
}

func (c *profileCache) drop(element *list.Element) {
	held := element.Value.(*cachedProfile)
	c.order.Remove(element)
	delete(c.by, held.id)
	c.size -= len(held.packed) + profileOverhead
}

// packed returns a report's packed profile, or nil where it isn't kept.
func (c *profileCache) packed(id string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.by[id]
	if held == nil {
		return nil
	}
	c.order.MoveToFront(held)
	return held.Value.(*cachedProfile).packed
}

// packedOf returns the packed profiles of reports. Those that aren't there any more are left out.
func (p *pass) packedOf(ids []string) (map[string][]byte, error) {
	packed := make(map[string][]byte, len(ids))
	var unread [][]string
	for _, id := range ids {
		if profile := p.profiles.packed(id); profile != nil {
			packed[id] = profile
			continue
		}
		if last := len(unread) - 1; last < 0 || len(unread[last]) == profilePage {
			unread = append(unread, nil)
		}
		unread[len(unread)-1] = append(unread[len(unread)-1], id)
	}
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	pages := ahead(ctx, func([]map[string]lore.Report) ([]map[string]lore.Report, error) {
		if len(unread) == 0 {
			return nil, nil
		}
		page := unread[0]
		unread = unread[1:]
		reports, err := p.Store.Reports(ctx, page)
		return []map[string]lore.Report{reports}, err
	})
	for step := range pages {
		if step.err != nil {
			return nil, step.err
		}
		for id, report := range step.items[0] {
			packed[id] = p.profiles.add(id, curator.NewProfile(observation(report)))
		}
	}
	return packed, ctx.Err()
}

// weigher weighs reports, and keeps what it weighed last: pairs of one report come one after the other.
type weigher struct {
	frequencies *curator.Frequencies
	packed      map[string][]byte
	weighed     map[string]*curator.Vector
}

// keptVectors is how many reports a weigher keeps: some 8 kB each.
const keptVectors = 512

// vector returns a report's vector, or nil for one that isn't there any more.
func (w *weigher) vector(id string) *curator.Vector {
	vector, there := w.weighed[id]
	if there {
		return vector
	}
	if packed := w.packed[id]; packed != nil {
		if profile, err := curator.UnpackProfile(packed); err == nil {
			vector = w.frequencies.Weigh(profile)
		}
	}
	if w.weighed == nil || len(w.weighed) >= keptVectors {
		w.weighed = map[string]*curator.Vector{}
	}
	w.weighed[id] = vector
	return vector
}
