package curator

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"agentlore/lore"
)

// Most that a unit or pattern carries of what its reports name; each report has at most as many tags.
const (
	mostTags     = 20
	mostEntities = 50
)

// pattern returns the case's pattern, or nil. What no report that counts is left of is none.
func (j *judgement) pattern() *lore.Pattern {
	if j.patternID == "" {
		return nil
	}
	standing, newcomers := independent(j.principals(j.Reports))
	p := &lore.Pattern{
		ID: j.patternID, Summary: unquotable, Category: j.category(), Reports: len(threads(j.Reports)), Sources: distinctSources(j.Reports),
		Owners: standing + newcomers, ExampleIDs: j.examples(j.said()), Status: lore.PatternEmerging, OverCorrelating: j.overCorrelating(),
		Ecosystem: []string{}, Tags: []string{}, Entities: []string{}, Warnings: j.warningsOn(j.patternID), CreatedAt: j.Now,
	}
	if quotable := slices.DeleteFunc(slices.Clone(j.speakers()), func(r lore.Report) bool { return j.blocked[r.ID] }); len(quotable) > 0 {
		best, solved := j.best(quotable), j.best(resolving(quotable))
		p.Summary, p.Content, p.Resolution = best.Summary, best.Content, solved.Resolution
		// Outcomes on the pattern count for the first of its examples: the one whose fix it shows.
		p.ExampleIDs = append([]string{solved.ID}, slices.DeleteFunc(p.ExampleIDs, func(id string) bool { return id == solved.ID })...)
		p.ExampleIDs = p.ExampleIDs[:min(len(p.ExampleIDs), lore.MaxEvidenceIDs)]
		p.Ecosystem, p.Tags, p.Entities = j.named(quotable, best)
	}
	p.FirstSeenAt, p.LastSeenAt = span(j.Reports)
	p.Rank = j.rank(j.votes, 1)
	if j.trusted+j.newcomers >= j.rules.EstablishedOwners {
		p.Status, p.EstablishedAt = lore.PatternEstablished, j.establishedAt()
	}
	if j.flagged[j.patternID] {
		p.Status = lore.StatusFlagged
	}
	if j.Pattern != nil {
		p.CreatedAt = j.Pattern.CreatedAt
	}
	return p
}

// unquotable stands for the words of a pattern all of whose reports a flag warns of: what they say must not speak as the pattern.
const unquotable = "Safety flags warn of every report of this"

// patternTier returns how far a pattern has been borne out, and what it lacks for the next tier.
func (j *judgement) patternTier(unit *lore.KnowledgeUnit) (lore.Tier, []lore.Requirement) {
	switch {
	case unit != nil && unit.Status == lore.UnitActive:
		return unit.Tier, unit.Missing
	case j.corroborated():
		return lore.TierCorroborated, j.missing()
	case j.overCorrelating():
		return lore.TierRaw, []lore.Requirement{lore.RequireFewerReports}
	}
	return lore.TierRaw, []lore.Requirement{lore.RequireOwners}
}

// unit returns the case's knowledge unit: the one that the rules make of it, or the stored one, withdrawn.
func (j *judgement) unit() *lore.KnowledgeUnit {
	missing := j.missing()
	holds := len(missing) == 0 && j.verdicts[j.unitID] != lore.VerdictWithdraw
	if !holds && (j.Unit == nil || j.Unit.Status == lore.UnitSuperseded) {
		return nil
	}
	said := j.said()
	u := &lore.KnowledgeUnit{ID: j.unitID, Status: lore.UnitActive, PromotedAt: j.Now, CreatedAt: j.Now}
	if j.Unit != nil {
		*u = *j.Unit
	}
	u.Status, u.SupersededBy, u.Tier, u.PatternID = lore.UnitActive, "", lore.TierValidated, j.patternID
	u.Warnings = j.warningsOn(j.unitID)
	if !holds {
		// It keeps the words that it had, for those who relied on them: what warns of its reports warns of them.
		u.Status, u.Missing = lore.UnitWithdrawn, missing
		u.Warnings = j.warningsOn(slices.Collect(maps.Keys(j.items()))...)
	}
	u.Confidence = hundredths(j.confidence)
	u.Outcomes = j.count(j.latestOutcomes(j.items()))
	standing, newcomers := independent(j.principals(said))
	u.Evidence = lore.Evidence{
		SubmissionIDs: j.examples(said), Submissions: len(threads(said)), Sources: distinctSources(said), Owners: standing + newcomers,
	}
	u.FirstSeenAt, u.LastSeenAt = span(said)
	u.Rank = j.rank(j.votes.trusted(), u.Confidence)
	u.LastConfirmedAt = j.lastConfirmed(j.Principal(First(said).SourceID), First(said).CreatedAt)
	if !holds {
		return u
	}
	speakers := j.speakers()
	best := j.best(speakers)
	u.Summary, u.Content, u.Category, u.ScoreParts = best.Summary, best.Content, j.category(), best.ScoreParts
	u.Resolution = j.best(resolving(speakers)).Resolution
	u.Ecosystem, u.Tags, u.Entities = j.named(speakers, best)
	if j.outcomes.Worked >= j.rules.CanonicalOwners {
		u.Tier = lore.TierCanonical
		u.Missing = nil
	} else {
		u.Missing = []lore.Requirement{lore.RequireStanding}
	}
	return u
}

// items are what outcomes on the case can be about, with the source of each; a unit has many and so none.
func (j *judgement) items() map[string]string {
	items := map[string]string{j.unitID: ""}
	for _, report := range j.Reports {
		items[report.ID] = report.SourceID
	}
	return items
}

// said returns the reports that count or, where none is left, all of them.
func (j *judgement) said() []lore.Report {
	if len(j.standing) > 0 {
		return j.standing
	}
	return j.Reports
}

// speakers returns the reports whose words a pattern or unit may have: those that may speak as the service, or where there are none,
// those that owners with standing found to work, or all that count: no report gets a resolution that another source made up.
func (j *judgement) speakers() []lore.Report {
	said := j.said()
	worked := j.worked()
	for _, may := range []func(lore.Report) bool{
		j.trusts,
		func(r lore.Report) bool { return worked[r.ID] > 0 },
		func(r lore.Report) bool { return j.Principal(r.SourceID).counts() },
	} {
		if found := slices.DeleteFunc(slices.Clone(said), func(r lore.Report) bool { return !may(r) }); len(found) > 0 {
			return unsuperseded(found, worked)
		}
	}
	return unsuperseded(said, worked)
}

// unsuperseded returns reports without those that a later one of them supersedes, unless owners with standing found them to work: that is
// said of the words that were there.
func unsuperseded(reports []lore.Report, worked map[string]int) []lore.Report {
	newest := map[string]lore.Report{} // by what it supersedes
	for _, report := range reports {
		if known, there := newest[report.Follows]; report.Supersedes && (!there || later(report.CreatedAt, report.ID, known.CreatedAt, known.ID)) {
			newest[report.Follows] = report
		}
	}
	return slices.DeleteFunc(slices.Clone(reports), func(r lore.Report) bool {
		first := r.ID
		if r.Supersedes {
			first = r.Follows
		}
		by, superseded := newest[first]
		return superseded && by.ID != r.ID && worked[r.ID] == 0
	})
}

// threads returns reports without those that follow another of them: they count as one.
func threads(reports []lore.Report) []lore.Report {
	there := map[string]bool{}
	for _, report := range reports {
		there[report.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(reports), func(r lore.Report) bool { return there[r.Follows] })
}

// worked returns how many owners with standing found each report to work.
func (j *judgement) worked() map[string]int {
	worked := map[string]int{}
	for _, outcome := range j.latest {
		if outcome.Result == lore.ResultWorked && j.Principal(outcome.SourceID).Standing() {
			worked[outcome.Target.ID]++
		}
	}
	return worked
}

// resolving returns the reports that have a resolution, or all where none has.
func resolving(reports []lore.Report) []lore.Report {
	if found := slices.DeleteFunc(slices.Clone(reports), func(r lore.Report) bool { return r.Resolution == "" }); len(found) > 0 {
		return found
	}
	return reports
}

// best returns the best of reports: the one that most owners with standing found to work, then the one with the highest score, then
// the earliest.
func (j *judgement) best(reports []lore.Report) lore.Report {
	worked := j.worked()
	return slices.MinFunc(reports, func(a, b lore.Report) int {
		return cmp.Or(cmp.Compare(worked[b.ID], worked[a.ID]), cmp.Compare(b.Score, a.Score), a.CreatedAt.Compare(b.CreatedAt),
			cmp.Compare(a.ID, b.ID))
	})
}

// category returns the one that most owners of the speakers chose; of equals, the one of the first report.
func (j *judgement) category() lore.Category {
	speakers := j.speakers()
	owners := map[lore.Category]map[string]bool{}
	for _, report := range speakers {
		if owners[report.Category] == nil {
			owners[report.Category] = map[string]bool{}
		}
		owners[report.Category][j.Principal(report.SourceID).OwnerKey] = true
	}
	chosen := First(speakers).Category
	for _, category := range lore.Categories() {
		if len(owners[category.Value]) > len(owners[chosen]) {
			chosen = category.Value
		}
	}
	return chosen
}

// named returns the ecosystems, tags and entities that several owners name, or where they agree on none, the best
// report's. What is in all reports anyway is left out.
func (j *judgement) named(reports []lore.Report, best lore.Report) (ecosystems, tags, entities []string) {
	ecosystem := func(r lore.Report) []string {
		if r.Ecosystem == "" {
			return nil
		}
		return []string{r.Ecosystem}
	}
	entity := func(r lore.Report) []string {
		return slices.DeleteFunc(slices.Clone(r.Entities), CommonEntity)
	}
	return j.agreed(reports, best, ecosystem, mostTags), j.agreed(reports, best, func(r lore.Report) []string { return r.Tags }, mostTags),
		j.agreed(reports, best, entity, mostEntities)
}

// agreed returns the values that enough owners gave, those of most owners first.
func (j *judgement) agreed(reports []lore.Report, best lore.Report, values func(lore.Report) []string, most int) []string {
	owners := map[string]map[string]bool{}
	for _, report := range reports {
		for _, value := range values(report) {
			if owners[value] == nil {
				owners[value] = map[string]bool{}
			}
			owners[value][j.Principal(report.SourceID).OwnerKey] = true
		}
	}
	found := slices.SortedFunc(maps.Keys(owners), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(owners[b]), len(owners[a])), cmp.Compare(a, b))
	})
	found = slices.DeleteFunc(found, func(value string) bool { return len(owners[value]) < j.rules.SharedOwners })
	if len(found) == 0 {
		found = append([]string{}, values(best)...)
	}
	return found[:min(most, len(found))]
}

// examples returns ids of reports, one an owner first, earliest first.
func (j *judgement) examples(reports []lore.Report) []string {
	sorted := slices.SortedFunc(slices.Values(reports), func(a, b lore.Report) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	ids, seen := []string{}, map[string]bool{}
	for _, repeats := range []bool{false, true} {
		for _, report := range sorted {
			owner := j.Principal(report.SourceID).OwnerKey
			if seen[owner] == repeats && !slices.Contains(ids, report.ID) && len(ids) < lore.MaxEvidenceIDs {
				ids = append(ids, report.ID)
				seen[owner] = true
			}
		}
	}
	return ids
}

// span returns when the first and the last of reports came.
func span(reports []lore.Report) (first, last time.Time) {
	first = reports[0].CreatedAt
	for _, report := range reports {
		if report.CreatedAt.Before(first) {
			first = report.CreatedAt
		}
		if report.CreatedAt.After(last) {
			last = report.CreatedAt
		}
	}
	return first, last
}

// distinctSources returns how many sources reports have.
func distinctSources(reports []lore.Report) int {
	sources := map[string]bool{}
	for _, report := range reports {
		sources[report.SourceID] = true
	}
	return len(sources)
}
