package page

import (
	"net/http"
	"net/url"

	"agentlore/lore"
)

// librariesView is what libraries.html shows.
type librariesView struct {
	Ecosystem string
	Shelves   []shelf
	Units     int64
}

// shelf is the validated knowledge of one ecosystem.
type shelf struct {
	Ecosystem string // empty: holds everywhere
	Libraries []libraryView
}

// libraryView is one category of a shelf.
type libraryView struct {
	Category lore.Category
	Count    int64
	Best     []row
	All      string
}

// libraries shows validated knowledge by ecosystem and category.
func (p *Page) libraries(r *http.Request) (document, error) {
	asked := known(r.URL.Query(), []string{"ecosystem"})
	found, err := read[results[lore.Library]](p, r, "/libraries", asked)
	if err != nil {
		return document{}, err
	}
	view := librariesView{Ecosystem: asked.Get("ecosystem")}
	for _, library := range found.Results {
		if len(view.Shelves) == 0 || view.Shelves[len(view.Shelves)-1].Ecosystem != library.Ecosystem {
			view.Shelves = append(view.Shelves, shelf{Ecosystem: library.Ecosystem})
		}
		all := url.Values{"category": {string(library.Category)}}
		if library.Ecosystem != "" {
			all.Set("ecosystem", library.Ecosystem)
		}
		shown := libraryView{Category: library.Category, Count: library.Count, All: base + "/knowledge?" + all.Encode()}
		for _, unit := range library.Best {
			shown.Best = append(shown.Best, rowOf(unit))
		}
		last := &view.Shelves[len(view.Shelves)-1]
		last.Libraries = append(last.Libraries, shown)
		view.Units += library.Count
	}
	return document{Template: "libraries.html", Title: "Libraries", Section: "libraries", Main: view}, nil
}
