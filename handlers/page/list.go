package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// listLimit is how many items a page of a list has.
const listLimit = 20

// listView is what list.html shows.
type listView struct {
	Collection collection
	Total      string
	Rows       []item
	Fields     []field
	Narrowed   []field // by a link
	Filtered   bool
	Sort       string   // empty: as the list is ordered anyway
	Sorts      []choice // none: by time alone
	Older      string
	First      string
	OlderWord  string
	FirstWord  string
}

// orders are those that a list of what is made of reports can have; the first is the interface's own.
var orders = []struct{ value, label string }{{"", "Best borne out"}, {"trending", "Trending"}, {"newest", "Newest"}}

// field is a filter with what was chosen.
type field struct {
	filter
	Value string
}

// list returns the view of a collection's list.
func (p *Page) list(c collection) func(*http.Request) (document, error) {
	var filters []string
	for _, f := range slices.Concat(c.Filters, c.Links) {
		filters = append(filters, f.Name)
	}
	ordered, ranked := slices.Clip(filters), c.Kind == "knowledge" || c.Kind == "pattern"
	if ranked {
		ordered = append(ordered, "sort")
	}
	return func(r *http.Request) (document, error) {
		asked := known(r.URL.Query(), append(slices.Clip(ordered), "cursor"))
		query := url.Values{"limit": {strconv.Itoa(listLimit)}}
		for name := range asked {
			query.Set(name, asked.Get(name))
		}
		found, err := p.readList(r, "/"+c.Path, query)
		if err != nil {
			return document{}, err
		}
		view := listView{
			Collection: c, Rows: found.Results, Total: plural(found.Total, c.One, strings.ToLower(c.Many)), Sort: asked.Get("sort"),
			OlderWord: "Older", FirstWord: "Newest",
		}
		if c.Kind == "knowledge" {
			view.Total = plural(found.Total, c.One, c.One+"s")
		}
		if found.TotalRelation == "gte" {
			view.Total = "more than " + view.Total
		}
		address := func(query url.Values) string { return strings.TrimSuffix(base+"/"+c.Path+"?"+query.Encode(), "?") }
		for _, f := range c.Filters {
			view.Fields = append(view.Fields, field{f, asked.Get(f.Name)})
		}
		for _, f := range c.Links {
			if value := asked.Get(f.Name); value != "" {
				view.Narrowed = append(view.Narrowed, field{f, value})
			}
		}
		view.Filtered = len(known(asked, filters)) > 0
		if ranked {
			view.OlderWord, view.FirstWord = "More", "First"
			for _, order := range orders {
				query := known(asked, filters)
				if order.value != "" {
					query.Set("sort", order.value)
				}
				view.Sorts = append(view.Sorts, choice{Label: order.label, Href: address(query), Chosen: order.value == view.Sort})
			}
		}
		if asked.Has("cursor") {
			view.First = address(known(asked, ordered))
		}
		if found.NextCursor != "" {
			asked.Set("cursor", found.NextCursor)
			view.Older = address(asked)
		}
		return document{Template: "list.html", Title: c.Many, Section: c.Path, Main: view}, nil
	}
}
