package worker

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// numberedLink is a link to a report of a corpus.
type numberedLink struct {
	to      int32
	steps   uint16 // of lore.LinkSteps: the probability
	derived bool
}

// comparison is the comparing of a whole corpus, in memory: links are written once, when all are known, instead of both
// reports' rows for every page. A kill before that costs the comparing, which takes a few minutes for 100,000 reports. For every
// report it lets others have the processor: inside a service, requests don't wait for it.
type comparison struct {
	*pass
	corpus *corpus
	rows   [][]numberedLink // of each report
}

// compareAll compares all reports and those that share a neighbour, and stores all links. It returns false where they are too
// many to be compared in memory.
func (p *pass) compareAll(reports int64) (bool, error) {
	corpus := p.corpus
	p.corpus = nil
	if corpus == nil { // another process has read it, and was killed
		var err error
		if corpus, err = p.readAll(reports, true, func(*curator.Profile) {}); err != nil || corpus == nil {
			return false, err
		}
	}
	c := &comparison{pass: p, corpus: corpus, rows: make([][]numberedLink, len(corpus.ids))}
	if err := c.byWords(); err != nil {
		return false, err
	}
	if err := c.byNeighbours(); err != nil {
		return false, err
	}
	for number, id := range corpus.ids { // new reports will be compared with them
		p.profiles.keep(id, corpus.packed[number])
		corpus.packed[number] = nil
	}
	return true, c.writeAll()
}

// vector returns a report's vector.
func (c *comparison) vector(number int32) *curator.Vector {
	return c.frequencies.Weigh(c.corpus.profile(int(number)))
}

// lookedUpAll is a report and the numbers of its candidates.
type lookedUpAll struct {
	report     int32
	candidates []int
}

// byWords compares every report with those that its words find.
func (c *comparison) byWords() error {
	all := len(c.corpus.ids)
	c.tell(phaseCompare, 0, int64(all))
	index := curator.NewKeywordIndex(c.frequencies, all, c.corpus.profile)
	lookup, next := index.NewLookup(), 0
	ctx, stop := context.WithCancel(c.ctx)
	pages := ahead(ctx, func([]lookedUpAll) ([]lookedUpAll, error) {
		page := make([]lookedUpAll, 0, comparePage)
		for ; next < all && len(page) < comparePage; next++ {
			runtime.Gosched()
			page = append(page, lookedUpAll{int32(next), lookup.Candidates(next, c.corpus.profile(next), curator.MaxCandidates)})
		}
		return page, nil
	})
	defer func() {
		stop()
		for range pages { // until it has ended
		}
	}()
	done := int64(0)
	for step := range pages {
		pairs, links := 0, 0
		for _, one := range step.items {
			runtime.Gosched()
			own := c.vector(one.report)
			for _, other := range one.candidates {
				if c.linked(one.report, int32(other)) { // found from the other side
					continue
				}
				pairs++
				if c.compareTwo(own, c.vector(int32(other)), one.report, int32(other), false) {
					links++
				}
			}
		}
		done += int64(len(step.items))
		c.count(func(s *Stats) {
			s.Reports += int64(len(step.items))
			s.Waiting = max(0, int64(all)-done)
			s.Comparisons += int64(pairs)
			s.Links += int64(links)
		})
		c.tell(phaseCompare, done, int64(all))
	}
	return c.ctx.Err()
}

func (c *comparison) linked(a, b int32) bool {
	if len(c.rows[b]) < len(c.rows[a]) {
		a, b = b, a
	}
	return slices.ContainsFunc(c.rows[a], func(l numberedLink) bool { return l.to == b })
}

// compareTwo compares two reports and reports whether it linked them.
func (c *comparison) compareTwo(x, y *curator.Vector, a, b int32, derived bool) bool {
	probability := c.Similarity.Probability(x, y)
	if probability < curator.LinkFloor {
		return false
	}
	steps := uint16(math.Round(probability * lore.LinkSteps))
	c.rows[a], c.rows[b] = append(c.rows[a], numberedLink{b, steps, derived}), append(c.rows[b], numberedLink{a, steps, derived})
	return true
}

// byNeighbours compares the nearest neighbours of each report with each other. Only links that keywords found lead on.
func (c *comparison) byNeighbours() error {
	all := int64(len(c.rows))
	c.tell(phaseNeighbours, 0, all)
	seen := map[[2]int32]struct{}{}
	for report := range c.rows {
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		runtime.Gosched()
		near := c.nearest(report)
		vectors := make([]*curator.Vector, len(near))
		vector := func(i int) *curator.Vector {
			if vectors[i] == nil {
				vectors[i] = c.vector(near[i])
			}
			return vectors[i]
		}
		pairs, links := 0, 0
		for i, a := range near {
			for k, b := range near[:i] {
				pair := [2]int32{min(a, b), max(a, b)}
				if _, known := seen[pair]; known || c.linked(a, b) {
					continue
				}
				if len(seen) >= rememberedPairs {
					clear(seen)
				}
				seen[pair] = struct{}{}
				pairs++
				if c.compareTwo(vector(i), vector(k), a, b, true) {
					links++
				}
			}
		}
		c.count(func(s *Stats) {
			s.Comparisons += int64(pairs)
			s.Links += int64(links)
		})
		if report%comparePage == 0 {
			c.tell(phaseNeighbours, int64(report+1), all)
		}
	}
	return nil
}

// nearest returns the neighbours of a report that are compared with each other, as pass.around chooses them.
func (c *comparison) nearest(report int) []int32 {
	var near []numberedLink
	for _, l := range c.rows[report] {
		if !l.derived && float64(l.steps)/lore.LinkSteps >= curator.NeighbourFloor {
			near = append(near, l)
		}
	}
	sortLinks(near)
	numbers := make([]int32, min(mostNeighbours, len(near)))
	for i := range numbers {
		numbers[i] = near[i].to
	}
	return numbers
}

// sortLinks sorts links, the strongest first, of equals the one to the lesser id.
func sortLinks(links []numberedLink) {
	slices.SortFunc(links, func(a, b numberedLink) int {
		return cmp.Or(cmp.Compare(b.steps, a.steps), cmp.Compare(a.to, b.to))
	})
}

// linksPage is how many reports' links are written at a time: a megabyte or so.
const linksPage = 500

// writeAll stores all links. They replace what is there: links of older passes don't count any more.
func (c *comparison) writeAll() error {
	all := len(c.rows)
	for start := 0; start < all; start += linksPage {
		end := min(all, start+linksPage)
		rows := make([]lore.Links, 0, linksPage)
		for i := start; i < end; i++ {
			sortLinks(c.rows[i])
			row := lore.Links{ID: c.corpus.ids[i], Fingerprint: c.corpus.fingerprints[i], Pass: c.progress.Pass}
			for _, l := range c.rows[i][:min(curator.MostLinks, len(c.rows[i]))] {
				row.Neighbours = append(row.Neighbours, lore.Neighbour{
					ID: c.corpus.ids[l.to], Probability: float64(l.steps) / lore.LinkSteps, Derived: l.derived, Pass: c.progress.Pass,
				})
			}
			rows = append(rows, row)
		}
		if err := c.writeLinks(rows); err != nil {
			return err
		}
		clear(c.rows[start:end]) // they are in the graph now
		c.tell("links", int64(end), int64(all))
	}
	c.graph.SetComplete() // whoever comes now has no links yet, and gets them here
	return nil
}
