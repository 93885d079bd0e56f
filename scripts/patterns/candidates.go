package main

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"agentlore/lore"
)

var (
	wordPattern = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	partPattern = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)
)

// posting is how often a report has a word.
type posting struct {
	report int
	count  float64
}

// keywords is an index in memory that finds candidates by BM25 (k1 1.2, b 0.75), as Elasticsearch does in the service.
type keywords struct {
	postings map[string][]posting
	words    map[int]map[string]float64
	lengths  map[int]float64
	total    float64
}

func newKeywords() *keywords {
	return &keywords{postings: map[string][]posting{}, words: map[int]map[string]float64{}, lengths: map[int]float64{}}
}

// add indexes a report: words and names in code, whole and by their parts; those of the summary count three times.
func (k *keywords) add(number int, o lore.Observation) {
	found := map[string]float64{}
	for _, text := range []string{o.Summary, o.Summary, o.Summary, o.Content, o.Resolution} {
		for _, word := range wordPattern.FindAllString(text, -1) {
			parts := partPattern.FindAllString(word, -1)
			for _, part := range parts {
				found[strings.ToLower(part)]++
			}
			if len(parts) > 1 {
				found[strings.ToLower(word)]++
			}
		}
	}
	k.words[number] = found
	for word, count := range found {
		k.postings[word] = append(k.postings[word], posting{number, count})
		k.lengths[number] += count
	}
	k.total += k.lengths[number]
}

// candidates returns the reports nearest to one that is in the index, at most limit, best first.
func (k *keywords) candidates(number, limit int) []int {
	scores := make(map[int]float64, len(k.words))
	n, mean := float64(len(k.words)), k.total/float64(len(k.words))
	own := make([]string, 0, len(k.words[number]))
	for word := range k.words[number] {
		own = append(own, word)
	}
	slices.Sort(own) // sums of floats depend on the order
	for _, word := range own {
		postings := k.postings[word]
		df := float64(len(postings))
		if df > n/2 && n > 100 {
			continue // says nothing and costs most
		}
		weight := math.Log(1+(n-df+0.5)/(df+0.5)) * min(k.words[number][word], 3)
		for _, p := range postings {
			scores[p.report] += weight * p.count * 2.2 / (p.count + 1.2*(0.25+0.75*k.lengths[p.report]/mean))
		}
	}
	delete(scores, number)
	best := make([]int, 0, len(scores))
	for other := range scores {
		best = append(best, other)
	}
	slices.SortFunc(best, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return best[:min(limit, len(best))]
}
