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
	// UnitOwners are the owners whose reports are in the unit: its authors, who can't confirm it.
	UnitOwners []string
	// Standings are what becomes of each report.
	Standings map[string]Standing
}

// Standing is what the rules make of one report.
type Standing struct {
	Tier            lore.Tier
	Status          string
	PatternID       string
	KnowledgeUnitID string
	Missing         []lore.Requirement
	Outcomes        *lore.Outcomes
	LastConfirmedAt *time.Time
	Warnings        []lore.ItemWarning
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
	confirmed map[string]bool
	blocked   map[string]bool
	// echoes are reports of what was knowledge already, by owners who don't count as qualified: anybody can copy a unit.
	echoes map[string]bool
	// standing are the reports that count: not withdrawn, not flagged by anybody whose flag blocks, no echoes.
	standing []lore.Report
	owners   map[string]bool // of standing
	words    map[string]lore.Outcome
	// Qualified voices, the author's left out.
	voices     lore.Outcomes
	reporters  int
	confidence float64
}

// Judge applies the rules to a case. It depends on nothing else: the same case gives the same ruling.
func (r PromotionRules) Judge(c Case) Ruling {
	j := judgement{Case: c, rules: r, first: First(c.Reports), verdicts: c.standing()}
	j.unitID = UnitID(j.first.ID)
	if distinctOwners(c.Reports) >= r.EmergingOwners {
		j.patternID = PatternID(j.first.ID)
	}
	j.confirmed, j.blocked = c.warnings(r, j.patternID)
	j.owners, j.echoes = map[string]bool{}, map[string]bool{}
	for _, report := range c.Reports {
		j.echoes[report.ID] = j.echo(report)
		if !j.setAside(report.ID) {
			j.standing = append(j.standing, report)
			j.owners[report.OwnerKey] = true
		}
	}
	j.hearVoices()
	ruling := Ruling{Pattern: j.pattern(), Standings: map[string]Standing{}}
	ruling.Unit = j.unit()
	if ruling.Unit != nil {
		ruling.UnitOwners = ownersOf(j.Reports)
	}
	if ruling.Pattern != nil {
		ruling.Pattern.Tier, ruling.Pattern.Missing = j.patternTier(ruling.Unit)
	}
	for _, report := range c.Reports {
		ruling.Standings[report.ID] = j.standingOf(report, ruling)
	}
	return ruling
}

// setAside reports whether an item counts for nothing: an operator withdrew it, a flag on it blocks, or it is an echo.
func (j *judgement) setAside(id string) bool {
	return j.blocked[id] || j.verdicts[id] == lore.VerdictWithdraw || j.echoes[id]
}

// echo reports whether a report says, after it had become knowledge, what the unit says, by an owner who doesn't count as
// qualified. It is no evidence, changes no word of the unit and is no accepted contribution: else copying units would be the
// way to be qualified elsewhere. Who used the unit reports an outcome.
func (j *judgement) echo(report lore.Report) bool {
	return j.Unit != nil && j.Unit.Status == lore.UnitActive && report.CreatedAt.After(j.Unit.PromotedAt) &&
		j.verdicts[report.ID] != lore.VerdictApprove && !j.rules.Qualified(j.Owners(report.OwnerKey), j.patternID, j.Now)
}

// hearVoices counts the qualified owners who speak for or against the case. Everybody is counted once: a last word on its
// use counts before a report, and the author of the first report that counts has no voice.
func (j *judgement) hearVoices() {
	if len(j.standing) == 0 {
		j.words, j.confidence = map[string]lore.Outcome{}, Confidence(0, 0, 0, 0)
		return
	}
	author := First(j.standing).OwnerKey
	items := map[string]string{j.unitID: ""}
	for _, report := range j.standing {
		items[report.ID] = report.OwnerKey
	}
	j.words = j.lastWords(items)
	qualified := func(owner string) bool {
		return owner != author && j.rules.Qualified(j.Owners(owner), j.patternID, j.Now)
	}
	j.voices = count(j.words, qualified)
	for owner := range j.owners {
		if _, said := j.words[owner]; !said && qualified(owner) {
			j.reporters++
		}
	}
	j.confidence = Confidence(j.voices.Worked, j.reporters, j.voices.Failed, j.voices.Unsafe)
}

// overCorrelating reports whether so many report the case that it says little. Owners are counted, one report of each: one
// who posts a unit's words hundreds of times must not bring it down.
func (j *judgement) overCorrelating() bool { return len(j.owners) > j.rules.LargestPattern }

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
	add(!slices.ContainsFunc(j.standing, func(r lore.Report) bool { return r.Resolution != "" }), lore.RequireResolution)
	approved := j.approved()
	if j.confidence < j.rules.Confidence && !approved {
		if j.voices.Failed+j.voices.Unsafe == 0 {
			add(true, lore.RequireQualifiedOwners)
		} else {
			add(true, lore.RequireConfidence)
		}
	}
	add(slices.Contains(j.rules.Approved, j.category()) && j.voices.Worked == 0 && !approved, lore.RequireApproval)
	return missing
}

// approved reports whether an operator stands for the case: for its unit or one of its reports. Harm that qualified owners
// report since isn't outvoted by that.
func (j *judgement) approved() bool {
	if j.voices.Unsafe > 0 {
		return false
	}
	for _, report := range j.standing {
		if j.verdicts[report.ID] == lore.VerdictApprove {
			return true
		}
	}
	return j.verdicts[j.unitID] == lore.VerdictApprove
}

// standingOf returns what becomes of a report.
func (j *judgement) standingOf(report lore.Report, ruling Ruling) Standing {
	s := Standing{Tier: lore.TierRaw, PatternID: j.patternID, Warnings: j.warningsOn(report.ID)}
	words := j.lastWords(map[string]string{report.ID: report.OwnerKey})
	if len(words) > 0 {
		outcomes := count(words, func(string) bool { return true })
		s.Outcomes = &outcomes
	}
	s.LastConfirmedAt = j.lastConfirmed(report)
	switch {
	case j.verdicts[report.ID] == lore.VerdictWithdraw:
		s.Status = statusWithdrawn
	case j.confirmed[report.ID]:
		s.Status = lore.StatusFlagged
	}
	switch {
	case j.echoes[report.ID] && !j.blocked[report.ID] && s.Status == "":
		s.KnowledgeUnitID = j.unitID
	case j.setAside(report.ID):
		s.Missing = []lore.Requirement{lore.RequireUnflagged}
	case ruling.Unit != nil && ruling.Unit.Status == lore.UnitActive:
		s.Tier, s.KnowledgeUnitID, s.Missing = ruling.Unit.Tier, ruling.Unit.ID, ruling.Unit.Missing
	case j.corroborated() || s.Outcomes != nil && s.Outcomes.Worked >= j.rules.CorroboratingOwners:
		s.Tier, s.Missing = lore.TierCorroborated, j.missing()
	case j.overCorrelating():
		s.Missing = []lore.Requirement{lore.RequireFewerReports}
	default:
		s.Missing = []lore.Requirement{lore.RequireOwners}
	}
	return s
}

// corroborated reports whether enough owners report the case for tier 2.
func (j *judgement) corroborated() bool {
	return len(j.owners) >= j.rules.EstablishedOwners && !j.overCorrelating()
}

// confirmationStep is how exactly it is told when an item was last confirmed: age counts in days, and without it every new
// report would rewrite all others of its pattern.
const confirmationStep = time.Hour

// lastConfirmed returns when another owner last reported the same or said what came of it, or nil.
func (j *judgement) lastConfirmed(report lore.Report) *time.Time {
	var last time.Time
	for _, other := range j.standing {
		if other.OwnerKey != report.OwnerKey && other.CreatedAt.After(last) {
			last = other.CreatedAt
		}
	}
	for owner, word := range j.words {
		if owner != report.OwnerKey && word.At.After(last) {
			last = word.At
		}
	}
	if last.IsZero() {
		return nil
	}
	step := last.UTC().Truncate(confirmationStep)
	if step.Before(report.CreatedAt) && last.After(report.CreatedAt) {
		step = report.CreatedAt.UTC() // nothing is confirmed before it is said
	}
	return &step
}

// distinctOwners returns how many owners reports have.
func distinctOwners(reports []lore.Report) int { return len(ownersOf(reports)) }

// ownersOf returns the owners of reports, in order.
func ownersOf(reports []lore.Report) []string {
	var owners []string
	for _, report := range reports {
		owners = append(owners, report.OwnerKey)
	}
	slices.Sort(owners)
	return slices.Compact(owners)
}
