package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"agentlore/curator"
)

// corpus is labelled reports with their candidate pairs.
type corpus struct {
	reports  []report
	number   map[string]int
	vectors  []*curator.Vector
	pairs    [][2]int
	compared []sample // of each pair
}

// prepare weighs all reports together and compares every one with its candidates.
func prepare(reports []report) *corpus {
	c := &corpus{reports: reports, number: map[string]int{}}
	var frequencies curator.Frequencies
	index := newKeywords()
	for i, r := range reports {
		frequencies.Add(r.profile)
		index.add(i, r.observation)
		c.number[r.id] = i
	}
	for _, r := range reports {
		c.vectors = append(c.vectors, frequencies.Weigh(r.profile))
	}
	seen := map[[2]int]bool{}
	for i := range reports {
		for _, j := range index.candidates(i, curator.MaxCandidates) {
			pair := [2]int{min(i, j), max(i, j)}
			if !seen[pair] {
				seen[pair] = true
				c.pairs = append(c.pairs, pair)
				c.compared = append(c.compared, sample{curator.Features(c.vectors[pair[0]], c.vectors[pair[1]]), reports[i].group == reports[j].group})
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
	var links []curator.Link
	for k, pair := range c.pairs {
		a, b := c.reports[pair[0]], c.reports[pair[1]]
		links = append(links, curator.Link{A: a.id, B: b.id, Probability: unseen.judge(a, b, c.compared[k].features)})
	}
	first := c.score(links, "")
	missing := curator.Uncompared(links)
	for _, pair := range missing {
		links = append(links, c.link(unseen, pair, c.vectors))
	}
	fmt.Printf("%d reports, %d candidate pairs, %d pairs by common neighbours\n\n", len(c.reports), len(c.pairs), len(missing))
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
		f := c.score(links, contest)
		fmt.Printf("| %s | %d | %.3f | %.3f | %.3f |\n", name, n, f.precision, f.recall, f.f1)
	}
	fmt.Printf("| without common neighbours | %d | %.3f | %.3f | %.3f |\n", len(c.reports), first.precision, first.recall, first.f1)
	for order := range uint64(3) {
		f := c.score(c.arrive(unseen, order), "")
		fmt.Printf("| in batches of %d, order %d | %d | %.3f | %.3f | %.3f |\n", batch, order+1, len(c.reports), f.precision, f.recall, f.f1)
	}
	return nil
}

func (c *corpus) link(by judges, pair curator.Pair, vectors []*curator.Vector) curator.Link {
	i, j := c.number[pair.A], c.number[pair.B]
	return curator.Link{A: pair.A, B: pair.B, Probability: by.judge(c.reports[i], c.reports[j], curator.Features(vectors[i], vectors[j]))}
}

// score groups all reports by links and judges those of one contest, or of all ("").
func (c *corpus) score(links []curator.Link, contest string) figures {
	ids := make([]string, len(c.reports))
	for i, r := range c.reports {
		ids[i] = r.id
	}
	var same []curator.Pair
	first := map[string]string{}
	for _, r := range c.reports {
		print := curator.Fingerprint(r.observation)
		if earlier := first[print]; earlier != "" && print != "" {
			same = append(same, curator.Pair{A: earlier, B: r.id})
		} else {
			first[print] = r.id
		}
	}
	var truth, found []string
	for _, group := range curator.Groups(ids, links, same, nil) {
		for _, id := range group {
			if r := c.reports[c.number[id]]; contest == "" || r.contest == contest {
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
func (c *corpus) arrive(by judges, order uint64) []curator.Link {
	var frequencies curator.Frequencies
	var links []curator.Link
	index, linked := newKeywords(), map[[2]int]bool{}
	for part := range slices.Chunk(rand.New(rand.NewPCG(order, 6)).Perm(len(c.reports)), batch) {
		for _, i := range part {
			frequencies.Add(c.reports[i].profile)
			index.add(i, c.reports[i].observation)
		}
		vectors := make([]*curator.Vector, len(c.reports))
		compare := func(i, j int) {
			for _, k := range []int{i, j} {
				if vectors[k] == nil {
					vectors[k] = frequencies.Weigh(c.reports[k].profile)
				}
			}
			if pair := [2]int{min(i, j), max(i, j)}; !linked[pair] {
				linked[pair] = true
				links = append(links, c.link(by, curator.Pair{A: c.reports[i].id, B: c.reports[j].id}, vectors))
			}
		}
		for _, i := range part {
			for _, j := range index.candidates(i, curator.MaxCandidates) {
				compare(i, j)
			}
		}
		for _, pair := range curator.Uncompared(links) {
			compare(c.number[pair.A], c.number[pair.B])
		}
	}
	return links
}
