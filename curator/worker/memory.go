package worker

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"agentlore/curator"
	"agentlore/lore"
)

const (
	// profileCacheBytes is what profiles may take in memory: those of some 60,000 reports of usual length.
	profileCacheBytes = 96 << 20
	// profilePage is how many reports without a profile are read at a time.
	profilePage = 500
	// linksPage is how many reports' links are written at a time: a megabyte or so.
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
	for page := range slices.Chunk(unread, profilePage) {
		reports, err := p.Store.Reports(p.ctx, page)
		if err != nil {
			return nil, err
		}
		for id, report := range reports {
			profiles[id] = p.profileOf(report)
			p.profiles.add(id, profiles[id])
		}
	}
	return profiles, nil
}

// profileOf returns what a report is compared by.
func (p *pass) profileOf(report lore.Report) *curator.Profile {
	kind := ""
	if p.Library != nil {
		kind = p.Library.Kind(report.Summary).Entry
	}
	return curator.NewProfile(observation(report), curator.Project(report), kind)
}

// loadGraph reads all links, unless they are at hand.
func (p *pass) loadGraph() error {
	if p.graph != nil {
		return nil
	}
	p.tell("read links", 0, 0)
	graph := curator.NewLinkGraph()
	if err := p.Store.EachLinks(p.ctx, graph.Load); err != nil {
		return err
	}
	p.graph = graph
	return nil
}

// saveLinks stores the links that differ from what is stored.
func (p *pass) saveLinks() error {
	unsaved := p.graph.Unsaved()
	for page := range slices.Chunk(unsaved, linksPage) {
		rows := make([]lore.Links, len(page))
		for i, report := range page {
			var err error
			if rows[i], err = p.graph.Stored(report); err != nil {
				return err
			}
		}
		if err := p.Store.WriteLinks(p.ctx, rows); err != nil {
			return err
		}
	}
	p.graph.Saved(unsaved)
	return nil
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
	p.frequencies = fresh
	return p.Store.SaveState(p.ctx, stateFrequencies, frequencyState{curator.FingerprintVersion}, encoded)
}

// outgrown reports whether the corpus has changed so much that terms are to be counted anew.
func (p *pass) outgrown(all int64) bool {
	counted := float64(p.frequencies.Reports())
	return float64(all) > counted*grownBy || float64(all) < counted/grownBy
}
