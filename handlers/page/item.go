package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"agentlore/lore"
)

// itemView is what item.html shows: an item of whatever type.
type itemView struct {
	Collection collection
	ID         string
	JSON       string // where the interface has it
	Title      string
	Category   lore.Category
	Tier       lore.Tier
	Status     string
	Notices    []notice
	Texts      []text
	Trust      *trustView
	Facts      []fact
	Ecosystem  []string
	Tags       []string
	Entities   []string
	Lists      []rowList
}

// notice is what a reader must know before anything else.
type notice struct {
	Level string // bad, warn or note
	Text  string
	Href  string
	Link  string
}

// text is one of the item's texts.
type text struct {
	Name   string
	Text   string
	Answer bool // what to do, which readers look for first
}

// fact is a line of an item's small print.
type fact struct {
	Name  string
	Value string
	Href  string // of ours
	Web   string // of others
	Time  string // for machines
}

// rowList are items that belong to an item.
type rowList struct {
	Title string
	Note  string
	Rows  []row
	More  string
}

// relatedLimit is how many related items are shown.
const relatedLimit = 5

// item returns the view of one item of a collection.
func (p *Page) item(c collection) func(*http.Request) (document, error) {
	return func(r *http.Request) (document, error) {
		id := r.PathValue("id")
		if !lore.ValidID(id) {
			return document{}, notFound("There is no " + c.One + " with this id")
		}
		view, err := p.readItem(r, c, id)
		if err != nil {
			return document{}, err
		}
		view.Collection, view.ID, view.JSON = c, id, "/"+c.Path+"/"+id
		if view.Title == "" {
			view.Title = "(no summary)"
		}
		return document{Template: "item.html", Title: lore.CutAtWord(view.Title, 60), Section: c.Path, Main: view}, nil
	}
}

// readItem reads an item and what belongs to it.
func (p *Page) readItem(r *http.Request, c collection, id string) (itemView, error) {
	path := "/" + c.Path + "/" + id
	switch c.Kind {
	case "knowledge_unit":
		return viewOf(p, r, path, p.unitView)
	case "pattern":
		return viewOf(p, r, path, p.patternView)
	case "submission":
		return viewOf(p, r, path, p.submissionView)
	case "asset":
		return viewOf(p, r, path, p.assetView)
	case "source":
		return viewOf(p, r, path, p.sourceView)
	case "suggestion":
		return viewOf(p, r, path, p.suggestionView)
	}
	return viewOf(p, r, path, p.flagView)
}

// viewOf reads an item of one type and makes its view.
func viewOf[T any](p *Page, r *http.Request, path string, make func(*http.Request, T) (itemView, error)) (itemView, error) {
	item, err := read[T](p, r, path, nil)
	if err != nil {
		return itemView{}, err
	}
	return make(r, item)
}

// related searches for items that say something like a text, but for those that are shown already. What is related is
// an extra: without it the page still serves, so that its failure is none of the page's.
func (p *Page) related(r *http.Request, view *itemView, title, text, kind string, but ...string) {
	words := []rune(text)
	query := url.Values{"q": {string(words[:min(len(words), lore.MaxQueryLength)])}, "limit": {strconv.Itoa(2*relatedLimit + len(but))}}
	if kind != "" {
		query.Set("type", kind)
	}
	found, err := read[searchBody](p, r, "/search/all", query)
	if err != nil {
		return
	}
	left := map[string]bool{}
	for _, list := range view.Lists {
		for _, row := range list.Rows {
			left[row.Href] = true
		}
	}
	list := rowList{Title: title}
	for _, hit := range found.Results {
		hit.Snippet = ""
		row := hitRow(hit, nil)
		if !left[row.Href] && !slices.Contains(but, hit.ID) && len(list.Rows) < relatedLimit {
			list.Rows = append(list.Rows, row)
		}
	}
	if len(list.Rows) > 0 {
		view.Lists = append(view.Lists, list)
	}
}

// reports lists submissions of a source or pattern.
func (p *Page) reports(r *http.Request, view *itemView, title, note, parameter, id, but string) {
	query := url.Values{parameter: {id}, "limit": {strconv.Itoa(relatedLimit + 1)}}
	found, err := rowsOf[lore.Submission](p, r, collectionOf("submission"), query)
	if err != nil {
		return
	}
	list := rowList{Title: title, Note: note}
	for _, row := range found.Results {
		if row.Href != collectionOf("submission").href(but) && len(list.Rows) < relatedLimit {
			list.Rows = append(list.Rows, row)
		}
	}
	if found.Total > int64(len(list.Rows)) && len(list.Rows) > 0 {
		list.More = base + "/submissions?" + url.Values{parameter: {id}}.Encode()
	}
	if len(list.Rows) > 0 {
		view.Lists = append(view.Lists, list)
	}
}

// sourceFact returns a fact that names a source. A source that can't be read now is named by its id.
func (p *Page) sourceFact(r *http.Request, name, id string) fact {
	shown := fact{Name: name, Value: shortID(id), Href: collectionOf("source").href(id)}
	if source, err := read[lore.Source](p, r, "/sources/"+id, nil); err == nil {
		shown.Value = source.Name
	}
	return shown
}
