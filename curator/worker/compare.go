package worker

import (
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

const (
	// comparePage is how many new reports are compared at a time: their candidates overlap, and a kill loses no more.
	comparePage = 200
	// candidateBatch is how many look-ups one request holds: it is over before a caller's search has waited for long.
	candidateBatch = 10
)

// compare compares every new report with those that its words find.
func (p *pass) compare() error {
	if err := p.markDecided(); err != nil {
		return err
	}
	all, waiting, err := p.Store.CountReports(p.ctx, curator.FingerprintVersion)
	if err != nil {
		return err
	}
	if p.progress.Everything {
		waiting = all
	}
	if waiting == 0 {
		return nil
	}
	if err := p.loadFrequencies(); err != nil {
		return err
	}
	p.tell(phaseCompare, 0, waiting)
	for done := int64(0); ; {
		page, err := p.Store.UncuratedReports(p.ctx, curator.FingerprintVersion, p.progress.Everything, p.progress.Cursor, comparePage)
		if err != nil {
			return err
		}
		if len(page) > 0 {
			if err := p.comparePage(page); err != nil {
				return err
			}
			p.progress.Cursor = page[len(page)-1].ID
			if err := p.save(); err != nil {
				return err
			}
		}
		done += int64(len(page))
		p.count(func(s *Stats) { s.Reports += int64(len(page)) })
		p.tell(phaseCompare, done, waiting)
		if len(page) < comparePage {
			return nil
		}
	}
}

func (p *pass) comparePage(page []lore.Report) error {
	var ids, queries, asking []string
	for _, report := range page {
		p.profile(report)
		ids = append(ids, report.ID)
		if query := curator.QueryWords(observation(report), p.frequencies); query != "" {
			queries, asking = append(queries, query), append(asking, report.ID)
		}
	}
	seen := map[curator.Pair]bool{}
	var pairs []curator.Pair
	for start := 0; start < len(queries); start += candidateBatch {
		end := min(len(queries), start+candidateBatch)
		found, err := p.Store.Candidates(p.ctx, queries[start:end], curator.MaxCandidates+1)
		if err != nil {
			return err
		}
		for i, candidates := range found {
			id := asking[start+i]
			candidates = slices.DeleteFunc(candidates, func(other string) bool { return other == id })
			for _, other := range candidates[:min(curator.MaxCandidates, len(candidates))] {
				if pair := (curator.Pair{A: min(id, other), B: max(id, other)}); !seen[pair] {
					seen[pair] = true
					pairs = append(pairs, pair)
				}
			}
		}
	}
	found, err := p.judge(pairs)
	if err != nil {
		return err
	}
	changed := slices.Clone(ids)
	for _, c := range found {
		changed = append(changed, c.pair.A, c.pair.B)
	}
	changed = slices.Compact(slices.Sorted(slices.Values(changed)))
	rows, err := p.rows(changed)
	if err != nil {
		return err
	}
	for _, report := range page {
		rows[report.ID].Fingerprint = curator.Fingerprint(observation(report))
	}
	for _, c := range found {
		p.link(rows, c.pair, c.probability, false)
	}
	return p.writeRows(rows, changed)
}
