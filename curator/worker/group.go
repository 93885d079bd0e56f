package worker

import (
	"errors"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// groupPage is how many changed reports are grouped and written at a time.
const groupPage = 200

// group divides what changed links reach into patterns and writes what comes of it.
func (p *pass) group() error {
	p.seen = pairMemory{} // all comparing is done
	if err := p.readOwners(); err != nil {
		return err
	}
	if err := p.notePending(); err != nil {
		return err
	}
	grouper := curator.NewGrouper(&linkReader{p: p, fingerprints: map[string]string{}})
	done := map[string]bool{}
	p.tell(phaseGroup, 0, 0)
	var writing behind
	cursor := p.progress.Cursor
	for looked := int64(0); ; {
		page, err := p.Store.ChangedLinks(p.ctx, p.progress.Pass, cursor, groupPage)
		if err != nil || len(page) == 0 {
			return errors.Join(err, writing.wait())
		}
		changed := make([]string, 0, len(page))
		for _, row := range page {
			if !done[row.ID] {
				changed = append(changed, row.ID)
			}
		}
		changes, err := p.groupReports(grouper, changed, done)
		if err := errors.Join(err, writing.wait()); err != nil {
			return err
		}
		cursor = page[len(page)-1].ID
		writing.start(func() error {
			if err := p.write(changes); err != nil {
				return err
			}
			p.progress.Cursor = page[len(page)-1].ID // nobody else looks at it before this has ended
			return p.save()
		})
		if p.progress.Everything { // a pass of minutes: to write and to read at once would leave little of the store for others
			if err := writing.wait(); err != nil {
				return err
			}
		}
		looked += int64(len(page))
		p.tell(phaseGroup, looked, 0)
		if len(page) < groupPage {
			return writing.wait()
		}
	}
}

// groupReports groups what reports with changed links reach, and returns what is to be written. Those that were of one group
// with them before may have lost what held them together, so they are grouped anew as well: whatever two pages write, none
// of it is of the same item, and one page can be read while the one before is written.
func (p *pass) groupReports(grouper *curator.Grouper, changed []string, done map[string]bool) (changes, error) {
	if len(changed) == 0 {
		return changes{}, nil
	}
	held, err := p.Store.Reports(p.ctx, changed)
	if err != nil {
		return changes{}, err
	}
	var patterns []string
	for _, report := range held {
		if report.PatternID != "" {
			patterns = append(patterns, report.PatternID)
		}
	}
	slices.Sort(patterns)
	members, err := p.Store.MembersOf(p.ctx, slices.Compact(patterns))
	if err != nil {
		return changes{}, err
	}
	seeds := slices.Clone(changed)
	for _, ids := range members {
		seeds = append(seeds, ids...)
	}
	groups, err := grouper.Groups(seeds)
	if err != nil {
		return changes{}, err
	}
	for _, group := range groups {
		for _, id := range group {
			done[id] = true
		}
	}
	return p.rule(groups, changed, held)
}

// linkReader is what grouping reads of the store.
type linkReader struct {
	p            *pass
	fingerprints map[string]string // of the reports that were read
}

// Links reads the links of reports, and remembers their fingerprints for Joined.
func (r *linkReader) Links(ids []string) (map[string]lore.Links, error) {
	rows, err := r.p.rows(ids)
	if err != nil {
		return nil, err
	}
	links := make(map[string]lore.Links, len(rows))
	for id, row := range rows {
		links[id] = *row
		if row.Fingerprint != "" {
			r.fingerprints[id] = row.Fingerprint
		}
	}
	return links, nil
}

// Joined pairs every report with the first one of its fingerprint, and with those that an operator merged it with.
func (r *linkReader) Joined(ids []string) ([]curator.Pair, error) {
	var fingerprints []string
	for _, id := range ids { // their links were read before
		if fingerprint := r.fingerprints[id]; fingerprint != "" {
			fingerprints = append(fingerprints, fingerprint)
		}
	}
	fingerprints = distinct(fingerprints)
	equal, err := r.p.Store.WithFingerprints(r.p.ctx, fingerprints)
	if err != nil {
		return nil, err
	}
	var pairs []curator.Pair
	for _, fingerprint := range fingerprints {
		for _, other := range equal[fingerprint][min(1, len(equal[fingerprint])):] {
			pairs = append(pairs, curator.Pair{A: equal[fingerprint][0], B: other})
		}
	}
	return append(pairs, curator.PairsOf(r.p.merged, ids)...), nil
}

// Apart returns the pairs with one of the reports that an operator split.
func (r *linkReader) Apart(ids []string) ([]curator.Pair, error) {
	return curator.PairsOf(r.p.apart, ids), nil
}
