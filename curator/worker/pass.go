package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// The phases of a pass, in order.
const (
	phaseCompare    = "compare"
	phaseNeighbours = "neighbours"
	phaseGroup      = "group"
	phaseSettle     = "settle"
	phaseDone       = "done"
)

// Names of what is stored.
const (
	stateProgress    = "curation"
	stateFrequencies = "curation-frequencies"
	stateStanding    = "curation-standing"
)

// progress is what is stored of a pass.
type progress struct {
	Pass  int64  `json:"pass"`
	Phase string `json:"phase"`
	// Cursor is the last report that the phase is done with, in order of id.
	Cursor string `json:"cursor"`
	// Rebuilt is the pass since which links count: those of older passes are as good as gone.
	Rebuilt int64 `json:"rebuilt"`
	// Everything: the pass compares all reports, not only new ones.
	Everything bool `json:"everything"`
	// InMemory: the pass compares all reports in memory.
	InMemory bool `json:"in_memory"`
	// BeganAt is when the pass began, SettledAt when the last one did that settled what others say.
	BeganAt   time.Time `json:"began_at"`
	SettledAt time.Time `json:"settled_at"`
	// Warned: items have been given the warnings of flags from before items had warnings.
	Warned bool `json:"warned"`
}

// visibleAfter is how long after its time something that was said can be found at the latest; what was said since a pass is
// looked for from so much earlier on.
const visibleAfter = 30 * time.Second

// pass is one pass under way.
type pass struct {
	*Worker
	ctx      context.Context
	progress progress
	apart    []curator.Pair
	merged   []curator.Pair
	seen     pairMemory // pairs that were compared
	corpus   *corpus    // read by begin, for comparing
	standing standings
	judgedBy *standingState  // what is stored of how principals count; nil: not read yet
	relinked map[string]bool // reports whose links the pass changed; of a pass over everything, all are
	begun    bool            // by this worker
	brief    bool            // a page of reports is new, no more
	held     map[string]bool // reports whose links a brief pass has changed and not stored yet
	now      time.Time
}

// requests is how many requests of a kind go to the store at the same time. A pass over a few new reports is over sooner than
// anybody's wait; a longer one leaves a processor to others' searches.
func (p *pass) requests() int {
	if p.brief {
		return 2
	}
	return 1
}

// run takes a pass through its phases.
func (p *pass) run(rebuild bool) error {
	if err := p.load(); err != nil {
		return err
	}
	if err := p.Store.Refresh(p.ctx); err != nil {
		return err
	}
	if err := p.readMembership(); err != nil {
		return err
	}
	if p.progress.Phase == phaseDone || rebuild {
		if err := p.begin(rebuild); err != nil {
			return err
		}
	}
	for _, phase := range []struct {
		name string
		run  func() error
		next string
	}{
		{phaseCompare, p.compare, phaseNeighbours},
		{phaseNeighbours, p.neighbours, phaseGroup},
		{phaseGroup, p.group, phaseSettle},
		{phaseSettle, p.settle, phaseDone},
	} {
		if p.progress.Phase != phase.name {
			continue
		}
		if err := phase.run(); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
		p.progress.Phase, p.progress.Cursor = phase.next, ""
		if p.brief && phase.next == phaseNeighbours {
			continue // nothing is stored yet
		}
		if err := p.Store.Refresh(p.ctx); err != nil {
			return err
		}
		if phase.next == phaseDone {
			p.progress.SettledAt, p.progress.Warned = p.progress.BeganAt, true
		}
		if err := p.save(); err != nil {
			return err
		}
	}
	return nil
}

// load reads how far the last pass came.
func (p *pass) load() error {
	p.now = p.Now().UTC().Truncate(time.Millisecond)
	stored, _, err := p.Store.LoadState(p.ctx, stateProgress)
	if err != nil {
		return err
	}
	p.progress.Phase = phaseDone
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &p.progress); err != nil {
			return fmt.Errorf("progress is damaged: %w", err)
		}
	}
	if !p.progress.Warned {
		p.progress.SettledAt = time.Time{} // every item that was ever spoken of is looked at again
	}
	if p.graph == nil {
		p.forgetLinks()
	}
	return nil
}

// lookAgain is how long a worker with nothing to do takes standing for what it was: days of being known go by.
const lookAgain = 10 * time.Minute

// Idle reports whether a pass would have nothing to do: every report is compared, and nobody said anything since the last
// one. It is cheap; every now and then it says no all the same, since some rules wait for time to pass.
func (w *Worker) Idle(ctx context.Context) (bool, error) {
	p := &pass{Worker: w, ctx: ctx}
	if err := p.load(); err != nil {
		return false, err
	}
	if p.progress.Phase != phaseDone || p.now.Sub(p.progress.SettledAt) > lookAgain {
		return false, nil
	}
	began := time.Now()
	_, waiting, err := p.Store.CountReports(ctx, curator.FingerprintVersion)
	if err != nil {
		return false, err
	}
	p.count(func(s *Stats) { s.Waiting = waiting })
	if waiting > 0 {
		return false, nil
	}
	items, err := p.Store.ChangedItems(ctx, p.progress.SettledAt.Add(-visibleAfter), p.now, p.Rules.Promotion.FlagLapses())
	if err != nil || len(items) > 0 {
		return false, err
	}
	p.count(func(s *Stats) { s.CaughtUpAt = began })
	return true, nil
}

// save stores how far the pass is.
func (p *pass) save() error { return p.Store.SaveState(p.ctx, stateProgress, p.progress, nil) }

// begin starts a new pass.
func (p *pass) begin(rebuild bool) error {
	p.begun = true
	p.progress.Pass++
	p.progress.Phase, p.progress.Cursor, p.progress.BeganAt = phaseCompare, "", p.now
	p.progress.Everything, p.progress.InMemory = rebuild, false
	if rebuild {
		p.progress.SettledAt = time.Time{}
	}
	all, waiting, err := p.Store.CountReports(p.ctx, curator.FingerprintVersion)
	if err != nil {
		return err
	}
	p.count(func(s *Stats) { s.Waiting = waiting })
	whole := rebuild || waiting > 0 && float64(waiting) >= wholeFrom*float64(all)
	if waiting > 0 || rebuild {
		if err := p.countTerms(all, whole); err != nil {
			return fmt.Errorf("count: %w", err)
		}
	}
	if p.progress.Everything = rebuild || p.progress.InMemory; p.progress.Everything {
		p.progress.Rebuilt = p.progress.Pass
	}
	if p.progress.Everything || !p.graph.Holds(p.progress.Pass) || p.graph.Size() > graphBytes {
		p.forgetLinks()
	}
	if p.progress.Everything {
		p.groups = groupMemory{}
	}
	return p.save()
}

// graphBytes is what the links at hand may take in memory from one pass to the next: those of some 140,000 reports, as their profiles.
const graphBytes = 80 << 20

// forgetLinks makes all links be read again.
func (p *pass) forgetLinks() {
	if p.graph = curator.NewLinkGraph(p.progress.Rebuilt); !p.graph.Holds(p.progress.Pass + 1) {
		p.graph = curator.NewLinkGraph(p.progress.Pass - 1) // a rebuild was a million passes ago
	}
}

// wholeFrom is the share of reports that must be new for a pass to compare all of them in memory: that takes a third of the
// time that looking candidates up in the store takes, and links of different passes don't have to be brought together.
const wholeFrom = 0.5

// readMembership reads which reports an operator split or merged. Of a pair the latest word counts.
func (p *pass) readMembership() error {
	decisions, err := p.Store.DecisionsWith(p.ctx, lore.VerdictSplit, lore.VerdictMerge)
	if err != nil {
		return err
	}
	latest := map[curator.Pair]lore.Verdict{}
	for _, decision := range decisions { // oldest first
		for _, other := range decision.Others {
			latest[curator.Pair{A: min(decision.Subject.ID, other), B: max(decision.Subject.ID, other)}] = decision.Verdict
		}
	}
	for pair, verdict := range latest {
		if verdict == lore.VerdictSplit {
			p.apart = append(p.apart, pair)
		} else {
			p.merged = append(p.merged, pair)
		}
	}
	return nil
}

// markDecided makes the group phase look again at reports that an operator split or merged since the last pass.
func (p *pass) markDecided() error {
	decisions, err := p.Store.DecisionsWith(p.ctx, lore.VerdictSplit, lore.VerdictMerge)
	if err != nil {
		return err
	}
	var ids []string
	for _, decision := range decisions {
		if decision.At.After(p.progress.SettledAt.Add(-visibleAfter)) {
			ids = append(append(ids, decision.Subject.ID), decision.Others...)
		}
	}
	rows, err := p.rows(ids)
	if err != nil {
		return err
	}
	return p.writeRows(rows, slices.Compact(slices.Sorted(slices.Values(ids))))
}

// observation returns what a report says.
func observation(r lore.Report) lore.Observation {
	return lore.Observation{
		Summary: r.Summary, Category: r.Category, Content: r.Content, Resolution: r.Resolution, Tags: r.Tags, Ecosystem: r.Ecosystem, Usefulness: r.Usefulness,
	}
}
