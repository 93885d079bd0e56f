package worker

import (
	"context"

	"agentlore/curator"
	"agentlore/lore"
)

const (
	// comparePage is how many new reports are compared at a time: their candidates overlap, and a kill loses no more.
	comparePage = 200
	// candidateBatch is how many look-ups one request holds: it is over before a caller's search has waited for long.
	candidateBatch = 10
)

// lookedUp is a page of reports, their fingerprints, and the pairs of them with their candidates, each once.
type lookedUp struct {
	ids, fingerprints, sources []string
	pairs                      []curator.Pair
}

// pairSet are pairs in order of coming, each once.
type pairSet struct {
	seen map[curator.Pair]bool
	list []curator.Pair
}

func (s *pairSet) add(a, b string) {
	pair := curator.Pair{A: min(a, b), B: max(a, b)}
	if s.seen == nil {
		s.seen = map[curator.Pair]bool{}
	}
	if !s.seen[pair] {
		s.seen[pair] = true
		s.list = append(s.list, pair)
	}
}

// lookUps looks the candidates of all reports behind the cursor up in the store, a page ahead of whoever compares them. It
// ends with ctx. What it reads, comparing doesn't write.
func (p *pass) lookUps(ctx context.Context) <-chan read[lookedUp] {
	cursor, everything, last := p.progress.Cursor, p.progress.Everything, false
	return ahead(ctx, func([]lookedUp) ([]lookedUp, error) {
		if last {
			return nil, nil
		}
		reports, err := p.Store.UncuratedReports(ctx, curator.FingerprintVersion, everything, cursor, comparePage)
		if err != nil || len(reports) == 0 {
			return nil, err
		}
		cursor, last = reports[len(reports)-1].ID, len(reports) < comparePage
		page := lookedUp{}
		for _, report := range reports {
			said := observation(report)
			p.profiles.add(report.ID, curator.NewProfile(said)) // it may have been redacted since it was compared before
			page.ids, page.fingerprints = append(page.ids, report.ID), append(page.fingerprints, curator.Fingerprint(said))
			page.sources = append(page.sources, report.SourceID)
		}
		page.pairs, err = p.candidates(ctx, reports)
		return []lookedUp{page}, err
	})
}

// candidates returns the pairs of reports with what their words find.
func (p *pass) candidates(ctx context.Context, reports []lore.Report) ([]curator.Pair, error) {
	var queries, asking []string
	for _, report := range reports {
		if query := curator.QueryWords(observation(report), p.frequencies); query != "" {
			queries, asking = append(queries, query), append(asking, report.ID)
		}
	}
	found := make([][]string, len(queries))
	batches := (len(queries) + candidateBatch - 1) / candidateBatch
	err := together(p.requests(), batches, func(i int) error {
		start := i * candidateBatch
		some, err := p.Store.Candidates(ctx, queries[start:min(len(queries), start+candidateBatch)], curator.MaxCandidates+1)
		copy(found[start:], some)
		return err
	})
	var pairs pairSet
	for i, candidates := range found {
		others := 0
		for _, other := range candidates {
			if other != asking[i] && others < curator.MaxCandidates {
				pairs.add(asking[i], other)
				others++
			}
		}
	}
	return pairs.list, err
}
