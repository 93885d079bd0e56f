package worker

import (
	"context"
	"runtime"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// corpus is all reports as a pass that compares them all has them at hand. They are numbered in order of id, and neither
// finding candidates nor comparing asks the store for anything.
type corpus struct {
	ids, fingerprints []string
	packed            [][]byte // profiles
	chunk             []byte   // that the next profiles go to; one by one they would take a third more
	size, limit       int      // of profiles, bytes
}

const (
	// countPage is how many reports are read at once where only their text is needed; Elasticsearch takes some 50 ms for it.
	countPage = 250
	// profileChunk is how many bytes of profiles lie together.
	profileChunk = 1 << 20
)

// add adds a report, unless its profile is one too many.
func (c *corpus) add(id, fingerprint string, profile *curator.Profile) bool {
	packed := profile.Pack()
	if c.size += len(packed); c.size > c.limit || len(c.ids) >= curator.MostIndexed {
		return false
	}
	if len(c.chunk)+len(packed) > cap(c.chunk) {
		c.chunk = make([]byte, 0, max(profileChunk, len(packed)))
	}
	start := len(c.chunk)
	c.chunk = append(c.chunk, packed...)
	c.ids, c.fingerprints, c.packed = append(c.ids, id), append(c.fingerprints, fingerprint), append(c.packed, slices.Clip(c.chunk[start:]))
	return true
}

// profile returns a report's profile.
func (c *corpus) profile(number int) *curator.Profile {
	profile, err := curator.UnpackProfile(c.packed[number])
	if err != nil {
		return nil // can't be: it was packed here
	}
	return profile
}

// readAll reads all reports and shows visit each one's profile. With whole, it returns the corpus, or nil where its profiles
// are too many to be kept; then, and without, those that fit stay at hand for those who compare page by page.
func (p *pass) readAll(of int64, whole bool, visit func(*curator.Profile)) (*corpus, error) {
	var c *corpus
	if whole {
		p.profiles.clear()
		c = &corpus{limit: p.profiles.limit}
	}
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	pages := ahead(ctx, func(last []lore.Report) ([]lore.Report, error) {
		after := ""
		if len(last) > 0 {
			after = last[len(last)-1].ID
		}
		return p.Store.UncuratedReports(ctx, curator.FingerprintVersion, true, after, countPage)
	})
	read := int64(0)
	for page := range pages {
		if page.err != nil {
			return nil, page.err
		}
		for _, report := range page.items {
			runtime.Gosched()
			said := observation(report)
			profile := curator.NewProfile(said)
			visit(profile)
			if c != nil && !c.add(report.ID, curator.Fingerprint(said), profile) {
				c = nil
			}
			if c == nil {
				p.profiles.add(report.ID, profile)
			}
		}
		read += int64(len(page.items))
		p.tell("count", read, of)
	}
	return c, p.ctx.Err()
}
