package curator

import (
	"slices"
	"time"

	"agentlore/lore"
)

// Ruling is what the rules make of a case.
type Ruling struct {
	// Pattern is nil where too few owners report it.
	Pattern *lore.Pattern
	// Unit is nil where there never was one and the case doesn't make one.
	Unit *lore.KnowledgeUnit
	// Reports are the case's reports as they stand now, by id.
	Reports map[string]lore.Report
}

// statusWithdrawn is a submission's status after an operator advised against it.
const statusWithdrawn = string(lore.UnitWithdrawn)

// judgement is a case while it is judged. It is made in this order: which reports count for the problem, which fixes they give, which
// fix leads, and what that makes of the pattern, the unit and each report.
type judgement struct {
	Case
	rules     PromotionRules
	byID      map[string]lore.Report
	patternID string // empty: no pattern
	unitID    string
	decisions map[string]lore.Decision // the latest on each item
	flags     []lore.SafetyFlag        // on the present words of the case's items
	flagged   map[string]bool          // items that a confirmed flag warns of
	blocked   map[string]bool          // items that a flag keeps out of everything
	harm      map[string]bool          // fixes, by their keys, that a confirmed flag says do harm
	// echoes are reports of what was knowledge already, by principals without standing: anybody can copy a unit.
	echoes map[string]bool
	// voices are the reports that aren't withdrawn, blocked by a flag or disowned. Of them counted, all but the echoes, bear out the problem.
	voices, counted []lore.Report
	opening         lore.Report // the first of the counted, if there is one
	// veterans are the principals with standing that reported what counts, with when each did last.
	veterans map[string]reporter
	// trusted and newcomers are how many independent principals reported what counts.
	trusted, newcomers int
	all                []*fix // the best confirmed first
	byKey              map[string]*fix
	lead               *fix                    // nil: none is confirmed
	latest             map[string]lore.Outcome // of each owner, on the present words of the case's items
	votes              votes
}

// known reports whether the library or the catalog has a name.
func (j *judgement) known(name string) bool { return j.Known != nil && j.Known(name) }

// disowned reports whether a report counts for nothing because of who said it.
func (j *judgement) disowned(report lore.Report) bool {
	return j.TakenBack[report.ID] || j.Principal(report.SourceID).Banned
}

// reporter is who reported, and when last.
type reporter struct {
	by Principal
	at time.Time
}

// principals returns who stands behind reports and counts, by id.
func (j *judgement) principals(reports []lore.Report) map[string]Principal {
	found := map[string]Principal{}
	for _, report := range reports {
		if p := j.Principal(report.SourceID); p.counts() && !j.TakenBack[report.ID] {
			found[p.ID] = p
		}
	}
	return found
}

// Judge applies the rules to a case. It depends on nothing else: the same case gives the same ruling.
func (r PromotionRules) Judge(c Case) Ruling {
	j := r.newJudgement(c)
	j.hear()
	j.all = j.fixes()
	j.lead = j.leadOf(j.all)
	j.votes = j.countVotes()
	ruling := Ruling{Pattern: j.pattern(), Reports: map[string]lore.Report{}}
	ruling.Unit = j.unit()
	if ruling.Pattern != nil {
		ruling.Pattern.Tier, ruling.Pattern.Missing = j.patternTier(ruling.Unit)
	}
	for _, report := range j.Reports {
		ruling.Reports[report.ID] = j.judged(report, ruling.Unit)
	}
	return ruling
}

// newJudgement returns a judgement with what is said of the case's items.
func (r PromotionRules) newJudgement(c Case) *judgement {
	j := &judgement{
		Case: c, rules: r, unitID: UnitID(First(c.Reports).ID), decisions: c.decided(), byID: map[string]lore.Report{},
		echoes: map[string]bool{}, harm: map[string]bool{}, veterans: map[string]reporter{},
	}
	j.Reports = slices.Clone(c.Reports)
	if standing, newcomers := independent(j.principals(c.Reports)); standing+newcomers >= r.EmergingOwners {
		j.patternID = PatternID(First(c.Reports).ID)
	}
	items := map[string]wording{}
	for i := range j.Reports {
		report := &j.Reports[i]
		words := report.Words()
		report.Revision, report.FixKey = words.Revision, words.FixKey
		if n := len(report.EarlierUntil); report.RevisedAt == nil && n > 0 { // an older version amended it
			report.RevisedAt = &report.EarlierUntil[n-1]
		}
		j.byID[report.ID], items[report.ID] = *report, wording{words, report.RevisedAt, report.RedactedFrom}
	}
	if p := c.Pattern; p != nil {
		items[p.ID] = wording{words: lore.WordsOf(p.Summary, p.Content, p.Resolution), revisedAt: p.RevisedAt}
	}
	if u := c.Unit; u != nil {
		items[u.ID] = wording{words: lore.WordsOf(u.Summary, u.Content, u.Resolution), revisedAt: u.RevisedAt}
	}
	j.flags = c.flagsNow(items)
	j.flagged, j.blocked = c.warnings(r, j.flags)
	for _, flag := range c.Flags {
		if flag.Status == lore.FlagConfirmed && flag.FixKey != "" && Harmful(flag.Reason) {
			j.harm[flag.FixKey] = true
		}
	}
	for _, report := range j.Reports { // an older version stored flags without their words
		if j.flagged[report.ID] && report.FixKey != "" && slices.ContainsFunc(j.flags, func(f lore.SafetyFlag) bool {
			return f.Target.ID == report.ID && f.Status == lore.FlagConfirmed && Harmful(f.Reason)
		}) {
			j.harm[report.FixKey] = true
		}
	}
	return j
}

// hear finds the reports that have a voice and those that count, who reported them and what came of them.
func (j *judgement) hear() {
	for _, report := range j.Reports {
		j.echoes[report.ID] = j.echo(report)
		if j.silenced(report) {
			continue
		}
		j.voices = append(j.voices, report)
		if j.echoes[report.ID] {
			continue
		}
		j.counted = append(j.counted, report)
		if by := j.Principal(report.SourceID); by.Standing() && report.CreatedAt.After(j.veterans[by.ID].at) {
			j.veterans[by.ID] = reporter{by, report.CreatedAt}
		}
	}
	j.voices = unsuperseded(j.voices, j.usedAsSaid())
	if len(j.counted) > 0 {
		j.opening = First(j.counted)
	}
	j.trusted, j.newcomers = independent(j.principals(j.counted))
	j.latest = j.latestOutcomes(slices.DeleteFunc(slices.Clone(j.Outcomes), func(o lore.Outcome) bool { return j.fixOf(o) == noFix }))
}

// usedAsSaid returns the reports that owners with standing found to work, in their present words.
func (j *judgement) usedAsSaid() map[string]bool {
	used := map[string]bool{}
	for _, o := range j.Outcomes {
		if o.Result == lore.ResultWorked && j.Principal(o.SourceID).Standing() && j.fixOf(o) != noFix {
			used[o.Target.ID] = true
		}
	}
	return used
}

// silenced reports whether a report says nothing any more: it was withdrawn, a flag on it blocks, or who said it counts for nothing.
func (j *judgement) silenced(report lore.Report) bool {
	return j.blocked[report.ID] || j.decisions[report.ID].Verdict == lore.VerdictWithdraw || j.disowned(report)
}

// echo reports whether a report says, after it had become knowledge, what the unit says, by a principal without standing. It is no
// evidence of the problem, changes no word of the unit and is no contribution. An agent that used the unit reports an outcome instead. That holds while
// the unit is withdrawn as well: else its withdrawal would make evidence of the copies. Another fix that it gives has a voice all the same.
func (j *judgement) echo(report lore.Report) bool {
	return j.Unit != nil && j.Unit.Status != lore.UnitSuperseded && report.CreatedAt.After(j.Unit.PromotedAt) && !j.trusts(report)
}

// trusts reports whether a report may speak as the service: an operator approved it, or its principal has standing.
func (j *judgement) trusts(report lore.Report) bool {
	return j.approves(report) || j.Principal(report.SourceID).Standing() && !j.TakenBack[report.ID]
}

// approves reports whether an operator approved a report in its present words.
func (j *judgement) approves(report lore.Report) bool {
	decision := j.decisions[report.ID]
	return decision.Verdict == lore.VerdictApprove && report.Says(decision.Words, decision.At)
}

// of returns the fix that a report gives; nil: the report has no voice.
func (j *judgement) of(report lore.Report) *fix {
	return j.byKey[report.FixKey]
}

// overCorrelating reports whether so many report the case that it says little. Owners with standing are counted: throw-away
// registrations must not keep a truth out.
func (j *judgement) overCorrelating() bool { return j.trusted > j.rules.LargestPattern }

// missing returns what the case lacks to be knowledge; nothing: it is. The fix that it would show must be confirmed, however many report the
// problem.
func (j *judgement) missing() []lore.Requirement {
	var missing []lore.Requirement
	add := func(lacking bool, requirement lore.Requirement) {
		if lacking {
			missing = append(missing, requirement)
		}
	}
	best := j.best()
	add(j.overCorrelating(), lore.RequireFewerReports)
	add(len(j.counted) == 0 || j.blocked[j.unitID] || j.blocked[j.patternID], lore.RequireUnflagged)
	add(best == nil, lore.RequireResolution)
	if best == nil {
		best = &fix{approved: true} // it lacks no more than a fix
	}
	if !best.approved && (j.lead == nil || best.confidence < j.rules.Confidence) {
		if best.evidence.Failed+best.evidence.Unsafe == 0 && !best.flagged {
			add(true, lore.RequireStanding)
		} else {
			add(true, lore.RequireConfidence)
		}
	}
	add(slices.Contains(j.rules.Approved, j.category()) && best.evidence.Worked == 0 && !best.approved, lore.RequireApproval)
	return missing
}

// best returns the lead or, where there is none, the fix that could best become it; nil: no report gives one.
func (j *judgement) best() *fix {
	if j.lead != nil {
		return j.lead
	}
	for _, f := range j.all {
		if f.key != "" {
			return f
		}
	}
	return nil
}

// judged returns a report as it stands beside the case's unit. It has the unit's tier if it gives the unit's fix, or none: another fix is
// no knowledge because it was reported beside one.
func (j *judgement) judged(r lore.Report, unit *lore.KnowledgeUnit) lore.Report {
	r.Tier, r.Status, r.PatternID, r.KnowledgeUnitID, r.Missing, r.Outcomes, r.FixEvidence = lore.TierRaw, "", j.patternID, "", nil, nil, nil
	r.Standing, r.FixWithheld = j.Principal(r.SourceID).Source(), ""
	if outcomes := j.count(j.latestOutcomes(j.onWordsOf(r))); outcomes != (lore.Outcomes{}) {
		r.Outcomes = &outcomes
	}
	given := j.of(r)
	switch {
	case given != nil:
		r.FixWithheld = j.withheld(given, r)
		if given.evidence != (lore.FixEvidence{}) {
			r.FixEvidence = &given.evidence
		}
	case j.harm[r.FixKey]:
		r.FixWithheld = lore.WithheldUnsafe
	}
	r.DetailWithheld = j.detailWithheld(given, r)
	r.Warnings = j.warningsOn(given != nil && given.vouched(), r.ID)
	r.Confirmed = j.confirmed(r)
	r.LastConfirmedAt = j.lastConfirmed(j.Principal(r.SourceID), r.CreatedAt)
	switch {
	case j.decisions[r.ID].Verdict == lore.VerdictWithdraw:
		r.Status = statusWithdrawn
	case j.flagged[r.ID]:
		r.Status = lore.StatusFlagged
	}
	active := unit != nil && unit.Status == lore.UnitActive
	switch {
	case j.silenced(r):
		r.Missing = []lore.Requirement{lore.RequireUnflagged}
	case j.echoes[r.ID] && (given == nil || given != j.lead || given.reports[0].ID != r.ID):
		r.KnowledgeUnitID = j.unitID
	case active && (r.FixKey == "" || given == j.lead):
		r.Tier, r.KnowledgeUnitID, r.Missing = unit.Tier, unit.ID, unit.Missing
	case j.corroborated() || r.Outcomes != nil && r.Outcomes.Worked >= j.rules.CorroboratingOwners:
		r.Tier, r.Missing = lore.TierCorroborated, j.missing()
	case j.overCorrelating():
		r.Missing = []lore.Requirement{lore.RequireFewerReports}
	default:
		r.Missing = []lore.Requirement{lore.RequireOwners}
	}
	if active && !j.silenced(r) {
		r.KnowledgeUnitID = unit.ID
	}
	return r
}

// onWordsOf returns the outcomes on a report's present words.
func (j *judgement) onWordsOf(r lore.Report) (found []lore.Outcome) {
	for _, outcome := range j.Outcomes {
		if outcome.Target.ID == r.ID && r.Says(outcome.Words, outcome.At) {
			found = append(found, outcome)
		}
	}
	return found
}

// corroborated reports whether enough owners report the case for tier 2.
func (j *judgement) corroborated() bool {
	return j.trusted+j.newcomers >= j.rules.EstablishedOwners && !j.overCorrelating()
}

// confirmationStep is how exactly it is told when an item was last confirmed: age counts in days, and without it every new
// report would rewrite all others of its pattern.
const confirmationStep = time.Hour

// lastConfirmed returns when an owner with standing, other than the author, last reported what was said at a time or what came of it, or
// nil: what confirms an item moves it up in searches.
func (j *judgement) lastConfirmed(author Principal, said time.Time) *time.Time {
	var last time.Time
	note := func(by Principal, at time.Time) {
		if by.Standing() && !related(by, author) && at.After(last) {
			last = at
		}
	}
	for _, other := range j.veterans {
		note(other.by, other.at)
	}
	for _, outcome := range j.latest {
		note(j.Principal(outcome.SourceID), outcome.At)
	}
	if last.IsZero() {
		return nil
	}
	step := last.UTC().Truncate(confirmationStep)
	if step.Before(said) && last.After(said) {
		step = said.UTC() // nothing is confirmed before it is said
	}
	return &step
}
