package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"agentlore/lore"
)

// atOnce runs functions beside each other and returns when all have ended: a page waits for the slowest of its requests, not for their
// sum. A panic of one is raised again here, where the server answers for it.
func atOnce(functions ...func()) {
	var group sync.WaitGroup
	panics := make([]any, len(functions))
	for i, run := range functions {
		group.Go(func() {
			defer func() { panics[i] = recover() }()
			run()
		})
	}
	group.Wait()
	for _, raised := range panics {
		if raised != nil {
			panic(raised)
		}
	}
}

// rowList are items that belong to an item.
type rowList struct {
	Title string
	Note  string
	Rows  []row
	Total int    // how many there are; Rows may be fewer
	Some  bool   // there are more than Total, which nobody counted
	More  string // where all are
	Empty string // what stands there if there are none; the list is left out without it
	Unit  string // the knowledge unit that one of the reports is part of
}

// relatedLimit is how many items a list beside an item shows.
const relatedLimit = 5

// addLists adds what isn't empty, at most relatedLimit items of a list, each once, and not the item itself.
func (v *itemView) addLists(own string, lists ...rowList) {
	shown := map[string]bool{own: true}
	for _, list := range lists {
		var rows []row
		for _, row := range list.Rows {
			if !shown[row.Href] && len(rows) < relatedLimit {
				shown[row.Href] = true
				rows = append(rows, row)
			}
		}
		if list.Rows = rows; len(rows) > 0 || list.Empty != "" {
			v.Lists = append(v.Lists, list)
		}
	}
}

// related searches for items that say something like a text, but for those with certain ids. What is related is an extra:
// without it the page still serves, so that its failure is none of the page's.
func (p *Page) related(r *http.Request, title, text, kind string, but ...string) rowList {
	words := []rune(text)
	query := url.Values{
		"q":     {string(words[:min(len(words), lore.MaxQueryLength)])},
		"limit": {strconv.Itoa(2*relatedLimit + len(but) + 1)}, // the item itself is found, and what other lists show
	}
	if kind != "" {
		query.Set("type", kind)
	}
	found, err := read[searchBody](p, r, "/search/all", query)
	if err != nil {
		return rowList{}
	}
	list := rowList{Title: title}
	for _, hit := range found.Results {
		if hit.Snippet = ""; !slices.Contains(but, hit.ID) {
			list.Rows = append(list.Rows, hitRow(hit))
		}
	}
	return list
}

// reports lists submissions of a source or pattern.
func (p *Page) reports(r *http.Request, title, note, parameter, id string) rowList {
	query := url.Values{parameter: {id}, "limit": {strconv.Itoa(relatedLimit + 1)}} // the item itself may be one of them
	found, err := read[results[lore.Submission]](p, r, "/submissions", query)
	if err != nil {
		return rowList{}
	}
	list := rowList{
		Title: title, Note: note, Total: int(found.Total), Some: found.TotalRelation == "gte",
		More: base + "/submissions?" + url.Values{parameter: {id}}.Encode(),
	}
	for _, s := range found.Results {
		list.Rows = append(list.Rows, rowOf(s))
		if s.KnowledgeUnitID != "" {
			list.Unit = s.KnowledgeUnitID
		}
	}
	return list
}

// reportsOf lists the submissions of a pattern, or, where there are none, those that are named.
func (p *Page) reportsOf(r *http.Request, title, note, pattern string, named []string) rowList {
	if pattern != "" {
		if list := p.reports(r, title, note, "pattern", pattern); len(list.Rows) > 0 {
			return list
		}
	}
	return p.evidence(r, title, note, named)
}

// evidence lists submissions by their ids.
func (p *Page) evidence(r *http.Request, title, note string, ids []string) rowList {
	ids = ids[:min(len(ids), relatedLimit)]
	rows := make([]row, len(ids))
	var reads []func()
	for i, id := range ids {
		reads = append(reads, func() {
			if s, err := read[lore.Submission](p, r, "/submissions/"+id, nil); err == nil {
				rows[i] = rowOf(s)
			}
		})
	}
	atOnce(reads...)
	return rowList{Title: title, Note: note, Rows: slices.DeleteFunc(rows, func(r row) bool { return r.Href == "" })}
}

// sourceFact returns a fact that names a source. A source that can't be read now is named by its id.
func (p *Page) sourceFact(r *http.Request, name, id string) fact {
	shown := fact{Name: name, Value: shortID(id), Href: collectionOf("source").href(id)}
	if source, err := read[lore.Source](p, r, "/sources/"+id, nil); err == nil {
		shown.Value = source.Name
	}
	return shown
}
