package main

import (
	"fmt"

	"agentlore/curator"
)

// corpus is labelled reports, weighed together, with their candidate pairs.
type corpus struct {
	reports  []report
	vectors  []*curator.Vector
	pairs    [][2]int
	compared []sample // of each pair
}

// prepare weighs all reports together and compares every one with its candidates.
func prepare(reports []report) *corpus {
	c := &corpus{reports: reports}
	var frequencies curator.Frequencies
	for _, r := range reports {
		frequencies.Add(r.profile)
	}
	graph := curator.NewLinkGraph()
	for i, r := range reports {
		c.vectors = append(c.vectors, frequencies.Weigh(r.profile))
		graph.Add(r.id, curator.Fingerprint(r.observation), c.vectors[i].Telling())
	}
	seen := map[[2]int]bool{}
	for i := range reports { // their numbers in the graph are their places
		for _, j := range graph.Candidates(int32(i), c.vectors[i]) {
			pair := [2]int{min(i, int(j)), max(i, int(j))}
			if !seen[pair] {
				seen[pair] = true
				features := curator.Features(c.vectors[pair[0]], c.vectors[pair[1]])
				c.pairs, c.compared = append(c.pairs, pair), append(c.compared, sample{features, reports[i].group == reports[j].group})
			}
		}
	}
	return c
}

// samples returns the pairs that have no report of the contest left out.
func (c *corpus) samples(without string) []sample {
	var kept []sample
	for k, pair := range c.pairs {
		if c.reports[pair[0]].contest != without && c.reports[pair[1]].contest != without {
			kept = append(kept, c.compared[k])
		}
	}
	return kept
}

// judges are similarities by the contest that each has not seen.
type judges map[string]*curator.Similarity

// judge returns the probability for two reports by a judge that has not seen their contest; of two contests, the lower.
func (j judges) judge(a, b report, features []float64) float64 {
	return min(j[a.contest].Judge(features), j[b.contest].Judge(features))
}

func (c *corpus) evaluate() error {
	unseen := judges{}
	for _, contest := range contests(c.reports) {
		weights, err := encode(learn(c.samples(contest)))
		if err != nil {
			return err
		}
		if unseen[contest], err = curator.ParseSimilarity(weights); err != nil {
			return err
		}
	}
	graph := curator.NewLinkGraph()
	for i, r := range c.reports {
		graph.Add(r.id, curator.Fingerprint(r.observation), c.vectors[i].Telling())
	}
	for k, pair := range c.pairs {
		a, b := c.reports[pair[0]], c.reports[pair[1]]
		graph.Link(int32(pair[0]), int32(pair[1]), unseen.judge(a, b, c.compared[k].features), false)
	}
	missing := c.compareNeighbours(graph, unseen)
	precision, recall, f1 := c.score(graph)
	fmt.Printf("%d reports of %d contests, each held out once; %d candidate pairs, %d pairs by common neighbours\n",
		len(c.reports), len(unseen), len(c.pairs), missing)
	fmt.Printf("B-cubed precision %.3f, recall %.3f, F1 %.3f\n", precision, recall, f1)
	return nil
}

// compareNeighbours compares what shares a neighbour, and returns how many pairs that is. A report's number in the graph is its place.
func (c *corpus) compareNeighbours(graph *curator.LinkGraph, by judges) int {
	seen := map[[2]int32]bool{}
	for i := range c.reports {
		for _, pair := range graph.Uncompared(graph.Number(c.reports[i].id)) {
			if !seen[pair] {
				seen[pair] = true
				a, b := pair[0], pair[1]
				graph.Link(a, b, by.judge(c.reports[a], c.reports[b], curator.Features(c.vectors[a], c.vectors[b])), true)
			}
		}
	}
	return len(seen)
}

// score groups all reports by links and returns B-cubed figures: for every report, how much of its group found is of its true group
// (precision), and how much of its true group was found (recall); means over reports, and F1 of the two.
func (c *corpus) score(graph *curator.LinkGraph) (precision, recall, f1 float64) {
	ids, truth := make([]string, len(c.reports)), map[string]string{}
	sizes := map[string]float64{}
	for i, r := range c.reports {
		ids[i], truth[r.id] = r.id, r.group
		sizes[r.group]++
	}
	for _, found := range curator.NewGrouper(graph, nil, nil).Groups(ids) {
		both := map[string]float64{} // of the group found, how many are of each true one
		for _, id := range found {
			both[truth[id]]++
		}
		for group, n := range both {
			precision += n * n / float64(len(found))
			recall += n * n / sizes[group]
		}
	}
	reports := float64(len(ids))
	precision, recall = precision/reports, recall/reports
	return precision, recall, 2 * precision * recall / (precision + recall)
}
