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
	ids, fingerprints []string
	pairs             []curator.Pair
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
			page.ids, page.fingerprints = append(page.ids, report.ID), append(page.fingerprints, curator.Fingerprint(observation(report)))
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
	var pairs pairSet
	for start := 0; start < len(queries); start += candidateBatch {
		end := min(len(queries), start+candidateBatch)
		found, err := p.Store.Candidates(ctx, queries[start:end], curator.MaxCandidates+1)
		if err != nil {
			return nil, err
		}
		for i, candidates := range found {
			others := 0
			for _, other := range candidates {
				if other != asking[start+i] && others < curator.MaxCandidates {
					pairs.add(asking[start+i], other)
					others++
				}
			}
		}
	}
	return pairs.list, nil
}
