package page

import (
	"net/url"
	"slices"

	"agentlore/lore"
)

// facet is a field by which results can be narrowed.
type facet struct {
	Name    string
	Choices []choice
	More    []choice // those beyond the first few
}

// choice is a value that can be chosen, or taken back.
type choice struct {
	Label  string
	Href   string
	Count  int64
	Chosen bool
}

// facetsShown are the facets in their order, and facetFew how many values of each are shown at once.
var facetsShown = []struct{ parameter, name string }{{"type", "Type"}, {"category", "Category"}, {"ecosystem", "Ecosystem"}, {"tier", "Tier"}}

const facetFew = 7

// narrowing adds facets, filters in force and sort orders to the view.
func (v *searchView) narrowing(asked url.Values, counts map[string][]lore.FacetCount) {
	for _, shown := range facetsShown {
		f := facet{Name: shown.name}
		for _, counted := range counts[shown.parameter] {
			c := choice{Label: valueLabel(shown.parameter, counted.Value), Count: counted.Count, Href: home(asked, shown.parameter, counted.Value)}
			if asked.Get(shown.parameter) == counted.Value {
				c.Chosen, c.Href = true, home(asked, shown.parameter, "")
			}
			if len(f.Choices) < facetFew || c.Chosen {
				f.Choices = append(f.Choices, c)
			} else {
				f.More = append(f.More, c)
			}
		}
		if len(f.Choices) > 0 {
			v.Facets = append(v.Facets, f)
		}
	}
	clear := asked
	for _, name := range filterParameters {
		if asked.Has(name) {
			v.Active = append(v.Active, choice{Label: name + ": " + valueLabel(name, asked.Get(name)), Href: home(asked, name, "")})
			clear = known(clear, without(searchParameters, name))
		}
	}
	v.ClearHref = home(clear, "", "")
	if v.Query != "" {
		newest := asked.Get("sort") == "newest"
		v.Sorts = []choice{{Label: "Best", Href: home(asked, "sort", ""), Chosen: !newest}, {Label: "Newest", Href: home(asked, "sort", "newest"), Chosen: newest}}
	}
}

// valueLabel says a parameter's value in words.
func valueLabel(parameter, value string) string {
	switch parameter {
	case "tier":
		return value + " " + tierName(value)
	case "type":
		return words(value)
	}
	return value
}

func without(names []string, left string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == left })
}
