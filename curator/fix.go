package curator

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"agentlore/lore"
)

// harmFloor is the confidence below which a fix that somebody with standing found unsafe is left out of answers: more speaks against it
// than for it. One `unsafe` outweighs one confirmation; three confirmations outweigh one `unsafe`.
const harmFloor = 0.5

// fix is one way to solve a case's problem: what some of its reports say in the same words, but for case and space. Evidence belongs to
// fixes: two reports that give different fixes lend each other nothing but the word that the problem happens.
type fix struct {
	key     string        // lore.FixKey of its words; empty for the reports that give none
	reports []lore.Report // that give it, earliest first
	author  Principal     // of the first of them
	// outcomes are the latest ones of each owner with standing, the author left out, by owner.
	outcomes map[string]lore.Outcome
	// confirmed says when each owner with standing, the author left out, confirmed the fix: by `worked`, or by a report that gives it too.
	confirmed  map[string]time.Time
	evidence   lore.FixEvidence
	confidence float64
	approved   bool // by an operator, and nobody found it unsafe since
	flagged    bool // a confirmed flag says that these words do harm
}

// harmful reports whether the fix is out of answers because it does harm.
func (f *fix) harmful() bool {
	return f.flagged || !f.approved && f.evidence.Unsafe > 0 && f.confidence < harmFloor
}

// vouched reports whether somebody who can be named stands for the fix.
func (f *fix) vouched() bool {
	return !f.harmful() && (f.approved || f.evidence.ConfirmedBy > 0 && f.confidence > harmFloor)
}

// weight is by which the better confirmed fix leads. An operator's approval weighs as much as two confirmations.
func (f *fix) weight() float64 {
	if f.approved {
		return max(f.confidence, Confidence(2, 0, 0, 0))
	}
	return f.confidence
}

// confirmedAt is when the fix was confirmed as often as it is now: of two fixes with as many confirmations, the earlier one leads.
func (f *fix) confirmedAt() (last time.Time) {
	for _, at := range f.confirmed {
		if at.After(last) {
			last = at
		}
	}
	return last
}

// fixes returns the fixes of the case's reports that have a voice, the best confirmed first, and among them that of reports without one.
func (j *judgement) fixes() []*fix {
	byKey := map[string]*fix{}
	j.byKey = byKey
	var found []*fix
	for _, report := range inOrder(j.voices) {
		key := report.FixKey
		if byKey[key] == nil {
			byKey[key] = &fix{key: key, author: j.Principal(report.SourceID), confirmed: map[string]time.Time{}, flagged: j.harm[key]}
			found = append(found, byKey[key])
		}
		byKey[key].reports = append(byKey[key].reports, report)
	}
	said := map[*fix][]lore.Outcome{}
	for _, outcome := range j.Outcomes {
		if f := byKey[j.fixOf(outcome)]; f != nil && !related(j.Principal(outcome.SourceID), f.author) {
			said[f] = append(said[f], outcome)
		}
	}
	for _, f := range found {
		j.weigh(f, said[f])
	}
	slices.SortStableFunc(found, func(a, b *fix) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(b.evidence.ConfirmedBy, a.evidence.ConfirmedBy),
			a.confirmedAt().Compare(b.confirmedAt()), cmp.Compare(a.key, b.key))
	})
	return found
}

// noFix is the key under which no fix is.
const noFix = "none"

// fixOf returns the key of the fix that an outcome counts for, noFix where it counts for none: it is of words that are there no more. That
// a text does harm stays true of its fix, whoever gives it, wherever it stands.
func (j *judgement) fixOf(outcome lore.Outcome) string {
	if report, there := j.byID[outcome.Target.ID]; there && report.Says(outcome.Words, outcome.At) {
		return report.FixKey
	}
	if outcome.FixKey != "" && (outcome.Result == lore.ResultUnsafe || outcome.Target.ID == j.unitID) {
		return outcome.FixKey
	}
	// An older version stored outcomes on units without their words: they count for the fix that the unit shows.
	if u := j.Unit; u != nil && outcome.Target.ID == u.ID && outcome.Revision == "" && outcome.Words.AreOf(lore.Words{}, outcome.At, u.RevisedAt) {
		return lore.FixKey(u.Resolution)
	}
	return noFix
}

// weigh counts the owners with standing who speak for or against a fix. Each is counted once: the latest outcome counts before a report,
// and the author doesn't count.
func (j *judgement) weigh(f *fix, said []lore.Outcome) {
	f.outcomes = j.latestOutcomes(said)
	for owner, outcome := range f.outcomes {
		if !j.Principal(outcome.SourceID).Standing() {
			delete(f.outcomes, owner)
		}
	}
	counts := j.count(f.outcomes)
	for _, report := range f.reports {
		by := j.Principal(report.SourceID)
		if _, spoke := f.outcomes[by.OwnerKey]; f.key == "" || spoke || !by.Standing() || related(by, f.author) {
			continue
		}
		if at, there := f.confirmed[by.OwnerKey]; !there || report.CreatedAt.Before(at) {
			f.confirmed[by.OwnerKey] = report.CreatedAt
		}
	}
	reporters := len(f.confirmed)
	for owner, outcome := range f.outcomes {
		if outcome.Result == lore.ResultWorked {
			f.confirmed[owner] = outcome.At
		}
	}
	f.evidence = lore.FixEvidence{ConfirmedBy: len(f.confirmed), Worked: counts.Worked, Failed: counts.Failed, Unsafe: counts.Unsafe}
	f.confidence = Confidence(counts.Worked, reporters, counts.Failed, counts.Unsafe)
	approvedAt := j.approvedAt(f)
	f.approved = !approvedAt.IsZero() && !slices.ContainsFunc(slices.Collect(maps.Values(f.outcomes)), func(o lore.Outcome) bool {
		return o.Result == lore.ResultUnsafe && o.At.After(approvedAt)
	})
}

// approvedAt returns when an operator last approved one of the reports that give a fix, in its present words, or the unit that showed it; zero:
// never.
func (j *judgement) approvedAt(f *fix) (last time.Time) {
	approve := func(id string, holds func(lore.Decision) bool) {
		if decision := j.decisions[id]; decision.Verdict == lore.VerdictApprove && holds(decision) && decision.At.After(last) {
			last = decision.At
		}
	}
	for _, report := range f.reports {
		approve(report.ID, func(d lore.Decision) bool { return report.Says(d.Words, d.At) })
	}
	approve(j.unitID, func(d lore.Decision) bool {
		if d.FixKey != "" || j.Unit == nil {
			return d.FixKey == f.key
		}
		return d.Words.AreOf(lore.Words{}, d.At, j.Unit.RevisedAt) && lore.FixKey(j.Unit.Resolution) == f.key
	})
	return last
}

// leadOf returns the fix that the case's pattern and unit show: the best confirmed one; nil while nobody with standing stands for one. Form,
// score and age give no lead.
func (j *judgement) leadOf(fixes []*fix) *fix {
	for _, f := range fixes {
		if f.key != "" && f.vouched() {
			return f
		}
	}
	return nil
}

// speaker returns the report whose words stand for a fix: the one that most owners found to work, then one whose author counts, then the
// earliest. What others confirmed are these words.
func (j *judgement) speaker(f *fix) lore.Report {
	return slices.MinFunc(f.reports, func(a, b lore.Report) int {
		return cmp.Or(cmp.Compare(j.worked(f, b), j.worked(f, a)), cmp.Compare(j.seniority(a), j.seniority(b)),
			a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// worked returns how many owners with standing found a fix to work as a report gives it.
func (j *judgement) worked(f *fix, report lore.Report) (owners int) {
	for _, outcome := range f.outcomes {
		if outcome.Result == lore.ResultWorked && outcome.Target.ID == report.ID {
			owners++
		}
	}
	return owners
}

// seniority orders authors: an operator approved the report, standing was given, it was earned, there is none, the author counts for nothing.
func (j *judgement) seniority(report lore.Report) int {
	by := j.Principal(report.SourceID)
	switch {
	case j.approves(report):
		return 0
	case !by.counts():
		return 4
	case j.TakenBack[report.ID] || !by.Standing():
		return 3
	case by.Given:
		return 1
	}
	return 2
}

// voice returns whose a fix is and what is said of it. Its words are read from the report when somebody asks: what its author takes back is
// quoted nowhere from that moment on.
func (j *judgement) voice(f *fix) lore.Fix {
	report := j.speaker(f)
	return lore.Fix{From: j.fixFrom(report), Evidence: f.evidence, AsksFor: report.AsksFor, Withheld: j.withheld(f, report)}
}

// fixFrom says whose the fix of a report is.
func (j *judgement) fixFrom(report lore.Report) lore.FixFrom {
	return lore.FixFrom{
		ID: report.ID, Revision: report.Revision, SourceID: report.SourceID,
		Standing: j.Principal(report.SourceID).Source(),
	}
}

// withheld says why a report's fix isn't handed out, as far as its evidence tells. What asks for nothing that can do harm is handed out
// whoever says it.
func (j *judgement) withheld(f *fix, report lore.Report) lore.Withheld {
	switch {
	case f.harmful():
		return lore.WithheldUnsafe
	case f.vouched() || j.trusts(report) || j.Principal(report.SourceID).Imported:
		return ""
	case Withholds(report.AsksFor, j.known):
		return lore.WithheldUnvouched
	}
	return ""
}

// harmsInDetail are the acts for which the content of a report that nobody stands for is left out: what somebody did is told in nearly the same
// words as what to do, so that packages and addresses are no sign.
var harmsInDetail = []lore.Act{lore.ActShowsSecret, lore.ActSendsValue, lore.ActGivesControl, lore.ActRunsDownload}

// AsksHarm reports whether the content of a report asks its reader for something that can do harm.
func AsksHarm(content string) bool {
	return slices.ContainsFunc(AsksFor(content), func(asked lore.AsksFor) bool { return slices.Contains(harmsInDetail, asked.Act) })
}

// detailWithheld reports whether a report's content isn't handed out.
func (j *judgement) detailWithheld(f *fix, report lore.Report) bool {
	return (f == nil || f.harmful() || !f.vouched()) && !j.trusts(report) && !j.Principal(report.SourceID).Imported && AsksHarm(report.Content)
}

// alternatives returns the fixes beside the lead, the best confirmed first, then those of authors that count, then those that most owners
// give. One that does harm isn't among them.
func (j *judgement) alternatives(fixes []*fix, lead *fix) (others []lore.Fix) {
	rest := slices.DeleteFunc(slices.Clone(fixes), func(f *fix) bool { return f.key == "" || f == lead || f.harmful() })
	owners := func(f *fix) int {
		standing, newcomers := independent(j.principals(f.reports))
		return standing + newcomers
	}
	slices.SortStableFunc(rest, func(a, b *fix) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(j.seniority(j.speaker(a)), j.seniority(j.speaker(b))),
			cmp.Compare(owners(b), owners(a)), a.reports[0].CreatedAt.Compare(b.reports[0].CreatedAt), cmp.Compare(a.key, b.key))
	})
	for _, f := range rest[:min(len(rest), lore.MaxAlternatives)] {
		others = append(others, j.voice(f))
	}
	return others
}

// inOrder returns reports in order of time.
func inOrder(reports []lore.Report) []lore.Report {
	return slices.SortedFunc(slices.Values(reports), func(a, b lore.Report) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
