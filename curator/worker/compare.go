package worker

import (
	"context"
	"errors"
	"slices"

	"agentlore/curator"
)

// compare compares every new report with those that its words find.
func (p *pass) compare() error {
	all, waiting, err := p.Store.CountReports(p.ctx, curator.FingerprintVersion)
	if err != nil {
		return err
	}
	if p.progress.Everything {
		waiting = all
	}
	p.brief = p.begun && !p.progress.Everything && 0 < waiting && waiting <= comparePage
	if err := errors.Join(p.markDecided(), p.markErased()); err != nil || waiting == 0 {
		return err
	}
	if err := p.loadFrequencies(); err != nil {
		return err
	}
	if p.progress.InMemory {
		if done, err := p.compareAll(all); done || err != nil {
			return err
		}
		p.progress.InMemory = false
	}
	p.tell(phaseCompare, 0, waiting)
	looking, stop := context.WithCancel(p.ctx)
	pages := p.lookUps(looking)
	var writing behind
	defer func() {
		stop()
		for range pages { // until it has ended: the next pass may weigh words in another way
		}
	}()
	done := int64(0)
	for step := range pages {
		if step.err != nil {
			return errors.Join(step.err, writing.wait())
		}
		for _, page := range step.items {
			if err := p.comparePage(page, &writing); err != nil {
				return err
			}
			done += int64(len(page.ids))
			p.count(func(s *Stats) {
				s.Reports += int64(len(page.ids))
				s.Waiting = max(0, waiting-done)
			})
			p.tell(phaseCompare, done, waiting)
		}
	}
	if err := writing.wait(); err != nil {
		return err
	}
	return p.ctx.Err()
}

// comparePage compares a page of reports with their candidates and stores the links, while the next page is looked at.
func (p *pass) comparePage(page lookedUp, writing *behind) error {
	p.groups.forget(page.ids) // they may have been judged by other words
	p.accounts.changed(page.sources...)
	found, err := p.judge(page.pairs)
	if err := errors.Join(err, writing.wait()); err != nil {
		return err
	}
	touched, changed := slices.Clone(page.ids), slices.Clone(page.ids)
	for _, c := range found {
		touched = append(touched, c.pair.A, c.pair.B)
	}
	rows, err := p.rows(touched)
	if err != nil {
		return err
	}
	for i, id := range page.ids {
		rows[id].Fingerprint = page.fingerprints[i]
	}
	for _, c := range found {
		changed = append(changed, p.link(rows, c.pair, c.probability, false)...)
	}
	cursor := page.ids[len(page.ids)-1]
	writing.start(func() error {
		if err := p.writeRows(rows, distinct(changed)); err != nil || p.brief {
			return err
		}
		p.progress.Cursor = cursor // nobody else looks at it before this has ended
		return p.save()
	})
	return nil
}
