package curator

import (
	"maps"
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

// judgement is a case while it is judged.
type judgement struct {
	Case
	rules     PromotionRules
	first     lore.Report
	patternID string // empty: no pattern
	unitID    string
	verdicts  map[string]lore.Verdict
	flagged   map[string]bool // by a confirmed flag
	blocked   map[string]bool
	// echoes are reports of what was knowledge already, by principals without standing: anybody can copy a unit.
	echoes map[string]bool
	// standing are the reports that count: not withdrawn, not blocked by a flag, no echoes, and their principals aren't banned.
	standing []lore.Report
	opening  lore.Report // the first of them, if there is one
	// veterans are the principals with standing that reported what counts, with when each did last.
	veterans map[string]reporter
	// spokenOf are the reports that there are outcomes on.
	spokenOf map[string]bool
	// trusted and newcomers are how many independent principals reported what counts.
	trusted, newcomers int
	latest             map[string]lore.Outcome // by owner
	outcomes           lore.Outcomes           // of owners with standing, the author's left out
	reporters          int
	confidence         float64
	votes              votes
}

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
	j := judgement{Case: c, rules: r, first: First(c.Reports), verdicts: c.standing()}
	j.unitID = UnitID(j.first.ID)
	if standing, newcomers := independent(j.principals(c.Reports)); standing+newcomers >= r.EmergingOwners {
		j.patternID = PatternID(j.first.ID)
	}
	j.flagged, j.blocked = c.warnings(r)
	j.echoes, j.veterans, j.spokenOf = map[string]bool{}, map[string]reporter{}, map[string]bool{}
	for _, outcome := range c.Outcomes {
		j.spokenOf[outcome.Target.ID] = true
	}
	for _, report := range c.Reports {
		j.echoes[report.ID] = j.echo(report)
		by := j.Principal(report.SourceID)
		if j.setAside(report.ID) || j.disowned(report) {
			continue
		}
		j.standing = append(j.standing, report)
		if by.Standing() && report.CreatedAt.After(j.veterans[by.ID].at) {
			j.veterans[by.ID] = reporter{by, report.CreatedAt}
		}
	}
	if len(j.standing) > 0 {
		j.opening = First(j.standing)
	}
	j.trusted, j.newcomers = independent(j.principals(j.standing))
	j.weigh()
	j.votes = j.countVotes()
	ruling := Ruling{Pattern: j.pattern(), Reports: map[string]lore.Report{}}
	ruling.Unit = j.unit()
	if ruling.Pattern != nil {
		ruling.Pattern.Tier, ruling.Pattern.Missing = j.patternTier(ruling.Unit)
	}
	for _, report := range c.Reports {
		ruling.Reports[report.ID] = j.judged(report, ruling.Unit)
	}
	return ruling
}

// setAside reports whether an item counts for nothing: an operator withdrew it, a flag on it blocks, or it is an echo.
func (j *judgement) setAside(id string) bool {
	return j.blocked[id] || j.verdicts[id] == lore.VerdictWithdraw || j.echoes[id]
}

// echo reports whether a report says, after it had become knowledge, what the unit says, by a principal without standing. It is no
// evidence, changes no word of the unit and is no contribution. An agent that used the unit reports an outcome instead. That holds while the unit is
// withdrawn as well: else its withdrawal would make evidence of the copies.
func (j *judgement) echo(report lore.Report) bool {
	return j.Unit != nil && j.Unit.Status != lore.UnitSuperseded && report.CreatedAt.After(j.Unit.PromotedAt) &&
		!j.trusts(report)
}

// trusts reports whether a report may speak as the service: an operator approved it, or its principal has standing.
func (j *judgement) trusts(report lore.Report) bool {
	return j.verdicts[report.ID] == lore.VerdictApprove || j.Principal(report.SourceID).Standing() && !j.TakenBack[report.ID]
}

// weigh counts the owners with standing who speak for or against the case. Each is counted once: the latest outcome counts before a
// report, and the author of the first report that counts doesn't.
func (j *judgement) weigh() {
	if len(j.standing) == 0 {
		j.latest, j.confidence = map[string]lore.Outcome{}, Confidence(0, 0, 0, 0)
		return
	}
	author := j.Principal(j.opening.SourceID)
	items := map[string]string{j.unitID: ""}
	for _, report := range j.standing {
		items[report.ID] = report.SourceID
	}
	j.latest = j.latestOutcomes(items)
	others := maps.Clone(j.latest)
	maps.DeleteFunc(others, func(_ string, outcome lore.Outcome) bool { return related(j.Principal(outcome.SourceID), author) })
	j.outcomes = j.count(others)
	reporters := map[string]bool{}
	for _, other := range j.veterans {
		if !related(other.by, author) {
			reporters[other.by.OwnerKey] = true
		}
	}
	for owner, outcome := range others {
		if j.Principal(outcome.SourceID).Standing() {
			delete(reporters, owner)
		}
	}
	j.reporters = len(reporters)
	j.confidence = Confidence(j.outcomes.Worked, j.reporters, j.outcomes.Failed, j.outcomes.Unsafe)
}

// overCorrelating reports whether so many report the case that it says little. Owners with standing are counted: throw-away
// registrations must not keep a truth out.
func (j *judgement) overCorrelating() bool { return j.trusted > j.rules.LargestPattern }

// missing returns what the case lacks to be knowledge; nothing: it is.
func (j *judgement) missing() []lore.Requirement {
	var missing []lore.Requirement
	add := func(lacking bool, requirement lore.Requirement) {
		if lacking {
			missing = append(missing, requirement)
		}
	}
	add(j.overCorrelating(), lore.RequireFewerReports)
	add(len(j.standing) == 0 || j.blocked[j.unitID] || j.blocked[j.patternID], lore.RequireUnflagged)
	add(!slices.ContainsFunc(j.speakers(), func(r lore.Report) bool { return r.Resolution != "" }), lore.RequireResolution)
	approved := j.approved()
	if j.confidence < j.rules.Confidence && !approved {
		if j.outcomes.Failed+j.outcomes.Unsafe == 0 {
			add(true, lore.RequireStanding)
		} else {
			add(true, lore.RequireConfidence)
		}
	}
	add(slices.Contains(j.rules.Approved, j.category()) && j.outcomes.Worked == 0 && !approved, lore.RequireApproval)
	return missing
}

// approved reports whether an operator stands for the case: for its unit or one of its reports. Harm that owners with
// standing report since isn't outvoted by that.
func (j *judgement) approved() bool {
	if j.outcomes.Unsafe > 0 {
		return false
	}
	for _, report := range j.standing {
		if j.verdicts[report.ID] == lore.VerdictApprove {
			return true
		}
	}
	return j.verdicts[j.unitID] == lore.VerdictApprove
}

// judged returns a report as it stands beside the case's unit.
func (j *judgement) judged(r lore.Report, unit *lore.KnowledgeUnit) lore.Report {
	r.Tier, r.Status, r.PatternID, r.KnowledgeUnitID, r.Missing, r.Outcomes = lore.TierRaw, "", j.patternID, "", nil, nil
	var latest map[string]lore.Outcome
	if j.spokenOf[r.ID] {
		latest = j.latestOutcomes(map[string]string{r.ID: r.SourceID})
	}
	if outcomes := j.count(latest); outcomes != (lore.Outcomes{}) {
		r.Outcomes = &outcomes
	}
	r.Warnings = j.warningsOn(r.ID)
	r.Confirmed = j.confirmed(r, latest)
	r.LastConfirmedAt = j.lastConfirmed(j.Principal(r.SourceID), r.CreatedAt)
	switch {
	case j.verdicts[r.ID] == lore.VerdictWithdraw:
		r.Status = statusWithdrawn
	case j.flagged[r.ID]:
		r.Status = lore.StatusFlagged
	}
	switch {
	case j.echoes[r.ID] && !j.blocked[r.ID] && r.Status == "":
		r.KnowledgeUnitID = j.unitID
	case j.setAside(r.ID) || j.Principal(r.SourceID).Banned:
		r.Missing = []lore.Requirement{lore.RequireUnflagged}
	case unit != nil && unit.Status == lore.UnitActive:
		r.Tier, r.KnowledgeUnitID, r.Missing = unit.Tier, unit.ID, unit.Missing
	case j.corroborated() || r.Outcomes != nil && r.Outcomes.Worked >= j.rules.CorroboratingOwners:
		r.Tier, r.Missing = lore.TierCorroborated, j.missing()
	case j.overCorrelating():
		r.Missing = []lore.Requirement{lore.RequireFewerReports}
	default:
		r.Missing = []lore.Requirement{lore.RequireOwners}
	}
	return r
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
