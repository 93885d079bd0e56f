package worker

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/errgroup"

	"agentlore/curator"
	"agentlore/lore"
)

const (
	// profileCacheBytes is what profiles may take in memory: those of some 60,000 reports of usual length.
	profileCacheBytes = 96 << 20
	// profilePage is how many reports without a profile are read at a time.
	profilePage = 500
	// linksPage is how many reports' links are written, or read ahead, at a time: a megabyte or so.
	linksPage = 1000
	// grownBy is how much the corpus must have grown for terms to be counted anew: rarities move by a tenth at most until then.
	grownBy = 1.1
)

// profileCache keeps the profiles that were used last.
type profileCache struct {
	limit, size int
	profiles    *simplelru.LRU[string, *curator.Profile]
}

func newProfileCache(limit int) *profileCache {
	c := &profileCache{limit: limit}
	c.profiles, _ = simplelru.NewLRU(math.MaxInt, func(_ string, p *curator.Profile) { c.size -= p.Size() }) // fails for a size below one only
	return c
}

func (c *profileCache) add(id string, profile *curator.Profile) {
	c.profiles.Remove(id)
	c.profiles.Add(id, profile)
	for c.size += profile.Size(); c.size > c.limit; {
		c.profiles.RemoveOldest()
	}
}

// profilesOf returns the profiles of reports. Those of reports that are there no more are left out.
func (p *pass) profilesOf(ids []string) (map[string]*curator.Profile, error) {
	profiles := make(map[string]*curator.Profile, len(ids))
	var unread []string
	for _, id := range ids {
		if profile, kept := p.profiles.profiles.Get(id); kept {
			profiles[id] = profile
		} else {
			unread = append(unread, id)
		}
	}
	pages := slices.Collect(slices.Chunk(unread, profilePage))
	var mu sync.Mutex
	err := p.inParallel(len(pages), func(i int) error {
		reports, err := p.Store.Reports(p.ctx, pages[i])
		for id, report := range reports {
			profile := p.profileOf(report)
			if profile == nil {
				continue
			}
			mu.Lock()
			profiles[id] = profile
			p.profiles.add(id, profile)
			mu.Unlock()
		}
		return err
	})
	return profiles, err
}

// profileOf returns what a report is compared by; nil where that failed, and the report is set aside.
func (p *pass) profileOf(report lore.Report) (profile *curator.Profile) {
	p.guard(func() {
		kind := ""
		if p.library != nil {
			kind = p.library.Kind(report.Summary).Entry
		}
		profile = curator.NewProfile(observation(report), curator.Project(report), kind)
	}, submissions([]string{report.ID})...)
	return profile
}

// loadGraph reads all links, unless they are at hand.
func (p *pass) loadGraph() error {
	if p.graph != nil {
		return nil
	}
	p.tell("read links", 0, 0)
	graph := curator.NewLinkGraph()
	group, ctx := errgroup.WithContext(p.ctx)
	read := make(chan lore.Links, linksPage) // the next ones are read while these are taken in
	group.Go(func() error {
		defer close(read)
		return p.Store.EachLinks(ctx, func(links lore.Links) error {
			select {
			case read <- links:
			case <-ctx.Done():
			}
			return ctx.Err()
		})
	})
	group.Go(func() error {
		for links := range read {
			if err := graph.Load(links); err != nil {
				return err
			}
		}
		return nil
	})
	err := group.Wait()
	if err == nil {
		p.graph = graph
	}
	return err
}

// saveLinks stores the links that differ from what is stored.
func (p *pass) saveLinks() error {
	unsaved := p.graph.Unsaved()
	pages := slices.Collect(slices.Chunk(unsaved, linksPage))
	err := p.inParallel(len(pages), func(i int) error {
		rows := make([]lore.Links, len(pages[i]))
		for k, report := range pages[i] {
			var err error
			if rows[k], err = p.graph.Stored(report); err != nil {
				return err
			}
		}
		refused, err := p.Store.WriteLinks(p.ctx, rows)
		for _, refusal := range refused {
			p.putAside(refusal.Reason, refusal.Target)
		}
		return err
	})
	if err == nil {
		p.graph.Saved(unsaved)
	}
	return err
}

// inParallel calls work for 0 to n-1, p.parallel calls at a time, and returns the first error. After one failed it begins no more.
func (p *pass) inParallel(n int, work func(i int) error) error {
	group, ctx := errgroup.WithContext(p.ctx)
	group.SetLimit(p.parallel)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		group.Go(func() error { return work(i) })
	}
	return cmp.Or(group.Wait(), p.ctx.Err()) // what was never begun is no success
}

// loadFrequencies reads the stored frequencies, unless they are at hand.
func (p *pass) loadFrequencies() error {
	if p.frequencies != nil {
		return nil
	}
	p.frequencies = &curator.Frequencies{}
	state, data, err := p.Store.LoadState(p.ctx, stateFrequencies)
	if err != nil || len(data) == 0 {
		return err
	}
	var of frequencyState
	if err := json.Unmarshal(state, &of); err != nil {
		return fmt.Errorf("frequencies: %w", err)
	}
	if of.Version == curator.FingerprintVersion {
		p.frequencies, err = curator.DecodeFrequencies(data)
	}
	return err
}

// frequencyState says which frequencies are stored.
type frequencyState struct {
	Version string `json:"version"`
}

func (p *pass) saveFrequencies(fresh *curator.Frequencies) error {
	encoded, err := fresh.Encode()
	if err != nil {
		return err
	}
	err = p.Store.SaveState(p.ctx, stateFrequencies, frequencyState{curator.FingerprintVersion}, encoded)
	if err == nil {
		p.frequencies = fresh
	}
	return err
}

// outgrown reports whether the corpus has changed so much that terms are to be counted anew.
func (p *pass) outgrown(all int64) bool {
	counted := float64(p.frequencies.Reports())
	return float64(all) > counted*grownBy || float64(all) < counted/grownBy
}
