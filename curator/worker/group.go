package worker

import (
	"errors"
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

const (
	// groupPage is how many changed reports are grouped and written at a time.
	groupPage = 200
	// briefGroupPage is the same for a brief pass: each page costs several writes, one after the other, and of most of its reports
	// nothing is judged.
	briefGroupPage = 1000
	// relinkedPage is how many ids alone are read at a time.
	relinkedPage = 5000
)

// group divides what changed links reach into patterns and writes what comes of it.
func (p *pass) group() error {
	p.seen = pairMemory{} // all comparing is done
	if err := p.readStanding(); err != nil {
		return err
	}
	if err := p.notePending(); err != nil {
		return err
	}
	if !p.progress.Everything {
		if err := p.readRelinked(); err != nil {
			return err
		}
	}
	size := groupPage
	if p.brief {
		size = briefGroupPage
	}
	grouper := curator.NewGrouper(&linkReader{p}, p.graph)
	done := map[string]bool{}
	p.tell(phaseGroup, 0, 0)
	var writing behind
	cursor := p.progress.Cursor
	for looked := int64(0); ; {
		page, err := p.Store.ChangedLinks(p.ctx, p.progress.Pass, cursor, size)
		if err != nil || len(page) == 0 {
			return errors.Join(err, writing.wait())
		}
		changed := slices.DeleteFunc(slices.Clone(page), func(id string) bool { return done[id] })
		changes, err := p.groupReports(grouper, changed, done)
		if err := errors.Join(err, writing.wait()); err != nil {
			return err
		}
		cursor = page[len(page)-1]
		writing.start(func() error {
			if err := p.write(changes); err != nil {
				return err
			}
			p.progress.Cursor = page[len(page)-1] // nobody else looks at it before this has ended
			return p.save()
		})
		if p.progress.Everything { // a pass of minutes: to write and to read at once would leave little of the store for others
			if err := writing.wait(); err != nil {
				return err
			}
		}
		looked += int64(len(page))
		p.tell(phaseGroup, looked, 0)
		if len(page) < size {
			return writing.wait()
		}
	}
}

// readRelinked reads which reports have links that the pass changed.
func (p *pass) readRelinked() error {
	p.relinked = map[string]bool{}
	for after := ""; ; {
		page, err := p.Store.ChangedLinks(p.ctx, p.progress.Pass, after, relinkedPage)
		if err != nil {
			return err
		}
		for _, id := range page {
			p.relinked[id] = true
		}
		if len(page) < relinkedPage {
			return nil
		}
		after = page[len(page)-1]
	}
}

// groupReports groups what reports with changed links reach, and returns what is to be written. Nearly all groups that they reach are
// what they were, and only the others are judged. Whatever was of one pattern with a report of such a group before may have lost what
// held it together, so that is grouped anew as well, and so on: whatever two pages write, none of it is of the same item, and one page
// can be read while the one before is written.
func (p *pass) groupReports(grouper *curator.Grouper, changed []string, done map[string]bool) (changes, error) {
	var others [][]string
	seen := map[string]bool{} // reports whose pattern's members are seeds
	for reach := changed; len(reach) > 0; {
		seeds, err := p.withFormer(reach)
		if err != nil {
			return changes{}, err
		}
		for _, id := range seeds {
			seen[id] = true
		}
		groups, err := grouper.Groups(seeds)
		if err != nil {
			return changes{}, err
		}
		reach = nil
		for _, group := range groups {
			same := p.groups.has(group)
			if !same {
				others = append(others, group)
			}
			for _, id := range group {
				done[id] = true
				if !same && !seen[id] {
					reach = append(reach, id)
				}
			}
		}
	}
	if len(others) == 0 {
		return changes{}, nil
	}
	return p.rule(others, nil)
}

// withFormer returns reports and all that were of one pattern with one of them when that was written.
func (p *pass) withFormer(reports []string) ([]string, error) {
	patterns, err := p.Store.PatternsOf(p.ctx, reports)
	if err != nil {
		return nil, err
	}
	members, err := p.Store.MembersOf(p.ctx, distinct(slices.Collect(maps.Values(patterns))))
	all := slices.Clone(reports)
	for _, ids := range members {
		all = append(all, ids...)
	}
	return distinct(all), err
}

// linkReader is what grouping reads of the store.
type linkReader struct{ p *pass }

// Links reads the links of reports.
func (r *linkReader) Links(ids []string) (map[string]lore.Links, error) { return r.p.readLinks(ids) }

// Joined pairs every report with the first one of its fingerprint, and with those that an operator merged it with.
func (r *linkReader) Joined(ids []string) ([]curator.Pair, error) {
	var fingerprints []string
	for _, id := range ids { // their links were read before
		if fingerprint := r.p.graph.Fingerprint(id); fingerprint != "" {
			fingerprints = append(fingerprints, fingerprint)
		}
	}
	fingerprints = distinct(fingerprints)
	if err := r.readEqual(fingerprints); err != nil {
		return nil, err
	}
	var pairs []curator.Pair
	for _, fingerprint := range fingerprints {
		equal, _ := r.p.graph.Equal(fingerprint)
		for _, other := range equal[min(1, len(equal)):] {
			pairs = append(pairs, curator.Pair{A: equal[0], B: other})
		}
	}
	return append(pairs, curator.PairsOf(r.p.merged, ids)...), nil
}

// readEqual reads which reports have fingerprints, where it isn't known.
func (r *linkReader) readEqual(fingerprints []string) error {
	unknown := slices.DeleteFunc(slices.Clone(fingerprints), func(fingerprint string) bool {
		_, known := r.p.graph.Equal(fingerprint)
		return known
	})
	if len(unknown) == 0 {
		return nil
	}
	equal, err := r.p.Store.WithFingerprints(r.p.ctx, unknown)
	if err != nil {
		return err
	}
	for _, fingerprint := range unknown {
		r.p.graph.SetEqual(fingerprint, equal[fingerprint])
	}
	return nil
}

// Apart returns the pairs with one of the reports that an operator split.
func (r *linkReader) Apart(ids []string) ([]curator.Pair, error) {
	return curator.PairsOf(r.p.apart, ids), nil
}
