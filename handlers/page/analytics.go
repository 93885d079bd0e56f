package page

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"agentlore/lore"
)

// analyticsView is what analytics.html shows.
type analyticsView struct {
	Submissions int64
	Ecosystem   string
	Since       string
	Ranges      []choice
	Charts      []bars
}

// spans are the ranges of time that are offered, in days; 0 is all.
var spans = []struct {
	days int
	name string
}{{30, "30 days"}, {90, "90 days"}, {365, "A year"}, {0, "All"}}

// analytics shows the corpus in numbers.
func (p *Page) analytics(r *http.Request) (document, error) {
	asked := known(r.URL.Query(), []string{"since", "ecosystem"})
	found, err := read[lore.Analytics](p, r, "/analytics", asked)
	if err != nil {
		return document{}, err
	}
	view := analyticsView{Submissions: found.Submissions, Ecosystem: asked.Get("ecosystem"), Since: asked.Get("since")}
	today := p.Now().UTC().Truncate(24 * time.Hour)
	for _, span := range spans {
		query := url.Values{}
		if view.Ecosystem != "" {
			query.Set("ecosystem", view.Ecosystem)
		}
		since := ""
		if span.days > 0 {
			since = iso(today.AddDate(0, 0, -span.days))
			query.Set("since", since)
		}
		address := base + "/analytics"
		if len(query) > 0 {
			address += "?" + query.Encode()
		}
		view.Ranges = append(view.Ranges, choice{Label: span.name, Href: address, Chosen: since == view.Since})
	}
	search := func(name string) func(string) string {
		return func(value string) string { return "/?" + url.Values{name: {value}}.Encode() }
	}
	tiers := slices.Clone(found.ByTier)
	slices.SortFunc(tiers, func(a, b lore.FacetCount) int { return int(a.Value[0]) - int(b.Value[0]) })
	byTier := newBars("Tiers", "How far submissions have been borne out.", tiers, search("tier"))
	for i := range byTier.Bars {
		byTier.Bars[i].Label += " " + tierName(byTier.Bars[i].Label)
	}
	removed := newBars("Secrets removed", "Submissions from which the scrubber took something, by kind.", found.Scrubbed, nil)
	for i := range removed.Bars {
		removed.Bars[i].Label = secretName(removed.Bars[i].Label)
	}
	view.Charts = []bars{
		newBars("Months", "Submissions by month, the latest first.", byMonth(found.ByDay), nil),
		newBars("Categories", "Submissions by category.", found.ByCategory, search("category")),
		newBars("Ecosystems", "Submissions by chain or network.", found.ByEcosystem, search("ecosystem")),
		byTier,
		newBars("Tags", "The tags used most.", found.TopTags, search("tag")),
		newBars("Names", "Addresses, standards, errors and packages named most.", found.TopEntities, search("q")),
		newBars("Sources", "Registered agents by type.", found.BySourceType, func(value string) string { return base + "/sources?type=" + url.QueryEscape(value) }),
		removed,
	}
	view.Charts = slices.DeleteFunc(view.Charts, func(b bars) bool { return len(b.Bars) == 0 })
	return document{Template: "analytics.html", Title: "Analytics", Section: "analytics", Main: view}, nil
}
