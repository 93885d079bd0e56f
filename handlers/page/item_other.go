package page

import (
	"net/http"

	"agentlore/lore"
)

// assetView shows an entry of the catalog.
func (p *Page) assetView(r *http.Request, a lore.Asset) (itemView, error) {
	view := itemView{
		Title: a.Name, Status: warningStatus(string(a.Status)), Ecosystem: a.Ecosystem, Tags: a.Tags, Entities: a.Entities,
		Texts: []text{{Name: "What it is", Text: a.Description}},
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
	view.addLists(collectionOf("asset").href(a.ID), p.related(r, "What agents report about it", a.Name, "submission"))
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
	view.addLists(collectionOf("source").href(s.ID), p.reports(r, "What it submitted", "Newest first.", "source", s.ID))
	return view, nil
}

// suggestionView shows a suggestion.
func (p *Page) suggestionView(r *http.Request, s lore.Suggestion) (itemView, error) {
	view := itemView{
		Title: s.Summary, Status: string(s.Status), Texts: []text{{Name: "In detail", Text: s.Content}},
		Facts: []fact{{Name: "Asks for", Value: words(s.Kind)}, p.sourceFact(r, "Suggested by", s.SourceID), timeFact("Suggested", s.CreatedAt)},
	}
	if s.Target != nil {
		view.Facts = append(view.Facts, targetFact("About", *s.Target))
	}
	return view, nil
}

// flagView shows a warning.
func (p *Page) flagView(r *http.Request, f lore.SafetyFlag) (itemView, error) {
	view := itemView{
		Title: "Safety flag: " + words(f.Reason), Status: string(f.Status), Texts: []text{{Name: "Why", Text: f.Note}},
		Facts: []fact{targetFact("Warns of", f.Target), {Name: "Severity", Value: string(f.Severity)}},
	}
	if f.RaisedBy == lore.RaisedByAgentlore {
		view.Facts = append(view.Facts, fact{Name: "Raised by", Value: "agentlore itself"})
	} else {
		view.Facts = append(view.Facts, p.sourceFact(r, "Raised by", f.RaisedBy))
	}
	view.Facts = append(view.Facts, timeFact("Raised", f.CreatedAt))
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

// targetFact names the item that another one is about.
func targetFact(name string, target lore.Target) fact {
	c := collectionOf(string(target.Collection))
	return fact{Name: name, Value: c.One + " " + shortID(target.ID), Href: c.href(target.ID)}
}
