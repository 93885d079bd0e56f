package worker

import (
	"context"

	"agentlore/curator"
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
	looking, stop := context.WithCancel(p.ctx)
	pages := p.lookUps(looking)
	defer func() {
		stop()
		for range pages { // until it has ended: the next pass may weigh words in another way
		}
	}()
	done := int64(0)
	for page := range pages {
		if page.err != nil {
			return page.err
		}
		if err := p.comparePage(page); err != nil {
			return err
		}
		p.progress.Cursor = page.reports[len(page.reports)-1].ID
		if err := p.save(); err != nil {
			return err
		}
		done += int64(len(page.reports))
		p.count(func(s *Stats) {
			s.Reports += int64(len(page.reports))
			s.Waiting = max(0, waiting-done)
		})
		p.tell(phaseCompare, done, waiting)
	}
	return p.ctx.Err()
}

// comparePage compares a page of reports with their candidates and stores the links.
func (p *pass) comparePage(page lookedUp) error {
	found, err := p.judge(page.pairs)
	if err != nil {
		return err
	}
	var changed []string
	for _, report := range page.reports {
		changed = append(changed, report.ID)
	}
	for _, c := range found {
		changed = append(changed, c.pair.A, c.pair.B)
	}
	changed = distinct(changed)
	rows, err := p.rows(changed)
	if err != nil {
		return err
	}
	for _, report := range page.reports {
		rows[report.ID].Fingerprint = curator.Fingerprint(observation(report))
	}
	for _, c := range found {
		p.link(rows, c.pair, c.probability, false)
	}
	return p.writeRows(rows, changed)
}
