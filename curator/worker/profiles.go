package worker

import (
	"context"

	"agentlore/curator"
	"agentlore/lore"
)

// profilePage is how many reports without a profile are read at a time.
const profilePage = 500

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
