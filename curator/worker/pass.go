package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// The phases of a pass, in order.
const (
	phaseCompare = "compare"
	phaseGroup   = "group"
	phaseSettle  = "settle"
	phaseFamily  = "family"
	phaseDone    = "done"
)

// Names of what is stored.
const (
	stateProgress    = "curation"
	stateFrequencies = "curation-frequencies"
	stateStanding    = "curation-standing"
	stateSetAside    = "curation-set-aside"
)

// progress is what is stored of a pass.
type progress struct {
	// Version is what texts are taken apart by. Links by another one are made anew.
	Version string `json:"version"`
	// Fields is the version of the fields that submissions were given. Those of another one are given anew.
	Fields int    `json:"fields"`
	Pass   int64  `json:"pass"`
	Phase  string `json:"phase"`
	// Cursor is the last report that the group phase is done with, in order of id.
	Cursor string `json:"cursor"`
	// Everything: the pass compares all reports, not only new ones.
	Everything bool `json:"everything"`
	// Library is the version of the library by whose kinds reports have their families.
	Library string `json:"library"`
	// Rescore are sources whose reports are to be scored anew over several passes.
	Rescore map[string]rescoring `json:"rescore,omitempty"`
	// TellPromotions: the store is of a version that kept no events, so the pass stores when each unit became knowledge.
	TellPromotions bool `json:"tell_promotions"`
	// BeganAt is when the pass began, SettledAt when the last one did that settled what others say.
	BeganAt   time.Time `json:"began_at"`
	SettledAt time.Time `json:"settled_at"`
}

// visibleAfter is how long after its time, by this process's clock, an outcome, a decision or a flag can be found at the latest: replicas'
// clocks may be a minute apart, and a request may take half a minute to store it. A pass looks back this much further than the last one.
const visibleAfter = 90 * time.Second

// fieldsVersion counts changes of what curation derives from a report alone, which reach stored reports by judging all of them.
const fieldsVersion = 3

// pass is one pass under way.
type pass struct {
	*Worker
	ctx           context.Context
	progress      progress
	merged, apart []curator.Pair // by operators
	regroup       []string       // reports that an operator merged or split since the last pass, or whose kind is another one
	otherKinds    bool           // some of these are of another kind since the library changed
	resumed       bool           // it was begun by a worker that was killed, or failed
	anew          bool           // patterns are judged even if their reports are what they were
	rounds        int            // how often standing was read
	aside         setAside
	accounts      accounts
	standing      standings
	judgedBy      *standingState     // what is stored of how principals count; nil: not read yet
	parallel      int                // writes at the same time: two of a short pass, one of a long one, so that searches keep a processor
	touched       map[string]bool    // families whose reports were judged in this pass
	allFamilies   bool               // which are touched isn't known: all may be
	reputations   map[string]float64 // of sources, those that this pass has computed
	now           time.Time
}

// run takes a pass through its phases.
func (p *pass) run(rebuild bool) error {
	if err := p.load(); err != nil {
		return err
	}
	if err := p.readLibrary(); err != nil {
		return err
	}
	if err := p.Store.Refresh(p.ctx); err != nil {
		return err
	}
	if p.progress.Version != curator.FingerprintVersion || p.progress.Fields != fieldsVersion {
		rebuild = true
	}
	if err := p.readSetAside(rebuild); err != nil {
		return err
	}
	p.regroup = slices.Sorted(maps.Keys(p.aside.retried))
	if err := p.readMembership(); err != nil {
		return err
	}
	if err := p.readKinds(); err != nil {
		return err
	}
	if p.progress.Phase == phaseDone || rebuild {
		if err := p.begin(rebuild); err != nil {
			return err
		}
	} else {
		p.resumed, p.allFamilies, p.anew = true, true, true
	}
	for _, phase := range []struct {
		name string
		run  func() error
		next string
	}{
		{phaseCompare, p.compare, phaseGroup},
		{phaseGroup, p.group, phaseSettle},
		{phaseSettle, p.settle, phaseFamily},
		{phaseFamily, p.families, phaseDone},
	} {
		if p.progress.Phase != phase.name {
			continue
		}
		if err := phase.run(); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
		p.progress.Phase, p.progress.Cursor = phase.next, ""
		if err := p.Store.Refresh(p.ctx); err != nil {
			return err
		}
		if phase.next == phaseDone {
			p.progress.SettledAt = p.progress.BeganAt
			if p.library != nil {
				p.progress.Library = p.library.Version()
			}
		}
		if err := p.save(); err != nil {
			return err
		}
	}
	return p.saveSetAside(true)
}

// load reads how far the last pass came.
func (p *pass) load() error {
	p.now, p.parallel, p.reputations, p.touched = p.Now().UTC().Truncate(time.Millisecond), 1, map[string]float64{}, map[string]bool{}
	p.aside.items = map[string]lore.SetAside{}
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
	if p.progress.Rescore == nil {
		p.progress.Rescore = map[string]rescoring{}
	}
	return nil
}

// readLibrary takes the library as it is now for the pass. What is kept of reports has the kinds of the one before.
func (p *pass) readLibrary() error {
	if p.Library == nil {
		return nil
	}
	library, err := p.Library(p.ctx)
	if err == nil && library != p.library {
		p.library = library
		p.profiles.profiles.Purge()
	}
	return err
}

// libraryChanged reports whether reports have the kinds of another library than the one that is read.
func (p *pass) libraryChanged() bool {
	return p.library != nil && p.progress.Library != p.library.Version()
}

// readKinds finds the reports that are of another kind since the library changed. Those that a pattern or an operator put into another
// family are judged once more, and stay there.
func (p *pass) readKinds() error {
	if !p.libraryChanged() {
		return nil
	}
	return p.Store.EachTitle(p.ctx, func(id, summary, familyKey string) {
		if kind := p.library.Kind(summary); kind.Key() != familyKey {
			p.regroup, p.otherKinds = append(p.regroup, id), true
		}
	})
}

// save stores how far the pass is, and first what it set aside.
func (p *pass) save() error {
	if err := p.saveSetAside(false); err != nil {
		return err
	}
	return p.Store.SaveState(p.ctx, stateProgress, p.progress, nil)
}

// begin starts a new pass.
func (p *pass) begin(rebuild bool) error {
	p.progress.TellPromotions = p.progress.Fields == 0 // as in a new store, which has no units
	p.progress.Version, p.progress.Fields, p.progress.Everything = curator.FingerprintVersion, fieldsVersion, rebuild
	p.progress.Pass++
	p.progress.Phase, p.progress.Cursor, p.progress.BeganAt = phaseCompare, "", p.now
	if p.allFamilies, p.anew = rebuild, rebuild; rebuild {
		p.progress.SettledAt = time.Time{}
	}
	return p.save()
}

// since is from when on what was said is looked at; the zero time: from the beginning.
func (p *pass) since() time.Time {
	if p.progress.SettledAt.IsZero() {
		return time.Time{}
	}
	return p.progress.SettledAt.Add(-visibleAfter)
}

// standingChecked is how long a worker with nothing to do takes standing for what it was: days of being known go by.
const standingChecked = 10 * time.Minute

// Idle reports whether a pass would have nothing to do: every report is compared, and nothing was said since the last
// one. It is cheap; every now and then it says no all the same, since some rules wait for time to pass.
func (w *Worker) Idle(ctx context.Context) (bool, error) {
	p := &pass{Worker: w, ctx: ctx}
	if err := p.load(); err != nil {
		return false, err
	}
	if err := p.readLibrary(); err != nil {
		return false, err
	}
	if p.progress.Phase != phaseDone || len(p.progress.Rescore) > 0 || p.now.Sub(p.progress.SettledAt) > standingChecked || p.libraryChanged() {
		return false, nil
	}
	began := time.Now()
	if err := p.readSetAside(false); err != nil || len(p.aside.retried) > 0 {
		return false, err
	}
	_, waiting, err := p.Store.CountReports(ctx, p.toCompare(false))
	if err != nil {
		return false, err
	}
	p.count(func(s *Stats) { s.Waiting = waiting })
	if waiting > 0 {
		return false, nil
	}
	items, err := p.Store.ChangedItems(ctx, p.since(), p.now, p.Rules.Promotion.FlagLapses())
	if err != nil || len(items) > 0 {
		return false, err
	}
	p.count(func(s *Stats) { s.CaughtUpAt = began })
	return true, nil
}

// readMembership reads which reports an operator split or merged. Of a pair the latest decision counts.
func (p *pass) readMembership() error {
	decisions, err := p.Store.Decisions(p.ctx, lore.DecisionFilter{Verdicts: []lore.Verdict{lore.VerdictSplit, lore.VerdictMerge}})
	if err != nil {
		return err
	}
	latest := map[curator.Pair]lore.Verdict{}
	for _, decision := range decisions { // oldest first
		for _, other := range decision.Others {
			latest[curator.Pair{A: min(decision.Subject.ID, other), B: max(decision.Subject.ID, other)}] = decision.Verdict
		}
		if !decision.At.Before(p.since()) {
			p.regroup = append(append(p.regroup, decision.Subject.ID), decision.Others...)
		}
	}
	for pair, verdict := range latest {
		if verdict == lore.VerdictSplit {
			p.apart = append(p.apart, pair)
		} else {
			p.merged = append(p.merged, pair)
		}
	}
	return p.Store.EachFollowUp(p.ctx, func(id, first string) { p.merged = append(p.merged, curator.Pair{A: first, B: id}) })
}

// fingerprintOf returns the fingerprint of what a report says. A follow-up has none: it is of the pattern of the report that it follows,
// whatever it says, and its own words tie that one to no other.
func fingerprintOf(r lore.Report) string {
	if r.Follows != "" {
		return ""
	}
	return curator.Fingerprint(observation(r))
}

// observation returns what a report says.
func observation(r lore.Report) lore.Observation {
	return lore.Observation{
		Summary: r.Summary, Category: r.Category, Content: r.Content, Resolution: r.Resolution, Tags: r.Tags,
		Ecosystem: r.Ecosystem, Usefulness: r.Usefulness, Ref: r.Ref,
	}
}
