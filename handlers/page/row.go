package page

import (
	"fmt"
	"slices"
	"time"

	"agentlore/lore"
)

// row is an item in a list, of whatever type.
type row struct {
	Href, Kind, One string
	Title           []span
	Snippet         []span
	Category        lore.Category
	Ecosystem, Tags []string
	Tier            lore.Tier
	Confidence      *float64
	Status          string
	Warnings        []lore.ItemWarning
	Notes           []string // what else its type says, in words
	CreatedAt       time.Time
	Explanation     *explanation
}

// explanation is what a result's place rests on, in words.
type explanation struct {
	Score   float64
	Words   []named
	Trust   []named
	Factor  float64
	Matched string
	Alike   float64 // what results that are alike add
}

// named is a number with its name.
type named struct {
	Name  string
	Value float64
}

// hitRow shows a search result.
func hitRow(hit lore.SearchHit, roots []string) row {
	c := collectionOf(string(hit.Type))
	r := row{
		Href: c.href(hit.ID), Kind: c.Kind, One: c.One, Category: hit.Category, Ecosystem: hit.Ecosystem, Tags: hit.Tags, Tier: hit.Tier,
		Confidence: hit.Confidence, Status: warningStatus(hit.Status), Warnings: hit.Warnings, CreatedAt: hit.CreatedAt,
	}
	var matched []string
	r.Snippet, matched = snippetSpans(hit.Snippet)
	r.Title = markLine(hit.Summary, append(slices.Clone(roots), rootsOf(matched...)...))
	if len(r.Title) == 0 {
		r.Title = untitled
	}
	if slices.Contains(hit.MatchedBy, "exact") {
		r.Notes = append(r.Notes, "exact match")
	}
	if e := hit.Explanation; e != nil {
		r.Explanation = &explanation{Score: hit.Score, Words: wayNames(sorted(e.Words)), Factor: e.Factor, Alike: e.Neighbours, Matched: matchedBy(hit.MatchedBy)}
		for _, factor := range sorted(e.Trust) {
			if decimal(factor.Value) != "1" { // which changes nothing
				r.Explanation.Trust = append(r.Explanation.Trust, factor)
			}
		}
	}
	return r
}

// untitled stands where an item has no line of its own.
var untitled = []span{{"", "(no summary)"}}

// matchedBy says by which layers a result was found.
func matchedBy(layers []string) string {
	meaning := map[string]string{
		"exact": "a name in the query, matched exactly", "keyword": "words of the query", "fuzzy": "words that the query may have misspelt",
		"partial": "words that begin as the query's do",
	}
	text := ""
	for i, layer := range layers {
		if i > 0 {
			text += "; "
		}
		if text += meaning[layer]; meaning[layer] == "" {
			text += layer
		}
	}
	return text
}

// wayNames says ways of matching in words that a reader of the results knows.
func wayNames(ways []named) []named {
	names := map[string]string{
		"keyword": "words of the query", "summary": "words in the summary", "coverage": "their share of the query",
		"focus": "a summary of little else", "pairs": "pairs side by side", "roots": "words of the same root",
		"opening": "words from the beginning",
	}
	ways = slices.DeleteFunc(ways, func(way named) bool { return decimal(way.Value) == "0" }) // it adds nothing
	for i := range ways {
		if name := names[ways[i].Name]; name != "" {
			ways[i].Name = name
		}
	}
	return ways
}

// sorted returns numbers, the largest first.
func sorted(numbers map[string]float64) []named {
	var list []named
	for name, value := range numbers {
		list = append(list, named{words(name), value})
	}
	slices.SortFunc(list, func(a, b named) int {
		if a.Value != b.Value {
			if a.Value > b.Value {
				return -1
			}
			return 1
		}
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}

// warningStatus leaves out the states that say nothing a reader must know.
func warningStatus(status string) string {
	if status == "active" {
		return ""
	}
	return status
}

// rowOf shows an item of a list.
func rowOf(value any) row {
	switch item := value.(type) {
	case lore.Submission:
		r := newRow("submission", item.ID, item.Summary, item.CreatedAt)
		r.Warnings = item.Warnings
		r.Category, r.Tier, r.Tags, r.Status = item.Category, item.Tier, item.Tags, item.Status
		r.Ecosystem = listOf(item.Ecosystem)
		if item.Resolution != "" {
			r.Notes = append(r.Notes, "has a resolution")
		}
		if item.Outcomes != nil {
			r.Notes = append(r.Notes, outcomeNote(*item.Outcomes)...)
		}
		return r
	case lore.KnowledgeUnit:
		r := newRow("knowledge_unit", item.ID, item.Summary, item.CreatedAt)
		r.Warnings = item.Warnings
		r.Category, r.Tier, r.Tags, r.Ecosystem, r.Status = item.Category, item.Tier, item.Tags, item.Ecosystem, warningStatus(string(item.Status))
		r.Confidence = &item.Confidence
		r.Notes = append([]string{plural(item.Evidence.Owners, "owner", "owners")}, outcomeNote(item.Outcomes)...)
		return r
	case lore.Pattern:
		r := newRow("pattern", item.ID, item.Summary, item.LastSeenAt)
		r.Warnings = item.Warnings
		r.Category, r.Tier, r.Tags, r.Ecosystem, r.Status = item.Category, item.Tier, item.Tags, item.Ecosystem, string(item.Status)
		r.Notes = []string{plural(item.Reports, "report", "reports"), plural(item.Owners, "owner", "owners")}
		return r
	case lore.Asset:
		r := newRow("asset", item.ID, item.Name, item.CreatedAt)
		r.Warnings = item.Warnings
		r.Tags, r.Ecosystem, r.Status = item.Tags, item.Ecosystem, warningStatus(string(item.Status))
		r.Notes, r.Snippet = []string{item.Type}, scrubbed("", lore.CutAtWord(item.Description, maxDescription))
		return r
	case lore.Source:
		r := newRow("source", item.ID, item.Name, item.CreatedAt)
		r.Ecosystem, r.Notes = item.Ecosystem, []string{string(item.Type), "reputation " + decimal(item.Reputation)}
		r.Snippet = scrubbed("", lore.CutAtWord(item.Description, maxDescription))
		if item.RevokedAt != nil {
			r.Status = "revoked"
		}
		return r
	case lore.Suggestion:
		r := newRow("suggestion", item.ID, item.Summary, item.CreatedAt)
		r.Status, r.Notes = string(item.Status), []string{string(item.Kind)}
		return r
	case lore.SafetyFlag:
		title := "Flagged " + claim(item.Reason) + ": " + collectionOf(string(item.Target.Collection)).One + " " + shortID(item.Target.ID)
		r := newRow("safety_flag", item.ID, title, item.CreatedAt)
		r.Notes = []string{string(item.Severity) + " severity"}
		r.Status, r.Snippet = string(item.Status), scrubbed("", lore.CutAtWord(item.Note, maxDescription))
		return r
	}
	return row{Title: untitled}
}

// maxDescription is how much of a description a list shows, in characters.
const maxDescription = 200

func newRow(kind, id, title string, at time.Time) row {
	c := collectionOf(kind)
	spans := inline(title)
	if len(spans) == 0 {
		spans = untitled
	}
	return row{Href: c.href(id), Kind: c.Kind, One: c.One, Title: spans, CreatedAt: at}
}

func outcomeNote(o lore.Outcomes) []string {
	var notes []string
	for _, part := range []struct {
		count int
		word  string
	}{{o.Worked, "worked"}, {o.Failed, "failed"}, {o.Unsafe, "unsafe"}} {
		if part.count > 0 {
			notes = append(notes, fmt.Sprintf("%s %s", number(part.count), part.word))
		}
	}
	return notes
}

func listOf(one string) []string {
	if one == "" {
		return nil
	}
	return []string{one}
}
