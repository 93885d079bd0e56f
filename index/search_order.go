package index

import (
	"cmp"
	"slices"
)

// closer reports whether the page is among the results that are put in order here.
func (s search) closer() bool { return !s.query.Newest && s.query.Offset < closerWindow }

// inOrder puts the first hits in order and cuts the page out of them: by what they say, how far they are trusted, and by
// what is like the best of them. Where q names something exactly, what has it comes first, however unlike the rest it is.
func (s search) inOrder(hits []hit[searchDocument], known vocabulary) []hit[searchDocument] {
	first := hits[:min(len(hits), closerWindow)]
	scores, signatures := make([]float64, len(first)), make([]signature, len(first))
	for i, one := range first {
		signatures[i] = readSignature(one.Source.Signature)
	}
	looks := lookCloser(s.sought(known), signatures)
	for i := range first {
		if first[i].Score != nil {
			scores[i] = *first[i].Score
		}
		scores[i] = (scores[i] + looks[i].total()) * trustOf(first[i].Source, s.now).factor()
		first[i].Closeness = &looks[i]
	}
	order := make([]int, len(first))
	for i := range order {
		order[i] = i
	}
	byScore := func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), a-b) }
	slices.SortFunc(order, byScore)
	if len(s.entities) == 0 {
		ranked, theirs := make([]float64, len(order)), make([]signature, len(order))
		for rank, i := range order {
			ranked[rank], theirs[rank] = scores[i], signatures[i]
		}
		for rank, added := range support(ranked, theirs) {
			scores[order[rank]] += added
			first[order[rank]].Support = added
		}
		slices.SortFunc(order, byScore)
	}
	from, to := min(s.query.Offset, len(hits)), min(s.query.Offset+s.query.Limit, len(hits))
	page := make([]hit[searchDocument], 0, to-from)
	for rank := from; rank < to; rank++ {
		if rank >= len(order) {
			page = append(page, hits[rank])
			continue
		}
		one := first[order[rank]]
		one.Score = &scores[order[rank]]
		page = append(page, one)
	}
	return page
}
