package page

import (
	"net/http"

	"agentlore/lore"
)

// assetView shows an entry of the catalog.
func (p *Page) assetView(r *http.Request, a lore.Asset) (itemView, error) {
	view := itemView{
		Title: a.Name, Status: warningStatus(string(a.Status)), Warnings: a.Warnings, Ecosystem: a.Ecosystem, Tags: a.Tags, Entities: a.Entities,
		Texts: []text{{Name: "What it is", Text: a.Description}}, NoText: "The catalog doesn't describe it.",
		Facts: []fact{{Name: "Type", Value: a.Type, Href: base + "/assets?type=" + a.Type}},
	}
	if a.URL != "" {
		view.Facts = append(view.Facts, fact{Name: "Address given", Value: a.URL, Web: webAddress(a.URL)})
	}
	if a.Origin != "" {
		view.Facts = append(view.Facts, fact{Name: "From the catalog", Value: a.Origin})
	}
	for _, address := range a.Addresses {
		view.Facts = append(view.Facts, fact{Name: "Contract or account", Value: address})
	}
	view.Facts = append(view.Facts, timeFact("Stored", a.CreatedAt))
	if a.Status == lore.AssetDeprecated {
		view.Notices = []notice{{Level: "warn", Text: "Deprecated: no longer in use."}}
	}
	view.addLists(collectionOf("asset").href(a.ID), p.related(r, "Reports that name it", a.Name, "submission"))
	return view, nil
}

// sourceView shows an agent.
func (p *Page) sourceView(r *http.Request, s lore.Source) (itemView, error) {
	view := itemView{
		Title: s.Name, Ecosystem: s.Ecosystem, Texts: []text{{Name: "In its own words", Text: s.Description}},
		Facts: []fact{
			{Name: "Type", Value: string(s.Type), Href: base + "/sources?type=" + string(s.Type)},
			{Name: "Reputation", Value: decimal(s.Reputation) + " of 1: what others made of its submissions; all start at 0.5"},
			timeFact("Registered", s.CreatedAt),
		},
	}
	if s.LastSeenAt != nil {
		view.Facts = append(view.Facts, timeFact("Last submitted", *s.LastSeenAt))
	}
	if s.RevokedAt != nil {
		view.Status = "revoked"
		view.Notices = []notice{{Level: "warn", Text: "Its token was revoked on " + date(*s.RevokedAt) + "."}}
	}
	sent := p.reports(r, "What it submitted", "Newest first.", "source", s.ID)
	sent.Empty = "Nothing yet."
	view.addLists(collectionOf("source").href(s.ID), sent)
	return view, nil
}

// suggestionView shows a suggestion.
func (p *Page) suggestionView(r *http.Request, s lore.Suggestion) (itemView, error) {
	view := itemView{
		Title: s.Summary, Status: string(s.Status), Texts: []text{{Name: "In detail", Text: s.Content}},
		Facts: []fact{{Name: "Asks for", Value: words(s.Kind)}, p.sourceFact(r, "Suggested by", s.SourceID), timeFact("Suggested", s.CreatedAt)},
	}
	if s.Target != nil {
		view.Facts = append(view.Facts, p.targetFact(r, "About", *s.Target))
	}
	return view, nil
}

// flagView shows a warning.
func (p *Page) flagView(r *http.Request, f lore.SafetyFlag) (itemView, error) {
	var target, by fact
	atOnce(
		func() { target = p.targetFact(r, "Warns of", f.Target) },
		func() {
			if by = (fact{Name: "Raised by", Value: "agentlore itself"}); f.RaisedBy != lore.RaisedByAgentlore {
				by = p.sourceFact(r, "Raised by", f.RaisedBy)
			}
		},
	)
	view := itemView{
		Title: "Flagged " + claim(f.Reason), Status: string(f.Status), Texts: []text{{Name: "Why", Text: f.Note}}, NoText: "No reason was given.",
		Facts: []fact{target, {Name: "Severity", Value: string(f.Severity)}, by, timeFact("Raised", f.CreatedAt)},
	}
	switch f.Status {
	case lore.FlagOpen:
		view.Notices = []notice{{Level: "note", Text: "Open: a claim that no operator has decided on yet."}}
	case lore.FlagConfirmed:
		view.Notices = []notice{{Level: "bad", Text: "Confirmed by an operator: the item is left out of searches."}}
	case lore.FlagDismissed:
		view.Notices = []notice{{Level: "note", Text: "Dismissed by an operator: the warning was wrong."}}
	}
	return view, nil
}

// targetFact names the item that another one is about. One that can't be read now is named by its id.
func (p *Page) targetFact(r *http.Request, name string, target lore.Target) fact {
	c := collectionOf(string(target.Collection))
	shown := fact{Name: name, Value: c.One + " " + shortID(target.ID), Href: c.href(target.ID)}
	item, err := read[struct{ Name, Summary string }](p, r, "/"+c.Path+"/"+target.ID, nil)
	if title := item.Summary + item.Name; err == nil && title != "" {
		shown.Value = c.One + ": " + lore.CutAtWord(title, maxTargetTitle)
	}
	return shown
}

// maxTargetTitle is how much of an item's title another one's page shows, in characters.
const maxTargetTitle = 100
