package page

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"agentlore/lore"
)

// analyticsView is what analytics.html shows.
type analyticsView struct {
	Submissions int64
	Ecosystem   string
	Since       string
	Ranges      []choice
	Charts      []chart
}

// chart are counts by name. Its labels and numbers are text, so it needs no other form.
type chart struct {
	Title, Note string
	Bars        []bar
	More        []bar // beyond the first few
}

// bar is a number drawn as a bar.
type bar struct {
	Label, Href string
	Shown       string // the number
	Width       string // in per cent of the longest
	value       float64
}

// scaled returns bars with their widths.
func scaled(bars []bar) []bar {
	longest := 0.01
	for _, one := range bars {
		longest = max(longest, one.value)
	}
	for i := range bars {
		bars[i].Width = percentOf(bars[i].value / longest)
	}
	return bars
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
		query, since := known(asked, []string{"ecosystem"}), ""
		if span.days > 0 {
			since = iso(today.AddDate(0, 0, -span.days))
			query.Set("since", since)
		}
		address := strings.TrimSuffix(base+"/analytics?"+query.Encode(), "?")
		view.Ranges = append(view.Ranges, choice{Label: span.name, Href: address, Chosen: since == view.Since})
	}
	slices.Reverse(found.ByMonth)
	slices.SortFunc(found.ByTier, func(a, b lore.FacetCount) int { return strings.Compare(a.Value, b.Value) })
	for _, of := range []struct {
		title, note string
		counts      []lore.FacetCount
		parameter   string // of the values
		href        string // with what a value leads to; empty: nowhere
	}{
		{"Months", "Submissions by month, the latest first.", found.ByMonth, "month", ""},
		{"Categories", "Submissions by category.", found.ByCategory, "category", "/?category="},
		{"Ecosystems", "Submissions by chain or network.", found.ByEcosystem, "ecosystem", "/?ecosystem="},
		{"Tiers", "How far submissions have been borne out.", found.ByTier, "tier", "/?tier="},
		{"Tags", "The tags used most.", found.TopTags, "tag", "/?tag="},
		{"Names", "Addresses, standards, errors and packages named most.", found.TopEntities, "q", "/?q="},
		{"Sources", "Registered agents by type.", found.BySourceType, "source", base + "/sources?type="},
		{"Secrets removed", "Submissions from which the scrubber took something, by kind.", found.Scrubbed, "kind", ""},
	} {
		var bars []bar
		for _, counted := range of.counts {
			one := bar{Label: valueLabel(of.parameter, counted.Value), Shown: number(counted.Count), value: float64(counted.Count)}
			if of.href != "" {
				one.Href = of.href + url.QueryEscape(counted.Value)
			}
			bars = append(bars, one)
		}
		few := min(len(bars), barsShown)
		if bars = scaled(bars); few > 0 {
			view.Charts = append(view.Charts, chart{of.title, of.note, bars[:few], bars[few:]})
		}
	}
	return document{Template: "analytics.html", Title: "Analytics", Section: "analytics", Main: view}, nil
}

// barsShown is how many bars a chart shows at once.
const barsShown = 10
