package worker

import (
	"context"
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

// lookedUp is a page of reports and the pairs of them with their candidates, each once.
type lookedUp struct {
	reports []lore.Report
	pairs   []curator.Pair
	err     error // and nothing else: no page follows
}

// lookUps looks the candidates of all reports behind the cursor up, a page ahead of whoever compares them: the store works
// while this process does. It ends with ctx. What it reads, comparing doesn't write.
func (p *pass) lookUps(ctx context.Context) <-chan lookedUp {
	pages := make(chan lookedUp)
	cursor, everything := p.progress.Cursor, p.progress.Everything
	go func() {
		defer close(pages)
		for {
			var page lookedUp
			page.reports, page.err = p.Store.UncuratedReports(ctx, curator.FingerprintVersion, everything, cursor, comparePage)
			if page.err == nil && len(page.reports) > 0 {
				page.pairs, page.err = p.candidates(ctx, page.reports)
			}
			if page.err == nil && len(page.reports) == 0 {
				return
			}
			select {
			case pages <- page:
			case <-ctx.Done():
				return
			}
			if page.err != nil || len(page.reports) < comparePage {
				return
			}
			cursor = page.reports[len(page.reports)-1].ID
		}
	}()
	return pages
}

// candidates returns the pairs of reports with what their words find.
func (p *pass) candidates(ctx context.Context, reports []lore.Report) ([]curator.Pair, error) {
	var queries, asking []string
	for _, report := range reports {
		if query := curator.QueryWords(observation(report), p.frequencies); query != "" {
			queries, asking = append(queries, query), append(asking, report.ID)
		}
	}
	seen := map[curator.Pair]bool{}
	var pairs []curator.Pair
	for start := 0; start < len(queries); start += candidateBatch {
		end := min(len(queries), start+candidateBatch)
		found, err := p.Store.Candidates(ctx, queries[start:end], curator.MaxCandidates+1)
		if err != nil {
			return nil, err
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
	return pairs, nil
}
