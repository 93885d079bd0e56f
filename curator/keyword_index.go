package curator

import (
	"cmp"
	"slices"
)

// KeywordIndex finds the candidates of reports among all others, in memory: for a pass over a whole corpus, whose profiles
// are at hand anyway, at a hundredth of what look-ups in the store take. It ranks as the store does (BM25 with the store's
// parameters over the words that weigh most in a report), by a profile's words and names. It takes 4 bytes for each term of a
// report that another one has too. Read-only; a Lookup is for one goroutine.
type KeywordIndex struct {
	frequencies *Frequencies
	terms       []uint32  // that stand in two reports or more, rising
	starts      []uint32  // of each term: where its postings begin; one more at the end
	postings    []posting // of all terms, those of one in order of report
	norms       []float32 // of each report: what its length does to a count
}

// posting is a report's number and, in the lower bits, how often it has the term.
type posting uint32

const (
	countBits = 4
	mostCount = 1<<countBits - 1
	// MostIndexed is how many reports a KeywordIndex holds at most.
	MostIndexed = 1 << (32 - countBits)
	// termRanges is in how many steps the index is made: each holds its share of the postings twice.
	termRanges = 4
	// commonTerm is the share of reports from which a term isn't looked up: it finds a tenth of the corpus, and nothing by itself.
	commonTerm = 0.1
	// leastCommon is the number of reports up to which a term is looked up in any case.
	leastCommon = 1000
	// BM25's parameters, those of the store's merged field (mappings/analysis.json).
	bm25Saturation = 1.4
	bm25Length     = 0.7
)

// NewKeywordIndex makes an index of reports by number; profile returns that of a number below count, MostIndexed at most,
// and is asked several times. A report without a profile (nil) is not found.
func NewKeywordIndex(frequencies *Frequencies, count int, profile func(int) *Profile) *KeywordIndex {
	k := &KeywordIndex{frequencies: frequencies, norms: make([]float32, count)}
	var found []uint64 // term, report and count, from the highest bits on
	total := 0.0
	for part := range uint32(termRanges) {
		found = found[:0]
		for report := range count {
			p := profile(report)
			if p == nil {
				continue
			}
			if part == 0 {
				length := 0
				for _, t := range p.all {
					length += t.count
				}
				k.norms[report] = float32(length)
				total += float64(length)
			}
			for _, terms := range [][]term{p.all, p.names} {
				for _, t := range terms {
					if t.id/(1<<32/termRanges) == part && k.finds(t.id) {
						found = append(found, uint64(t.id)<<32|uint64(report)<<countBits|uint64(min(t.count, mostCount)))
					}
				}
			}
		}
		slices.Sort(found)
		k.postings = slices.Grow(k.postings, len(found))
		for i, one := range found {
			if id := uint32(one >> 32); i == 0 || id != k.terms[len(k.terms)-1] {
				k.terms = append(k.terms, id)
				k.starts = append(k.starts, uint32(len(k.postings)))
			}
			k.postings = append(k.postings, posting(one))
		}
	}
	k.starts = append(k.starts, uint32(len(k.postings)))
	mean := max(1, total/float64(max(1, count)))
	for i, length := range k.norms {
		k.norms[i] = float32(bm25Saturation * (1 - bm25Length + bm25Length*float64(length)/mean))
	}
	return k
}

// finds reports whether a term is one to look reports up by: another one has it, and not too many have.
func (k *KeywordIndex) finds(id uint32) bool {
	n := k.frequencies.count(id)
	return n > 1 && n <= uint32(max(leastCommon, int(commonTerm*float64(k.frequencies.reports))))
}

// Lookup is what finding candidates needs beside the index.
type Lookup struct {
	index   *KeywordIndex
	scores  []float32 // of each report; 0 between two questions
	touched []int32
}

// NewLookup returns a look-up for one goroutine.
func (k *KeywordIndex) NewLookup() *Lookup {
	return &Lookup{index: k, scores: make([]float32, len(k.norms))}
}

// Candidates returns the numbers of the reports that a report's words find, best first, of equals the lesser number, at most
// limit. The report itself, by its number, is left out.
func (l *Lookup) Candidates(report int, p *Profile, limit int) []int {
	k := l.index
	for _, word := range k.weightiest(p) {
		at, there := slices.BinarySearch(k.terms, word.id)
		if !there {
			continue
		}
		for _, one := range k.postings[k.starts[at]:k.starts[at+1]] {
			other, count := int32(one>>countBits), float32(one&mostCount)
			if l.scores[other] == 0 {
				l.touched = append(l.touched, other)
			}
			l.scores[other] += word.weight * count / (count + k.norms[other])
		}
	}
	best := l.best(int32(report), limit)
	for _, other := range l.touched {
		l.scores[other] = 0
	}
	l.touched = l.touched[:0]
	return best
}

// best returns the touched reports of the highest scores.
func (l *Lookup) best(without int32, limit int) []int {
	better := func(a, b int32) int { return cmp.Or(cmp.Compare(l.scores[b], l.scores[a]), cmp.Compare(a, b)) }
	// The best so far, sorted: hardly any of thousands gets in, and then for a place near the end.
	best := make([]int32, 0, limit+1)
	for _, other := range l.touched {
		if other == without || len(best) == limit && better(other, best[limit-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, other, better)
		best = slices.Insert(best, at, other)
		best = best[:min(limit, len(best))]
	}
	numbers := make([]int, len(best))
	for i, other := range best {
		numbers[i] = int(other)
	}
	return numbers
}

// queryTerm is a term that a report is looked up by.
type queryTerm struct {
	id     uint32
	weight float32
}

// weightiest returns the terms that a report is looked up by, as QueryWords chooses words: those that are rare among all
// reports and frequent in this one.
func (k *KeywordIndex) weightiest(p *Profile) []queryTerm {
	found := make([]queryTerm, 0, len(p.all)+len(p.names))
	for _, terms := range [][]term{p.all, p.names} {
		for _, t := range terms {
			if k.finds(t.id) {
				found = append(found, queryTerm{t.id, float32(float64(min(t.count, queryWordRepeat)) * k.frequencies.rarity(t.id))})
			}
		}
	}
	slices.SortFunc(found, func(a, b queryTerm) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id)) })
	return found[:min(queryWords, len(found))]
}
