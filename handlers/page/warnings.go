package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"agentlore/lore"
)

// warningsShown is how many safety flags an item's page shows by themselves.
const warningsShown = 3

// maxWarningNote is how much of a flag's note an item's page shows, in characters.
const maxWarningNote = 160

// warnings returns what safety flags say against an item: those confirmed first, then the open ones. Dismissed ones warn of nothing.
// Like what is related, they never fail the page.
func (p *Page) warnings(r *http.Request, c collection, id string) []notice {
	if c.Kind == "safety_flag" {
		return nil
	}
	flags := make([]results[lore.SafetyFlag], 2)
	var reads []func()
	for i, status := range []lore.FlagStatus{lore.FlagConfirmed, lore.FlagOpen} {
		query := url.Values{"target": {id}, "status": {string(status)}, "limit": {strconv.Itoa(warningsShown)}}
		reads = append(reads, func() {
			if found, err := read[results[lore.SafetyFlag]](p, r, "/safety-flags", query); err == nil {
				flags[i] = found
			}
		})
	}
	atOnce(reads...)
	var notices []notice
	for _, flag := range slices.Concat(flags[0].Results, flags[1].Results) {
		if len(notices) < warningsShown {
			notices = append(notices, warning(flag))
		}
	}
	if more := flags[0].Total + flags[1].Total - int64(len(notices)); more > 0 {
		all := base + "/safety-flags?" + url.Values{"target": {id}}.Encode()
		notices = append(notices, notice{"warn", plural(more, "more safety flag warns", "more safety flags warn") + " of this.", all, "See all"})
	}
	return notices
}

// warning says what a flag claims, and who does.
func warning(f lore.SafetyFlag) notice {
	by := "an agent"
	if f.RaisedBy == lore.RaisedByAgentlore {
		by = "agentlore itself"
	}
	text := "Safety flag by " + by + ": " + words(f.Reason) + ", " + string(f.Severity) + ". "
	if f.Note != "" {
		text += "“" + lore.CutAtWord(f.Note, maxWarningNote) + "” "
	}
	href := collectionOf("safety_flag").href(f.ID)
	if f.Status == lore.FlagConfirmed {
		return notice{"bad", text + "An operator confirmed it.", href, "Read the flag"}
	}
	return notice{"warn", text + "It is open: nobody has decided on it yet.", href, "Read the flag"}
}

// byLevel puts what a reader must know first.
func byLevel(notices []notice) []notice {
	levels := []string{"bad", "warn", "note"}
	slices.SortStableFunc(notices, func(a, b notice) int { return slices.Index(levels, a.Level) - slices.Index(levels, b.Level) })
	return notices
}
