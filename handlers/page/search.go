package page

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agentlore/ask"
	"agentlore/lore"
)

// searchParameters are what an address of the search page may hold; others, which mail programs and the like add, are
// left out.
var searchParameters = append([]string{"q", "sort", "offset", "cursor"}, filterParameters...)

// filterParameters are those that narrow a search.
var filterParameters = []string{"type", "category", "ecosystem", "tag", "family", "tier", "status", "since"}

const (
	// searchLimit is how many results a page of the search has.
	searchLimit = 10
	// maxRelevanceWindow is where paging by relevance ends: offset and limit reach it together.
	maxRelevanceWindow = 1000
	// maxQuestion is how many characters of a question the page asks about.
	maxQuestion = 2000
)

// searchView is what search.html shows.
type searchView struct {
	Query  string
	Hidden []pair // filters that the form carries on
	Start  *start // nothing was asked for

	Answer     *ask.Answer // nil: none
	Late       bool        // the results didn't come in time
	Rows       []item
	Summary    string // how much was found, in words
	LeftOut    int    // how many results were found and aren't shown
	DidYouMean string
	MeanHref   string
	Facets     []facet
	Active     []choice // filters in force, each with the address without it
	ClearHref  string   // the same query without filters
	Sorts      []choice
	Previous   string
	Next       string
	NextWord   string
}

type pair struct{ Name, Value string }

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

// search shows the search page: what was asked for, or where to begin.
func (p *Page) search(r *http.Request) (document, error) {
	asked := known(r.URL.Query(), searchParameters)
	if len(asked) == 0 {
		return p.startPage(r)
	}
	if q := asked.Get("q"); q != "" { // it stands in the page and in each of its links
		asked.Set("q", p.Scrub(q))
	}
	query := url.Values{"limit": {strconv.Itoa(searchLimit)}, "facets": {"true"}, "group": {"problem"}}
	for name := range asked {
		query.Set(name, asked.Get(name))
	}
	query.Set("q", firstCharacters(asked.Get("q"), lore.MaxQueryLength))
	narrowed := slices.ContainsFunc(append(filterParameters, "sort", "offset", "cursor"), asked.Has)
	var found results
	var answer ask.Answer
	var err, unanswered error
	reads := []func(){func() { found, err = p.readList(r, searchPath, query) }}
	if asked.Has("q") && !narrowed { // a question, and not a list that is narrowed or paged
		question := url.Values{"q": {firstCharacters(asked.Get("q"), maxQuestion)}}
		reads = append(reads, func() { answer, unanswered = read[ask.Answer](p, r, "/ask", question) })
	}
	atOnce(reads...)
	if err != nil && (!isLate(err) || answer.Problem == nil) {
		return document{}, err
	}
	view := searchView{
		Query: asked.Get("q"), Rows: found.Results, LeftOut: found.LeftOut.Flagged, DidYouMean: found.DidYouMean,
		MeanHref: home(asked, "q", found.DidYouMean), Summary: "Nothing found", Late: err != nil,
	}
	if view.Late {
		view.Summary = "Results are late"
	}
	for _, name := range append(filterParameters, "sort") {
		if asked.Has(name) {
			view.Hidden = append(view.Hidden, pair{name, asked.Get(name)})
		}
	}
	if unanswered == nil && answer.Problem != nil { // else the results say as much
		view.Answer = &answer
	}
	if len(found.Results) > 0 {
		view.Summary = plural(found.Total, "result", "results") + " in " + number(found.TookMS) + " ms"
		if view.Query == "" {
			view.Summary = plural(found.Total, "item", "items") + ", newest first"
		}
		if found.TotalRelation == "gte" {
			view.Summary = "More than " + view.Summary
		}
	}
	view.paging(asked, found)
	view.narrowing(asked, found.Facets)
	title := cmp.Or(view.Query, "Newest")
	return document{Template: "search.html", Title: lore.CutAtWord(title, 60), Section: "search", Main: view, Vary: "Accept"}, nil
}

// firstCharacters returns at most so many characters of a text, from its beginning.
func firstCharacters(text string, most int) string {
	characters := []rune(text)
	return string(characters[:min(len(characters), most)])
}

// known returns the parameters that have a value, of those that there are.
func known(given url.Values, names []string) url.Values {
	asked := url.Values{}
	for _, name := range names {
		if value := strings.TrimSpace(given.Get(name)); value != "" {
			asked.Set(name, value)
		}
	}
	return asked
}

// paging links to the pages before and after. By relevance pages go by offset; by time they go by cursor, which reaches
// the end and doesn't slip while items arrive.
func (v *searchView) paging(asked url.Values, found results) {
	next := found.Offset + searchLimit
	switch {
	case found.NextCursor != "":
		v.Next, v.NextWord = home(asked, "cursor", found.NextCursor), "Older"
	case int64(next) < found.Total && next+searchLimit <= maxRelevanceWindow && !asked.Has("cursor"):
		v.Next, v.NextWord = home(asked, "offset", strconv.Itoa(next)), "Next"
	}
	switch {
	case asked.Has("cursor"):
		v.Previous = home(asked, "", "")
	case found.Offset > searchLimit:
		v.Previous = home(asked, "offset", strconv.Itoa(found.Offset-searchLimit))
	case found.Offset > 0:
		v.Previous = home(asked, "", "")
	}
}

// home returns the address of a search with one parameter changed, from its first page.
func home(asked url.Values, name, value string) string {
	query := known(asked, slices.Concat([]string{"q", "sort"}, filterParameters))
	if query.Set(name, value); value == "" {
		query.Del(name)
	}
	return strings.TrimSuffix("/?"+query.Encode(), "?")
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
	for _, name := range filterParameters {
		if asked.Has(name) {
			v.Active = append(v.Active, choice{Label: name + ": " + valueLabel(name, asked.Get(name)), Href: home(asked, name, "")})
		}
	}
	v.ClearHref = home(known(asked, []string{"q", "sort"}), "", "")
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
	case "type", "kind":
		return words(value)
	}
	return value
}
