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

// pattern returns the case's pattern, or nil: a pattern all of whose reports were withdrawn or disowned is none. It shows the fix that
// leads, and no other as its own.
func (j *judgement) pattern() *lore.Pattern {
	if j.patternID == "" || len(j.voices) == 0 && !slices.ContainsFunc(j.Reports, j.onlyBlocked) {
		return nil
	}
	standing, newcomers := independent(j.principals(j.Reports))
	p := &lore.Pattern{
		ID: j.patternID, Summary: unquotable, Category: j.category(), Reports: len(threads(j.Reports)), Sources: distinctSources(j.Reports),
		Owners: standing + newcomers, ExampleIDs: j.examples(j.said()), Status: lore.PatternEmerging, OverCorrelating: j.overCorrelating(),
		Ecosystem: []string{}, Tags: []string{}, Entities: []string{}, CreatedAt: j.Now,
	}
	p.FirstSeenAt, p.LastSeenAt = span(j.Reports)
	p.Rank = j.rank(j.votes, 1)
	if j.trusted+j.newcomers >= j.rules.EstablishedOwners {
		p.Status, p.EstablishedAt = lore.PatternEstablished, j.establishedAt()
	}
	switch {
	case j.decisions[j.patternID].Verdict == lore.VerdictWithdraw:
		p.Summary, p.Status = withdrawnPattern, lore.PatternWithdrawn
	case len(j.counted) > 0:
		j.quote(p)
	}
	if j.flagged[j.patternID] {
		p.Status = lore.StatusFlagged
	}
	p.Warnings = j.warningsOn(j.lead != nil, j.patternID)
	var stored *lore.Evident
	if j.Pattern != nil {
		p.CreatedAt, stored = j.Pattern.CreatedAt, &j.Pattern.Evident
	}
	p.Revise(p.Summary, p.Content, p.Resolution, stored, j.Now)
	return p
}

// What stands for the words of a pattern that may quote none of its reports.
const (
	// unquotable: safety flags warn of all reports, so what they say must not speak as the pattern.
	unquotable = "Safety flags warn of every report of this"
	// withdrawnPattern: an operator withdrew it.
	withdrawnPattern = "An operator withdrew this pattern"
)

// onlyBlocked reports whether a safety flag alone keeps a report from having a voice.
func (j *judgement) onlyBlocked(report lore.Report) bool {
	return j.blocked[report.ID] && !j.disowned(report) && j.decisions[report.ID].Verdict != lore.VerdictWithdraw
}

// quote gives a pattern its words: those of the report that stands for the fix that leads, or while none does, those of the first report
// whose author counts most, and no fix.
func (j *judgement) quote(p *lore.Pattern) {
	speaker := slices.MinFunc(j.counted, func(a, b lore.Report) int {
		return cmp.Or(cmp.Compare(j.seniority(a), j.seniority(b)), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	if j.lead != nil {
		speaker = j.speaker(j.lead)
		from := j.fixFrom(speaker)
		p.Resolution, p.FixFrom, p.FixEvidence, p.AsksFor = speaker.Resolution, &from, &j.lead.evidence, speaker.AsksFor
		p.Disputed = j.lead.evidence.Unsafe > 0
	}
	p.Summary, p.WordsFrom = speaker.Summary, speaker.ID
	if f := j.of(speaker); !j.detailWithheld(f, speaker) && (f == nil || f.key == "" || j.withheld(f, speaker) == "") {
		p.Content = speaker.Content
	}
	p.Alternatives = j.alternatives(j.all, j.lead)
	p.Ecosystem, p.Tags, p.Entities = j.named(j.speakers(), speaker)
}

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
	withdrawn := j.decisions[j.unitID].Verdict == lore.VerdictWithdraw || j.decisions[j.patternID].Verdict == lore.VerdictWithdraw
	holds := len(missing) == 0 && !withdrawn
	if !holds && (j.Unit == nil || j.Unit.Status == lore.UnitSuperseded) {
		return nil
	}
	said := j.said()
	u := &lore.KnowledgeUnit{ID: j.unitID, Status: lore.UnitActive, PromotedAt: j.Now, CreatedAt: j.Now}
	var stored *lore.Evident
	if j.Unit != nil {
		*u = *j.Unit
		stored = &j.Unit.Evident
	}
	u.Status, u.SupersededBy, u.Tier, u.PatternID = lore.UnitActive, "", lore.TierValidated, j.patternID
	u.Warnings = j.warningsOn(true, j.unitID)
	u.Evidence = j.evidence(said)
	u.FirstSeenAt, u.LastSeenAt = span(said)
	u.LastConfirmedAt = j.lastConfirmed(j.Principal(First(said).SourceID), First(said).CreatedAt)
	u.Confidence = hundredths(Confidence(0, 0, 0, 0))
	if best := j.best(); best != nil {
		u.Confidence = hundredths(best.confidence)
		u.Outcomes = lore.Outcomes{Worked: best.evidence.Worked, Failed: best.evidence.Failed, Unsafe: best.evidence.Unsafe}
	}
	u.Rank = j.rank(j.votes.trusted(), u.Confidence)
	if holds {
		j.state(u)
	} else {
		u.Status, u.Missing = lore.UnitWithdrawn, missing
		j.retract(u)
	}
	u.Names = namesIn(u.Summary)
	if holds && j.lead.approved { // an operator stands for its words, so what it pasted is its own error
		u.Names = addNames(u.Names, codesIn(u.Summary))
		u.Names = addNames(u.Names, pastedNames(lore.PastedError(u.Content)))
	}
	u.Revise(u.Summary, u.Content, u.Resolution, stored, j.Now)
	return u
}

// evidence returns what reports bear out: that the problem happens.
func (j *judgement) evidence(said []lore.Report) lore.Evidence {
	standing, newcomers := independent(j.principals(said))
	return lore.Evidence{
		SubmissionIDs: j.examples(said), Submissions: len(threads(said)), Sources: distinctSources(said), Owners: standing + newcomers,
	}
}

// state gives a unit that holds the words of the report that stands for the fix that leads.
func (j *judgement) state(u *lore.KnowledgeUnit) {
	speaker := j.speaker(j.lead)
	from := j.fixFrom(speaker)
	u.Summary, u.Content, u.Resolution, u.WordsFrom, u.Ref = speaker.Summary, speaker.Content, speaker.Resolution, speaker.ID, speaker.Ref
	u.Category, u.ScoreParts = j.category(), speaker.ScoreParts
	u.FixFrom, u.FixEvidence, u.AsksFor, u.Disputed = &from, &j.lead.evidence, speaker.AsksFor, j.lead.evidence.Unsafe > 0
	u.Alternatives = j.alternatives(j.all, j.lead)
	u.Ecosystem, u.Tags, u.Entities = j.named(j.speakers(), speaker)
	u.Missing = []lore.Requirement{lore.RequireStanding}
	if j.lead.evidence.Worked >= j.rules.CanonicalOwners {
		u.Tier, u.Missing = lore.TierCanonical, nil
	}
}

// retract lets a unit that no longer holds keep the words that it had, for those who relied on them, as long as a report still says them
// and they do no harm. What warns of its reports warns of them.
func (j *judgement) retract(u *lore.KnowledgeUnit) {
	items := []string{j.unitID}
	quotable := false
	for _, report := range j.Reports {
		items = append(items, report.ID)
	}
	for _, report := range j.voices {
		given := j.of(report)
		quotable = quotable || report.Summary == u.Summary && report.Content == u.Content && (given == nil || !given.harmful())
	}
	u.Warnings = j.warningsOn(true, items...)
	u.Alternatives, u.FixEvidence, u.Disputed = nil, nil, false
	if !quotable {
		u.Summary, u.Content, u.Resolution, u.WordsFrom, u.Ref, u.FixFrom, u.AsksFor = lore.Retracted, "", "", "", "", nil, nil
		return
	}
	key := lore.FixKey(u.Resolution)
	if !slices.ContainsFunc(j.all, func(f *fix) bool { return f.key == key && !f.harmful() }) {
		u.Resolution, u.FixFrom, u.AsksFor = "", nil, nil
	}
}

// said returns the reports that count or, where none is left, all of them.
func (j *judgement) said() []lore.Report {
	if len(j.counted) > 0 {
		return j.counted
	}
	return j.Reports
}

// speakers returns the reports that say of which category, ecosystem and tags a pattern or unit is: those that may speak as the service, or
// where there are none those that give the fix that leads, or all that count.
func (j *judgement) speakers() []lore.Report {
	said := j.said()
	if found := slices.DeleteFunc(slices.Clone(said), func(r lore.Report) bool { return !j.trusts(r) }); len(found) > 0 {
		return found
	}
	if j.lead != nil {
		return []lore.Report{j.speaker(j.lead)}
	}
	return said
}

// unsuperseded returns reports without those that a later one of them supersedes, unless owners with standing used them as they stand.
func unsuperseded(reports []lore.Report, used map[string]bool) []lore.Report {
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
		return superseded && by.ID != r.ID && !used[r.ID]
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
