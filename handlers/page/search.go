package page

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"agentlore/lore"
)

// searchParameters are what an address of the search page may hold; others, which mail programs and the like add, are
// left out.
var searchParameters = []string{"q", "type", "category", "ecosystem", "tag", "family", "tier", "status", "since", "sort", "offset", "cursor"}

// filterParameters are those that narrow a search.
var filterParameters = []string{"type", "category", "ecosystem", "tag", "family", "tier", "status", "since"}

// searchLimit is how many results a page of the search has.
const searchLimit = 10

// deepestOffset is where paging by relevance ends: offset and limit reach 1,000 together.
const deepestOffset = 1000 - searchLimit

// searchBody is the interface's answer to a search.
type searchBody struct {
	results[lore.SearchHit]
	DidYouMean string `json:"did_you_mean"`
	LeftOut    struct {
		Flagged int `json:"flagged"`
	} `json:"left_out"`
	Facets map[string][]lore.FacetCount `json:"facets"`
	TookMS int64                        `json:"took_ms"`
}

// searchView is what search.html shows.
type searchView struct {
	Query  string
	Hidden []pair // filters that the form carries on
	Start  *start // nothing was asked for

	Answer     *answerView // nil: none
	Rows       []row
	Summary    string // how much was found, in words
	From       int64  // number of the first result, from 1
	LeftOut    string // what was found and isn't shown, in words
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

// search shows the search page: what was asked for, or where to begin.
func (p *Page) search(r *http.Request) (document, error) {
	asked := known(r.URL.Query(), searchParameters)
	if len(asked) == 0 {
		return p.startPage(r)
	}
	query := url.Values{"limit": {strconv.Itoa(searchLimit)}, "facets": {"true"}, "group": {"problem"}}
	for name := range asked {
		query.Set(name, asked.Get(name))
	}
	if q := []rune(asked.Get("q")); len(q) > lore.MaxQueryLength {
		query.Set("q", string(q[:lore.MaxQueryLength]))
	}
	found, err := read[searchBody](p, r, "/search/all", query)
	if err != nil {
		return document{}, err
	}
	view := searchView{Query: asked.Get("q"), DidYouMean: found.DidYouMean}
	for _, name := range append(filterParameters, "sort") {
		if asked.Has(name) {
			view.Hidden = append(view.Hidden, pair{name, asked.Get(name)})
		}
	}
	for _, hit := range found.Results {
		view.Rows = append(view.Rows, hitRow(hit))
	}
	if view.Query != "" && len(view.Hidden) == 0 && found.Offset == 0 { // a question, and not a list that is narrowed or paged
		view.Answer = p.answer(r, view.Query)
	}
	view.describe(asked, found)
	view.paging(asked, found)
	view.narrowing(asked, found.Facets)
	title := view.Query
	if title == "" {
		title = "Newest"
	}
	return document{Template: "search.html", Title: lore.CutAtWord(title, 60), Section: "search", Main: view, Vary: "Accept"}, nil
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

// describe says how much was found.
func (v *searchView) describe(asked url.Values, found searchBody) {
	atLeast := ""
	if found.TotalRelation == "gte" {
		atLeast = "More than "
	}
	v.From = int64(found.Offset) + 1
	switch {
	case len(found.Results) == 0:
		v.Summary = "Nothing found"
	case v.Query == "":
		v.Summary = atLeast + plural(found.Total, "item", "items") + ", newest first"
	default:
		v.Summary = atLeast + plural(found.Total, "result", "results") + " in " + strconv.FormatInt(found.TookMS, 10) + " ms"
	}
	if n := found.LeftOut.Flagged; n > 0 {
		v.LeftOut = plural(int64(n), "result is", "results are") + " left out"
	}
	if found.DidYouMean != "" {
		v.MeanHref = home(asked, "q", found.DidYouMean)
	}
}

// paging links to the pages before and after. By relevance pages go by offset; by time they go by cursor, which reaches
// the end and doesn't slip while items arrive.
func (v *searchView) paging(asked url.Values, found searchBody) {
	byTime := v.Query == "" || asked.Get("sort") == "newest"
	offset := found.Offset
	switch {
	case byTime && found.NextCursor != "":
		v.Next, v.NextWord = home(asked, "cursor", found.NextCursor), "Older"
	case !byTime && int64(offset+searchLimit) < found.Total && offset+searchLimit <= deepestOffset:
		v.Next, v.NextWord = home(asked, "offset", strconv.Itoa(offset+searchLimit)), "Next"
	}
	switch {
	case byTime && asked.Has("cursor"):
		v.Previous = home(asked, "", "")
		v.From = 0
	case offset > 0:
		v.Previous = home(asked, "offset", strconv.Itoa(max(0, offset-searchLimit)))
	}
	if byTime {
		v.From = 0
	}
}

// home returns the address of a search with one parameter changed, from its first page.
func home(asked url.Values, name, value string) string {
	query := url.Values{}
	for known := range asked {
		if known != "offset" && known != "cursor" {
			query.Set(known, asked.Get(known))
		}
	}
	if name != "" {
		query.Set(name, value)
	}
	if name != "" && (value == "" || name == "offset" && value == "0") {
		query.Del(name)
	}
	if len(query) == 0 {
		return "/"
	}
	return "/?" + query.Encode()
}
