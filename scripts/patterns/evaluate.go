package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
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

// score groups all reports by links and returns B-cubed figures.
func (c *corpus) score(graph *curator.LinkGraph) (precision, recall, f1 float64) {
	ids, truth := make([]string, len(c.reports)), map[string]string{}
	for i, r := range c.reports {
		ids[i], truth[r.id] = r.id, r.group
	}
	return bCubed(curator.NewGrouper(graph, nil, nil).Groups(ids), truth)
}

// bCubed returns, for every report that has a true group, how much of its group found is of its true group (precision), and how much of its
// true group was found (recall); means over these reports, and F1 of the two.
func bCubed(found [][]string, truth map[string]string) (precision, recall, f1 float64) {
	sizes, reports := map[string]float64{}, 0.0
	for _, group := range truth {
		sizes[group]++
	}
	for _, members := range found {
		both := map[string]float64{} // of the group found, how many are of each true one
		for _, id := range members {
			both[truth[id]]++
		}
		for group, n := range both {
			if group != "" {
				precision += n * n / float64(len(members))
				recall += n * n / sizes[group]
				reports += n
			}
		}
	}
	precision, recall = precision/reports, recall/reports
	return precision, recall, 2 * precision * recall / (precision + recall)
}

// scoreExport prints how well a service has put labelled reports into patterns: all of them, or those of one contest.
func scoreExport(reports []report, export, contest string) error {
	file, err := os.Open(export)
	if err != nil {
		return err
	}
	defer file.Close()
	truth := map[string]string{}
	for _, r := range reports {
		if contest == "" || r.contest == contest {
			truth[r.ref] = r.group
		}
	}
	patterns := map[string][]string{}
	for decoder := json.NewDecoder(file); ; {
		var s lore.Submission
		if err := decoder.Decode(&s); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		pattern := cmp.Or(s.PatternID, s.ID)
		patterns[pattern] = append(patterns[pattern], s.Ref)
	}
	precision, recall, f1 := bCubed(slices.Collect(maps.Values(patterns)), truth)
	fmt.Printf("%d reports: B-cubed precision %.3f, recall %.3f, F1 %.3f\n", len(truth), precision, recall, f1)
	return nil
}
