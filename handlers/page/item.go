package page

import (
	"net/http"
	"net/url"
	"slices"

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
	Warnings   []lore.ItemWarning // shown where no flag is on the item itself: of a unit, those of its reports
	Texts      []text
	NoText     string // what stands there instead, if there is none
	Trust      *trustView
	Void       bool // withdrawn, flagged or left out of answers: nothing of it should be followed
	Facts      []fact
	Ecosystem  []string
	Tags       []string
	Entities   []string
	Names      []string // what it is met by: codes, message texts
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

// item returns the view of one item of a collection.
func (p *Page) item(c collection) func(*http.Request) (document, error) {
	return func(r *http.Request) (document, error) {
		id := r.PathValue("id")
		if !lore.ValidID(id) {
			return document{}, notFound("There is no " + c.One + " with this id")
		}
		view, err := readers[c.Kind].item(p, r, "/"+c.Path+"/"+id)
		if err != nil {
			return document{}, err
		}
		view.Collection, view.ID, view.JSON = c, id, "/"+c.Path+"/"+id
		view.Void = view.Status == lore.StatusFlagged || view.Status == string(lore.UnitWithdrawn) || lore.LeavesOut(view.Warnings)
		flags := base + "/safety-flags?" + url.Values{"target": {id}}.Encode()
		for _, warning := range view.Warnings {
			view.Notices = append(view.Notices, notice{"warn", warning.Detail, flags, "Read the flags"})
		}
		view.Notices = byLevel(view.Notices)
		if view.Title == "" {
			view.Title = "(no summary)"
		}
		if view.NoText == "" {
			view.NoText = "There is no more text than the line above."
		}
		return document{Template: "item.html", Title: lore.CutAtWord(view.Title, 60), Section: c.Path, Main: view}, nil
	}
}

// reader reads what the interface has of one kind of item.
type reader struct {
	rows func(p *Page, r *http.Request, c collection, query url.Values) (results[row], error) // a page of a list
	item func(p *Page, r *http.Request, path string) (itemView, error)
}

// readers are those of all collections, by their kind.
var readers = map[string]reader{
	"knowledge":   readerOf((*Page).unitView),
	"pattern":     readerOf((*Page).patternView),
	"family":      readerOf((*Page).familyView),
	"submission":  readerOf((*Page).submissionView),
	"asset":       readerOf((*Page).assetView),
	"source":      readerOf((*Page).sourceView),
	"suggestion":  readerOf((*Page).suggestionView),
	"safety_flag": readerOf((*Page).flagView),
}

// readerOf returns the reader of one type of item, of which view makes what is shown.
func readerOf[T any](view func(*Page, *http.Request, T) (itemView, error)) reader {
	return reader{rowsOf[T], func(p *Page, r *http.Request, path string) (itemView, error) {
		item, err := read[T](p, r, path, nil)
		if err != nil {
			return itemView{}, err
		}
		return view(p, r, item)
	}}
}

// claim says what a flag holds against an item, to be read after "flagged".
func claim(reason lore.FlagReason) string {
	switch reason {
	case lore.FlagInjection:
		return "for instructing its reader"
	case lore.FlagLeak:
		return "for a leak"
	case lore.FlagMaliciousAddress:
		return "for a malicious address"
	case lore.FlagDuplicate:
		return "as a duplicate"
	}
	return "as " + words(reason)
}

// byLevel puts what a reader must know first.
func byLevel(notices []notice) []notice {
	levels := []string{"bad", "warn", "note"}
	slices.SortStableFunc(notices, func(a, b notice) int { return slices.Index(levels, a.Level) - slices.Index(levels, b.Level) })
	return notices
}
