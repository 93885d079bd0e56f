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

// bars is a chart of counts by name. Its labels and numbers are text, so it needs no other form.
type bars struct {
	Title, Note string
	Bars        []barRow
	More        []barRow // beyond the first few
}

type barRow struct {
	Label string
	Href  string
	Count int64
	Width string // in per cent of the longest
}

// barsShown is how many bars a chart shows at once.
const barsShown = 10

// newBars returns a chart. Link says where a value leads; nil: nowhere.
func newBars(title, note string, counts []lore.FacetCount, link func(string) string) bars {
	chart := bars{Title: title, Note: note}
	var top int64 = 1
	for _, counted := range counts {
		top = max(top, counted.Count)
	}
	for _, counted := range counts {
		bar := barRow{Label: counted.Value, Count: counted.Count, Width: percentOf(float64(counted.Count) / float64(top))}
		if link != nil {
			bar.Href = link(counted.Value)
		}
		if len(chart.Bars) < barsShown {
			chart.Bars = append(chart.Bars, bar)
		} else {
			chart.More = append(chart.More, bar)
		}
	}
	return chart
}

// byMonth returns counts by day as counts by month, the latest first.
func byMonth(days []lore.FacetCount) []lore.FacetCount {
	var months []lore.FacetCount
	for _, day := range slices.Backward(days) {
		month := day.Value[:min(len(day.Value), len("2006-01"))]
		if last := len(months) - 1; last >= 0 && months[last].Value == month {
			months[last].Count += day.Count
		} else {
			months = append(months, lore.FacetCount{Value: month, Count: day.Count})
		}
	}
	return months
}
