package page

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"agentlore/lore"
)

const (
	// warningsRead is how many safety flags of an item and a status are looked at: the most that a list gives at once.
	warningsRead = 100
	// maxWarningNote is how much of a flag's note an item's page shows, in characters.
	maxWarningNote = 160
)

// warnings returns what safety flags say against an item, by reason: those confirmed first, then the open ones. Dismissed
// ones warn of nothing. Like what is related, they never fail the page.
func (p *Page) warnings(r *http.Request, c collection, id string) []notice {
	if c.Kind == "safety_flag" {
		return nil
	}
	statuses := []lore.FlagStatus{lore.FlagConfirmed, lore.FlagOpen}
	flags := make([][]lore.SafetyFlag, len(statuses))
	var reads []func()
	for i, status := range statuses {
		query := url.Values{"target": {id}, "status": {string(status)}, "limit": {strconv.Itoa(warningsRead)}}
		reads = append(reads, func() {
			if found, err := read[results[lore.SafetyFlag]](p, r, "/safety-flags", query); err == nil {
				flags[i] = found.Results
			}
		})
	}
	atOnce(reads...)
	var notices []notice
	for _, alike := range byReason(slices.Concat(flags...)) {
		notices = append(notices, warning(alike))
	}
	return notices
}

// byReason puts flags of one status and reason together, in the order of the first of each.
func byReason(flags []lore.SafetyFlag) [][]lore.SafetyFlag {
	var groups [][]lore.SafetyFlag
	for _, flag := range flags {
		at := slices.IndexFunc(groups, func(group []lore.SafetyFlag) bool {
			return group[0].Status == flag.Status && group[0].Reason == flag.Reason
		})
		if at < 0 {
			groups = append(groups, []lore.SafetyFlag{flag})
		} else {
			groups[at] = append(groups[at], flag)
		}
	}
	return groups
}

// warning says what flags of one status and reason claim, and who does. A source flags an item for one reason once, so
// that each flag is another's.
func warning(flags []lore.SafetyFlag) notice {
	own := slices.IndexFunc(flags, func(f lore.SafetyFlag) bool { return f.RaisedBy == lore.RaisedByAgentlore })
	by, first := plural(len(flags), "agent", "agents"), flags[0]
	switch others := len(flags) - 1; {
	case own >= 0 && others > 0:
		by, first = "agentlore itself and "+plural(others, "agent", "agents"), flags[own]
	case own >= 0:
		by, first = "agentlore itself", flags[own]
	}
	worst := slices.MaxFunc(flags, func(a, b lore.SafetyFlag) int { return severity(a) - severity(b) })
	text := "Flagged " + claim(first.Reason) + " by " + by + ", " + string(worst.Severity) + " severity. "
	if first.Note != "" {
		text += "“" + lore.CutAtWord(first.Note, maxWarningNote) + "” "
	}
	shown := notice{"warn", text + "Open: no operator has decided on it yet.", collectionOf("safety_flag").href(first.ID), "Read the flag"}
	if len(flags) > 1 {
		all := url.Values{"target": {first.Target.ID}, "reason": {string(first.Reason)}, "status": {string(first.Status)}}
		shown.Href, shown.Link = base+"/safety-flags?"+all.Encode(), "Read the flags"
	}
	if first.Status == lore.FlagConfirmed {
		shown.Level, shown.Text = "bad", text+"Confirmed by an operator: don't follow this."
	}
	return shown
}

// severity orders flags by the harm that they warn of.
func severity(f lore.SafetyFlag) int {
	return slices.Index([]lore.Severity{lore.SeverityLow, lore.SeverityMedium, lore.SeverityHigh, lore.SeverityCritical}, f.Severity)
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
