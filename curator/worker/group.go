package worker

import (
	"maps"
	"slices"

	"agentlore/curator"
)

// groupPage is how many changed reports are grouped and written at a time: each page costs several requests, one after the other.
const groupPage = 500

// group divides what changed links reach into patterns and writes what comes of it.
func (p *pass) group() error {
	if err := p.readStanding(false); err != nil {
		return err
	}
	if err := p.notePending(); err != nil {
		return err
	}
	if p.graph == nil && !p.resumed {
		return nil // nothing was compared
	}
	if err := p.loadGraph(); err != nil {
		return err
	}
	grouper := curator.NewGrouper(p.graph, p.merged, p.apart)
	var changed []string
	for _, report := range p.graph.ChangedIn(p.progress.Pass) {
		changed = append(changed, p.graph.ID(report))
	}
	at, done := slices.BinarySearch(changed, p.progress.Cursor)
	if done {
		at++
	}
	p.tell(phaseGroup, at, len(changed))
	for page := range slices.Chunk(changed[at:], groupPage) {
		groups, err := p.reach(grouper, page)
		if err != nil {
			return err
		}
		made, err := p.judge(groups, nil)
		if err != nil {
			return err
		}
		if err := p.write(made); err != nil {
			return err
		}
		p.progress.Cursor = page[len(page)-1]
		if err := p.save(); err != nil {
			return err
		}
		at += len(page)
		p.tell(phaseGroup, at, len(changed))
	}
	return nil
}

// reach returns the groups of reports with changed links that are to be judged. Nearly all groups that they reach are what they were.
// Whatever was of one pattern with a report of another group may have lost what held it together, so that is grouped anew as well,
// and so on.
func (p *pass) reach(grouper *curator.Grouper, changed []string) (others [][]string, err error) {
	seen := map[string]bool{} // reports whose pattern's members are seeds
	for reached := slices.DeleteFunc(slices.Clone(changed), grouper.Done); len(reached) > 0; {
		patterns, err := p.Store.PatternsOf(p.ctx, reached)
		if err != nil {
			return nil, err
		}
		former, err := p.Store.MembersOf(p.ctx, distinct(slices.Collect(maps.Values(patterns))))
		if err != nil {
			return nil, err
		}
		of := map[string]string{}
		for pattern, ids := range former {
			for _, id := range ids {
				of[id] = pattern
			}
		}
		seeds := distinct(slices.Concat(append(slices.Collect(maps.Values(former)), reached)...))
		for _, id := range seeds {
			seen[id] = true
		}
		reached = nil
		for _, group := range grouper.Groups(seeds) {
			if p.graph.IsJudged(group) {
				continue
			}
			if !p.anew && p.graph.IsCurated(group) && slices.Equal(group, former[of[group[0]]]) {
				p.graph.Judge(group)
				continue
			}
			others = append(others, group)
			for _, id := range group {
				if !seen[id] {
					reached = append(reached, id)
				}
			}
		}
	}
	return others, nil
}

func distinct(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }
