package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

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
	first := c.score(graph, "")
	missing := c.compareNeighbours(graph, unseen, c.vectors)
	fmt.Printf("%d reports, %d candidate pairs, %d pairs by common neighbours\n\n", len(c.reports), len(c.pairs), missing)
	fmt.Println("| left out | reports | precision | recall | F1 |\n|---|---|---|---|---|")
	for _, contest := range append(contests(c.reports), "") {
		n := 0
		for _, r := range c.reports {
			if contest == "" || r.contest == contest {
				n++
			}
		}
		name := contest
		if name == "" {
			name = "all together"
		}
		f := c.score(graph, contest)
		fmt.Printf("| %s | %d | %.3f | %.3f | %.3f |\n", name, n, f.precision, f.recall, f.f1)
	}
	fmt.Printf("| without common neighbours | %d | %.3f | %.3f | %.3f |\n", len(c.reports), first.precision, first.recall, first.f1)
	for order := range uint64(3) {
		f := c.score(c.arrive(unseen, order), "")
		fmt.Printf("| in batches of %d, order %d | %d | %.3f | %.3f | %.3f |\n", batch, order+1, len(c.reports), f.precision, f.recall, f.f1)
	}
	return nil
}

// compareNeighbours compares what shares a neighbour, and returns how many pairs that is. A report's number in the graph is its place.
func (c *corpus) compareNeighbours(graph *curator.LinkGraph, by judges, vectors []*curator.Vector) int {
	seen := map[[2]int32]bool{}
	for i := range c.reports {
		for _, pair := range graph.Uncompared(graph.Number(c.reports[i].id)) {
			if !seen[pair] {
				seen[pair] = true
				c.link(graph, by, pair, vectors, true)
			}
		}
	}
	return len(seen)
}

func (c *corpus) link(graph *curator.LinkGraph, by judges, pair [2]int32, vectors []*curator.Vector, derived bool) {
	i, j := pair[0], pair[1]
	graph.Link(i, j, by.judge(c.reports[i], c.reports[j], curator.Features(vectors[i], vectors[j])), derived)
}

// score groups all reports by links and judges those of one contest, or of all ("").
func (c *corpus) score(graph *curator.LinkGraph, contest string) figures {
	ids, known := make([]string, len(c.reports)), map[string]report{}
	for i, r := range c.reports {
		ids[i], known[r.id] = r.id, r
	}
	var truth, found []string
	for _, group := range curator.NewGrouper(graph, nil, nil).Groups(ids) {
		for _, id := range group {
			if r := known[id]; contest == "" || r.contest == contest {
				truth, found = append(truth, r.group), append(found, group[0])
			}
		}
	}
	return bCubed(truth, found)
}

// batch is how many reports come between two passes of the worker in arrive.
const batch = 100

// arrive returns the links of an incremental run: reports come in a random order, and each is compared with what is there
// by the frequencies of its time.
func (c *corpus) arrive(by judges, order uint64) *curator.LinkGraph {
	var frequencies curator.Frequencies
	graph := curator.NewLinkGraph()
	for _, r := range c.reports { // so that a report's number is its place
		graph.Number(r.id)
	}
	for part := range slices.Chunk(rand.New(rand.NewPCG(order, 6)).Perm(len(c.reports)), batch) {
		graph.Begin(1)
		for _, i := range part {
			frequencies.Add(c.reports[i].profile)
		}
		vectors := make([]*curator.Vector, len(c.reports))
		for i, r := range c.reports {
			vectors[i] = frequencies.Weigh(r.profile)
		}
		for _, i := range part {
			graph.Add(c.reports[i].id, curator.Fingerprint(c.reports[i].observation), vectors[i].Telling())
		}
		for _, i := range part {
			for _, j := range graph.Candidates(int32(i), vectors[i]) {
				c.link(graph, by, [2]int32{int32(i), j}, vectors, false)
			}
		}
		c.compareNeighbours(graph, by, vectors)
	}
	return graph
}
