package worker

import (
	"container/list"
	"context"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// profileCacheBytes is what packed profiles may take in memory: those of 100,000 reports of usual length.
const profileCacheBytes = 96 << 20

// vectorPage is how many reports without a profile are read at a time.
const vectorPage = 500

// profileOverhead is what a profile takes beside its bytes: map, list and id.
const profileOverhead = 200

// profileCache keeps the profiles that were used last.
type profileCache struct {
	limit, size int
	order       *list.List // of *cachedProfile, the one used last in front
	by          map[string]*list.Element
}

type cachedProfile struct {
	id     string
	packed []byte
}

func newProfileCache(limit int) *profileCache {
	return &profileCache{limit: limit, order: list.New(), by: map[string]*list.Element{}}
}

// add keeps a report's profile, and drops those that were not used for longest.
func (c *profileCache) add(id string, profile *curator.Profile) {
	if held := c.by[id]; held != nil {
		c.drop(held)
	}
	packed := profile.Pack()
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

// get returns a report's profile, or nil where it isn't kept.
func (c *profileCache) get(id string) *curator.Profile {
	held := c.by[id]
	if held == nil {
		return nil
	}
	c.order.MoveToFront(held)
	profile, err := curator.UnpackProfile(held.Value.(*cachedProfile).packed)
	if err != nil {
		return nil
	}
	return profile
}

// vectors returns the vectors of reports. Those that aren't there any more are left out.
func (p *pass) vectors(ids []string) (map[string]*curator.Vector, error) {
	vectors := make(map[string]*curator.Vector, len(ids))
	var unread []string
	for _, id := range ids {
		if profile := p.profiles.get(id); profile != nil {
			vectors[id] = p.frequencies.Weigh(profile)
		} else {
			unread = append(unread, id)
		}
	}
	if len(unread) == 0 {
		return vectors, nil
	}
	// The store reads a page while this process takes the one before apart.
	pages := slices.Collect(slices.Chunk(unread, vectorPage))
	type read struct {
		reports map[string]lore.Report
		err     error
	}
	ahead := make(chan read, 1)
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	go func() {
		for _, page := range pages {
			reports, err := p.Store.Reports(ctx, page)
			select {
			case ahead <- read{reports, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for _, page := range pages {
		var got read
		select {
		case got = <-ahead:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if got.err != nil {
			return nil, got.err
		}
		for _, id := range page {
			if report, there := got.reports[id]; there {
				vectors[id] = p.frequencies.Weigh(p.profile(report))
			}
		}
	}
	return vectors, nil
}

// profile returns a report's profile and keeps it.
func (p *pass) profile(report lore.Report) *curator.Profile {
	if profile := p.profiles.get(report.ID); profile != nil {
		return profile
	}
	profile := curator.NewProfile(observation(report))
	p.profiles.add(report.ID, profile)
	return profile
}
