package page

import (
	"net/http"
	"slices"
	"time"

	"agentlore/lore"
)

// submissionView shows a submission.
func (p *Page) submissionView(r *http.Request, s lore.Submission) (itemView, error) {
	view := itemView{
		Title: s.Summary, Category: s.Category, Tier: s.Tier, Status: s.Status, Warnings: s.Warnings, Notices: standing(s.Status),
		Texts:     []text{{Name: "What was seen", Text: s.Content}, {Name: "What solved it", Text: s.Resolution, Answer: true}},
		Ecosystem: listOf(s.Ecosystem), Tags: s.Tags, Entities: s.Entities,
		Trust: &trustView{
			Ladder: ladder(s.Tier), Outcomes: s.Outcomes, Score: s.Score, Parts: sorted(s.ScoreParts), Missing: missing(s.Missing), Rated: s.Usefulness,
		},
	}
	if slices.Contains(s.Tags, lore.InvalidTag) {
		view.Notices = append(view.Notices, notice{Level: "warn", Text: "Those who judged this report called it invalid."})
	}
	if s.KnowledgeUnitID != "" {
		view.Notices = append(view.Notices, notice{"note", "This report became part of verified knowledge.", collectionOf("knowledge").href(s.KnowledgeUnitID), "Read the knowledge unit"})
	}
	if s.FamilyID != "" {
		view.Notices = append(view.Notices, notice{"note", "It is a case of a kind that other projects have too: " + s.FamilyWhy + ".", collectionOf("family").href(s.FamilyID), "See the family"})
	}
	if s.PatternID != "" {
		view.Notices = append(view.Notices, notice{"note", "Other agents reported the same.", collectionOf("pattern").href(s.PatternID), "See the pattern"})
	}
	var by fact
	var others, related rowList
	atOnce(
		func() { by = p.sourceFact(r, "Submitted by", s.SourceID) },
		func() { related = p.related(r, "Related", s.Summary, "") },
		func() {
			if s.PatternID != "" {
				others = p.reports(r, "Others who reported the same", "", "pattern", s.PatternID)
			}
		},
	)
	view.addLists(collectionOf("submission").href(s.ID), others, related)
	view.Facts = append(view.Facts, by, timeFact("Submitted", s.CreatedAt))
	if s.LastConfirmedAt != nil {
		view.Facts = append(view.Facts, timeFact("Last confirmed", *s.LastConfirmedAt))
	}
	if s.ClassifiedBy == lore.ByAgentlore {
		view.Facts = append(view.Facts, fact{Name: "Category chosen by", Value: "agentlore, from its words"})
	}
	if s.Ref != "" {
		view.Facts = append(view.Facts, fact{Name: "Came from", Value: s.Ref, Web: webAddress(s.Ref)})
	}
	if len(s.Scrubbed) > 0 {
		view.Facts = append(view.Facts, fact{Name: "Removed before storing", Value: removed(s.Scrubbed)})
	}
	return view, nil
}

// unitView shows a knowledge unit.
func (p *Page) unitView(r *http.Request, u lore.KnowledgeUnit) (itemView, error) {
	view := itemView{
		Title: u.Summary, Category: u.Category, Tier: u.Tier, Status: warningStatus(string(u.Status)), Warnings: u.Warnings, Notices: standing(string(u.Status)),
		Texts: []text{
			{Name: "What to do", Text: u.Resolution, Answer: true}, {Name: "What is known", Text: u.Content}, {Name: "Holds for", Text: u.Applies},
		},
		Names:     u.Names,
		Ecosystem: u.Ecosystem, Tags: u.Tags, Entities: u.Entities,
		Trust: &trustView{
			Ladder: ladder(u.Tier), Confidence: &u.Confidence, Evidence: &u.Evidence, Outcomes: &u.Outcomes,
			Parts: sorted(u.ScoreParts), Missing: missing(u.Missing),
		},
		Facts: []fact{timeFact("First reported", u.FirstSeenAt), timeFact("Last reported", u.LastSeenAt), timeFact("Verified", u.PromotedAt)},
	}
	if u.Reference != nil {
		view.Trust.Library = true
		if u.Evidence.Submissions == 0 {
			view.Trust.Evidence = nil
		}
		view.Facts = []fact{
			{Name: "Stated by", Value: u.Reference.URL, Web: webAddress(u.Reference.URL)}, {Name: "Looked up", Value: u.Reference.Checked},
			timeFact("In the library since", u.CreatedAt),
		}
	}
	for _, part := range u.ScoreParts {
		view.Trust.Score += part
	}
	if u.LastConfirmedAt != nil {
		view.Facts = append(view.Facts, timeFact("Last confirmed", *u.LastConfirmedAt))
	}
	if u.SupersededBy != "" {
		view.Notices = append(view.Notices, notice{"warn", "A newer unit replaces this one.", collectionOf("knowledge").href(u.SupersededBy), "Read the newer unit"})
	}
	if u.PatternID != "" {
		view.Facts = append(view.Facts, fact{Name: "Grew from", Value: "pattern " + shortID(u.PatternID), Href: collectionOf("pattern").href(u.PatternID)})
	}
	var evidence, related rowList
	atOnce(
		func() {
			evidence = p.reportsOf(r, "Evidence", "The reports that it rests on.", u.PatternID, u.Evidence.SubmissionIDs)
		},
		func() { related = p.related(r, "Related", u.Summary, "", u.Evidence.SubmissionIDs...) },
	)
	view.addLists(collectionOf("knowledge").href(u.ID), evidence, related)
	return view, nil
}

// patternView shows a pattern.
func (p *Page) patternView(r *http.Request, t lore.Pattern) (itemView, error) {
	view := itemView{
		Title: t.Summary, Category: t.Category, Tier: t.Tier, Status: string(t.Status), Warnings: t.Warnings,
		Texts:     []text{{Name: "Best resolution reported", Text: t.Resolution, Answer: true}, {Name: "What was seen", Text: t.Content}},
		Ecosystem: t.Ecosystem, Tags: t.Tags, Entities: t.Entities,
		Trust: &trustView{
			Ladder: ladder(t.Tier), Missing: missing(t.Missing),
			Evidence: &lore.Evidence{Submissions: t.Reports, Sources: t.Sources, Owners: t.Owners},
		},
		Facts: []fact{timeFact("First reported", t.FirstSeenAt), timeFact("Last reported", t.LastSeenAt), timeFact("Detected", t.CreatedAt)},
	}
	if t.FamilyID != "" {
		view.Notices = append(view.Notices, notice{"note", "It is a case of a kind that other projects have too.", collectionOf("family").href(t.FamilyID), "See the family"})
	}
	switch t.Status {
	case lore.PatternEmerging:
		view.Facts = append(view.Facts, fact{Name: "Emerging", Value: "two independent owners report it; three make it established"})
	case lore.PatternEstablished:
		view.Facts = append(view.Facts, fact{Name: "Established", Value: "three or more independent owners report it"})
	}
	if t.OverCorrelating {
		view.Notices = append(view.Notices, notice{Level: "warn", Text: "So many reports fell into this pattern that it says little. It is kept out of knowledge."})
	}
	var reports, related rowList
	atOnce(
		func() {
			reports = p.reportsOf(r, "Reports", "What independent agents wrote, newest first.", t.ID, t.ExampleIDs)
		},
		func() { related = p.related(r, "Related", t.Summary, "", t.ExampleIDs...) },
	)
	if reports.Unit != "" {
		view.Notices = append(view.Notices, notice{"note", "What it says has become verified knowledge.", collectionOf("knowledge").href(reports.Unit), "Read the knowledge unit"})
	}
	view.addLists(collectionOf("pattern").href(t.ID), reports, related)
	return view, nil
}

// standing says what a status means for somebody who wants to rely on the item.
func standing(status string) []notice {
	switch status {
	case lore.StatusFlagged:
		return []notice{{Level: "bad", Text: "Flagged: a confirmed safety flag warns of this. Don't follow it."}}
	case string(lore.UnitWithdrawn):
		return []notice{{Level: "bad", Text: "Withdrawn: this must not be relied on. It is kept so that its history can be read."}}
	case string(lore.UnitSuperseded):
		return []notice{{Level: "warn", Text: "Superseded: this no longer holds as it stands."}}
	}
	return nil
}

// timeFact is a fact about when something was.
func timeFact(name string, at time.Time) fact {
	if at.IsZero() {
		return fact{Name: name, Value: "unknown"}
	}
	return fact{Name: name, Value: stamp(at), Time: iso(at)}
}
