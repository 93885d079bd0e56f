package worker

import (
	"runtime"
	"slices"
	"strings"

	"agentlore/curator"
)

const (
	// readPage is how many reports are read at once for their text; Elasticsearch takes some 50 ms for it.
	readPage = 250
	// comparePage is how many reports are compared with others at a time.
	comparePage = 200
	// rememberedPairs is of how many pairs it is remembered that they were compared, some 10 MB; a forgotten one is compared again.
	rememberedPairs = 1 << 19
	// fewReports is up to how many new reports a pass sends two requests at a time.
	fewReports = 1000
)

// compare compares every new report with those that share its telling terms, then reports that share a neighbour, and stores the
// links. A kill before they are stored costs the comparing.
func (p *pass) compare() error {
	erased, err := p.readErased()
	if err != nil {
		return err
	}
	p.takeBack(erased.reports)
	all, waiting, err := p.Store.CountReports(p.ctx, p.toCompare(false))
	if err != nil {
		return err
	}
	if p.progress.Everything {
		p.graph, waiting = curator.NewLinkGraph(), all
	}
	p.count(func(s *Stats) { s.Waiting = waiting })
	if waiting <= fewReports {
		p.parallel = 2
	}
	if waiting == 0 && len(erased.reports)+len(p.regroup) == 0 {
		return nil
	}
	if err := p.loadGraph(); err != nil {
		return err
	}
	p.graph.Begin(p.progress.Pass)
	p.graph.Remove(erased.reports)
	p.anew = p.anew || len(erased.reports) > 0 || p.otherKinds
	p.graph.Touch(p.regroup)
	if waiting > 0 {
		if err := p.compareNew(all); err != nil {
			return err
		}
	}
	return p.saveLinks()
}

// compareNew reads the new reports and compares them.
func (p *pass) compareNew(all int64) error {
	reports, err := p.readNew(all)
	if err != nil {
		return err
	}
	var added []int32
	for page := range slices.Chunk(reports, comparePage) {
		ids := make([]string, len(page))
		for i, report := range page {
			ids[i] = report.id
		}
		profiles, err := p.profilesOf(ids)
		if err != nil {
			return err
		}
		for _, report := range page {
			if profile := profiles[report.id]; profile != nil { // it may have been erased meanwhile
				var telling []uint32
				if report.fingerprint != "" { // else it says too little to be like another
					telling = p.frequencies.Weigh(profile).Telling()
				}
				added = append(added, p.graph.Add(report.id, report.fingerprint, telling))
			}
		}
	}
	c := comparison{pass: p, seen: map[[2]int32]struct{}{}}
	if err := c.byTerms(added); err != nil {
		return err
	}
	return c.byNeighbours(p.graph.ChangedIn(p.progress.Pass))
}

// newReport is a report that is to be compared.
type newReport struct{ id, fingerprint string }

// readNew reads the new reports, and counts terms anew where the corpus has outgrown what was counted. The profiles stay at hand.
func (p *pass) readNew(all int64) (reports []newReport, err error) {
	if err := p.loadFrequencies(); err != nil {
		return nil, err
	}
	recount, fresh := p.progress.Everything || p.outgrown(all), &curator.Frequencies{}
	p.tell("count", 0, int(all))
	for after := ""; ; {
		page, err := p.Store.ReportsToCompare(p.ctx, p.toCompare(recount), after, readPage)
		if err != nil {
			return nil, err
		}
		for _, report := range page {
			runtime.Gosched() // inside a service, requests don't wait for a pass
			profile := p.profileOf(report)
			if profile == nil {
				continue
			}
			p.profiles.add(report.ID, profile)
			if recount {
				fresh.Add(profile)
			}
			if p.progress.Everything || !strings.HasPrefix(report.Fingerprint, curator.FingerprintVersion) {
				reports = append(reports, newReport{report.ID, fingerprintOf(report)})
			}
		}
		p.tell("count", len(reports), int(all))
		if len(page) < readPage {
			break
		}
		after = page[len(page)-1].ID
	}
	if recount {
		err = p.saveFrequencies(fresh)
	}
	return reports, err
}

// comparison is the comparing of reports.
type comparison struct {
	*pass
	seen map[[2]int32]struct{} // pairs that were compared: nearly every pair is found from both sides
}

// byTerms compares reports with their candidates.
func (c *comparison) byTerms(reports []int32) error {
	c.tell(phaseCompare, 0, len(reports))
	for done := 0; done < len(reports); {
		page := reports[done:min(len(reports), done+comparePage)]
		vectors := map[int32]*curator.Vector{}
		if err := c.weigh(vectors, page); err != nil {
			return err
		}
		var pairs [][2]int32
		for _, report := range page {
			runtime.Gosched()
			if own := vectors[report]; own != nil {
				for _, other := range c.graph.Candidates(report, own) {
					pairs = append(pairs, [2]int32{min(report, other), max(report, other)})
				}
			}
		}
		if err := c.link(vectors, pairs, false); err != nil {
			return err
		}
		done += len(page)
		c.count(func(s *Stats) {
			s.Reports += int64(len(page))
			s.Waiting = int64(len(reports) - done)
		})
		c.tell(phaseCompare, done, len(reports))
	}
	return nil
}

// byNeighbours compares the neighbours of each report with each other.
func (c *comparison) byNeighbours(reports []int32) error {
	c.tell("neighbours", 0, len(reports))
	for done := 0; done < len(reports); done += comparePage {
		var pairs [][2]int32
		for _, report := range reports[done:min(len(reports), done+comparePage)] {
			pairs = append(pairs, c.graph.Uncompared(report)...)
		}
		if err := c.link(map[int32]*curator.Vector{}, pairs, true); err != nil {
			return err
		}
		c.tell("neighbours", done, len(reports))
	}
	return nil
}

// link compares pairs and links those that are alike. vectors are those that are at hand.
func (c *comparison) link(vectors map[int32]*curator.Vector, pairs [][2]int32, derived bool) error {
	pairs = slices.DeleteFunc(pairs, func(pair [2]int32) bool {
		_, known := c.seen[pair]
		if len(c.seen) >= rememberedPairs {
			clear(c.seen)
		}
		c.seen[pair] = struct{}{}
		return known
	})
	var reports []int32
	for _, pair := range pairs {
		reports = append(reports, pair[0], pair[1])
	}
	slices.Sort(reports)
	if err := c.weigh(vectors, slices.Compact(reports)); err != nil {
		return err
	}
	links := int64(0)
	for _, pair := range pairs {
		runtime.Gosched()
		a, b := vectors[pair[0]], vectors[pair[1]]
		if a == nil || b == nil {
			continue
		}
		if probability := c.Similarity.Probability(a, b); probability >= curator.LinkFloor {
			c.graph.Link(pair[0], pair[1], probability, derived)
			links++
		}
	}
	c.count(func(s *Stats) {
		s.Comparisons += int64(len(pairs))
		s.Links += links
	})
	return c.ctx.Err()
}

// weigh adds the vectors of reports. Those of reports that are there no more are left out.
func (c *comparison) weigh(vectors map[int32]*curator.Vector, reports []int32) error {
	var ids []string
	for _, report := range reports {
		if vectors[report] == nil {
			ids = append(ids, c.graph.ID(report))
		}
	}
	profiles, err := c.profilesOf(ids)
	for id, profile := range profiles {
		vectors[c.graph.Number(id)] = c.frequencies.Weigh(profile)
	}
	return err
}
