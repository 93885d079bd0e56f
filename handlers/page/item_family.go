package page

import (
	"net/http"
	"net/url"
	"strconv"

	"agentlore/lore"
)

// familyView shows a family.
func (p *Page) familyView(r *http.Request, f lore.Family) (itemView, error) {
	view := itemView{
		Title: f.Summary, Category: f.Category, Ecosystem: f.Ecosystem,
		Texts:  []text{{Name: "What to do", Text: f.Resolution, Answer: true}, {Name: "Why it happens", Text: f.Content}},
		NoText: "The reference library doesn't know this kind: its problems say what was seen, and what to do.",
		Facts: []fact{
			{Name: "Reported", Value: plural(f.Reports, "report", "reports") + " by " + plural(f.Owners, "independent owner", "independent owners")},
			{Name: "Found in", Value: plural(f.Projects, "project", "projects") + " that reports name"},
			timeFact("First reported", f.FirstSeenAt), timeFact("Last reported", f.LastSeenAt),
		},
	}
	if f.KnowledgeUnitID != "" {
		view.Facts = append(view.Facts, fact{Name: "Words from", Value: "the reference library", Href: collectionOf("knowledge").href(f.KnowledgeUnitID)})
	}
	for i := len(f.Months) - 1; i >= max(0, len(f.Months)-monthsShown); i-- {
		view.Facts = append(view.Facts, fact{Name: f.Months[i].Month, Value: plural(f.Months[i].Reports, "report", "reports")})
	}
	var patterns, reports rowList
	atOnce(
		func() {
			found, err := rowsOf[lore.Pattern](p, r, collectionOf("pattern"), url.Values{"family": {f.ID}, "limit": {strconv.Itoa(relatedLimit)}})
			if err == nil {
				more := base + "/patterns?" + url.Values{"family": {f.ID}}.Encode()
				patterns = rowList{Title: "Problems", Note: "Patterns of the family.", Rows: found.Results, Total: int(found.Total), More: more}
			}
		},
		func() { reports = p.reports(r, "Reports", "Newest first.", "family", f.ID) },
	)
	view.addLists(collectionOf("family").href(f.ID), patterns, reports)
	return view, nil
}

// monthsShown is how many months a family's page tells of.
const monthsShown = 12
