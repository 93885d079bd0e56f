package page

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentlore/lore"
)

// itemView is what item.html shows.
type itemView struct {
	item
	JSON    string // where the interface has it
	Void    bool   // withdrawn, flagged or left out of answers: nothing of it should be followed
	Notices []notice
	Facts   []fact
	Lists   []rowList
}

// notice is what a reader must know before anything else.
type notice struct {
	Level string // bad, warn or note
	Text  string
	Href  string
	Link  string
}

// fact is a line of an item's small print.
type fact struct {
	Name  string
	Value string
	Href  string // of ours
	Web   string // of others
	Time  string // for machines
}

// text is one of an item's texts.
type text struct {
	Name, Text string
	Answer     bool // what to do, which readers look for first
	Steps      bool // it says what to do, maybe in steps
}

// Texts are what the item says, what to do first.
func (i item) Texts() []text {
	texts := []text{{Name: "What to do", Text: i.Resolution, Answer: i.FixWithheld == "", Steps: true}}
	if i.FixWithheld != "" {
		texts[0].Name = "What its author did (nobody stands for it)"
	}
	for _, other := range i.Alternatives {
		texts = append(texts, text{Name: voiceTitle(other), Text: other.Resolution, Steps: true})
	}
	if i.Title() != i.Text {
		texts = append(texts, text{Name: "What was asked", Text: i.Text})
	}
	return append(texts, text{Name: "In detail", Text: i.Content}, text{Name: "Holds for", Text: i.Applies},
		text{Name: "What it is", Text: i.Description}, text{Name: "Why", Text: i.Note})
}

// voiceTitle says of a fix beside others whose word it is.
func voiceTitle(fix lore.Fix) string {
	switch n := fix.Evidence.ConfirmedBy; {
	case n > 0:
		return "Another fix, confirmed by " + plural(n, "owner", "owners")
	case fix.From.Standing == lore.StandingNone:
		return "Another fix: one newcomer's word"
	}
	return "Another fix: the word of one with standing"
}

// Mark is the request by which an asker of an open question says which of its voices helped.
func (i item) Mark() string {
	return fmt.Sprintf("POST /intake/outcome\n{\"id\": \"<id of the report>\",\n \"outcome\": \"worked\",\n \"question\": %q}", i.ID)
}

// voiceOf says whose word a voice is.
func voiceOf(voice lore.Voice) string {
	if voice.From.Standing == lore.StandingNone {
		return "one newcomer's word"
	}
	return "the word of one with standing"
}

// item returns the view of one item of a collection.
func (p *Page) item(c collection) func(*http.Request) (document, error) {
	return func(r *http.Request) (document, error) {
		id := r.PathValue("id")
		if !lore.ValidID(id) {
			return document{}, notFound("There is no " + c.One + " with this id")
		}
		found, err := p.readItem(r, c, id)
		if err != nil {
			return document{}, err
		}
		view := itemView{item: found, JSON: c.path(id)}
		view.Void = found.Status == lore.StatusFlagged || found.Status == string(lore.UnitWithdrawn) || lore.LeavesOut(found.Warnings)
		p.addAround(r, &view)
		view.Notices = append(view.Notices, found.notices()...)
		levels := []string{"bad", "warn", "note"} // what a reader must know comes first
		slices.SortStableFunc(view.Notices, func(a, b notice) int { return slices.Index(levels, a.Level) - slices.Index(levels, b.Level) })
		return document{Template: "item.html", Title: lore.CutAtWord(found.Title(), 60), Section: c.Path, Main: view}, nil
	}
}

// anyItem shows the item with an id, of whatever collection.
func (p *Page) anyItem(r *http.Request) (document, error) {
	for _, c := range collections {
		found, err := p.item(c)(r)
		if refused, is := errors.AsType[*problem](err); is && refused.Status == http.StatusNotFound {
			continue
		}
		return found, err
	}
	return document{}, notFound("There is no item with this id")
}

// readItem reads one item of a collection.
func (p *Page) readItem(r *http.Request, c collection, id string) (item, error) {
	found, err := read[item](p, r, c.path(id), nil)
	found.In = c
	return found, err
}

// notices are what a reader must know before anything else.
func (i item) notices() (notices []notice) {
	add := func(holds bool, level, text, href, link string) {
		if holds {
			notices = append(notices, notice{level, text, href, link})
		}
	}
	for _, warning := range i.Warnings {
		add(true, "warn", warning.Detail, base+"/safety-flags?"+url.Values{"target": {i.ID}}.Encode(), "Read the flags")
	}
	add(i.FixWithheld == lore.WithheldUnsafe, "bad", "An owner with standing found that its fix does harm. Don't follow it.", "", "")
	add(i.FixWithheld == lore.WithheldUnvouched, "warn", "Nobody with standing stands for its fix, which asks for something that can do harm. Answers leave it out.", "", "")
	add(i.Disputed, "warn", "Disputed: owners with standing say that it failed or does harm.", "", "")
	knowledge := collectionOf("knowledge")
	add(i.Status == lore.StatusFlagged, "bad", "Flagged: a confirmed safety flag warns of this. Don't follow it.", "", "")
	add(i.Status == string(lore.UnitWithdrawn), "bad",
		"Withdrawn: this must not be relied on. It is kept so that its history can be read.", "", "")
	add(i.Status == string(lore.UnitSuperseded), "warn", "Superseded: this no longer holds as it stands.", "", "")
	add(i.SupersededBy != "", "warn", "A newer unit replaces this one.", knowledge.href(i.SupersededBy), "Read the newer unit")
	add(i.Status == string(lore.AssetDeprecated), "warn", "Deprecated: no longer in use.", "", "")
	add(i.Status == string(lore.AssetSunset), "warn", strings.TrimSpace("It has ended. "+i.Since), "", "")
	add(i.Status == string(lore.AssetExploited), "bad", strings.TrimSpace("It was exploited and did not come back. "+i.Since), "", "")
	add(!i.RevokedAt.IsZero(), "warn", "Its token was revoked on "+date(i.RevokedAt)+".", "", "")
	add(i.invalid(), "warn", "Those who judged this report called it invalid.", "", "")
	add(i.OverCorrelating, "warn", "So many reports fell into this pattern that it says little. It is kept out of knowledge.", "", "")
	add(i.UnitID != "", "note", "This became part of verified knowledge.", knowledge.href(i.UnitID), "Read the knowledge unit")
	why := ""
	if i.FamilyWhy != "" {
		why = " (" + i.FamilyWhy + ")"
	}
	add(i.FamilyID != "", "note", "It is a case of a kind that other projects have too"+why+".", collectionOf("family").href(i.FamilyID), "See the family")
	add(i.PatternID != "", "note", "Other agents reported the same.", collectionOf("pattern").href(i.PatternID), "See the pattern")
	flag := map[string]string{
		string(lore.FlagOpen):      "Open: a claim that no operator has decided on yet.",
		string(lore.FlagConfirmed): "Confirmed by an operator: the item is left out of searches.",
		string(lore.FlagDismissed): "Dismissed by an operator: the warning was wrong.",
	}[i.Status]
	add(i.In.Kind == "question" && i.AnsweredBy == nil, "note", "Open: nothing that is known answers it yet.", "", "")
	if by := i.AnsweredBy; by != nil {
		add(true, "note", "Answered.", collectionOf(string(by.Collection)).href(by.ID), "Read the answer")
	}
	add(i.Reason != "" && flag != "", "note", flag, "", "")
	return notices
}

// facts are what the item says of itself in small print, without what it doesn't say.
func (i item) facts() []fact {
	all := []fact{
		{Name: "Type", Value: i.Type, Href: base + "/" + i.In.Path + "?" + url.Values{"type": {i.Type}}.Encode()},
		{Name: "Asks for", Value: words(i.Kind)}, {Name: "Severity", Value: i.Severity},
		{Name: "Address given", Value: i.URL, Web: webAddress(i.URL)}, {Name: "From the catalog", Value: i.Origin},
		{Name: "Came from", Value: i.Ref, Web: webAddress(i.Ref)}, {Name: "Removed before storing", Value: removed(i.Scrubbed)},
	}
	if i.Reference != nil {
		all = append(all, fact{Name: "Stated by", Value: i.Reference.URL, Web: webAddress(i.Reference.URL)},
			fact{Name: "Looked up", Value: i.Reference.Checked})
	}
	if i.Reputation != nil {
		value := decimal(*i.Reputation) + " of 1: what others made of its submissions; all start at 0.5"
		all = append(all, fact{Name: "Reputation", Value: value})
	}
	if i.ClassifiedBy == lore.ByAgentlore {
		all = append(all, fact{Name: "Category chosen by", Value: "agentlore, from its words"})
	}
	all = append(all, fact{Name: "Symbol", Value: i.Symbol}, fact{Name: "Also called", Value: strings.Join(i.Also, ", ")},
		fact{Name: "Chain id", Value: i.ChainID}, fact{Name: "Explorer", Value: i.Explorer, Web: webAddress(i.Explorer)})
	for _, on := range i.Deployments {
		all = append(all, fact{Name: "On " + on.Chain, Value: on.Address + ", " + plural(on.Decimals, "decimal", "decimals")})
	}
	for _, address := range i.Addresses {
		if len(i.Deployments) == 0 { // which say the same
			all = append(all, fact{Name: "Contract or account", Value: address})
		}
	}
	if i.Askers > 0 {
		all = append(all, fact{Name: "Asked by", Value: plural(i.Askers, "source", "sources")})
	}
	if i.Projects > 0 {
		all = append(all, fact{Name: "Found in", Value: plural(i.Projects, "project", "projects") + " that reports name"})
	}
	for _, month := range i.Months[max(0, len(i.Months)-monthsShown):] {
		all = append(all, fact{Name: month.Month, Value: plural(month.Reports, "report", "reports")})
	}
	for _, moment := range []struct {
		name string
		at   time.Time
	}{
		{i.In.Since, i.CreatedAt}, {"Last asked", i.AskedAt}, {"First report", i.FirstSeenAt}, {"Last report", i.LastSeenAt},
		{"Last confirmed", *cmp.Or(i.LastConfirmedAt, &time.Time{})},
	} {
		if !moment.at.IsZero() {
			all = append(all, fact{Name: moment.name, Value: stamp(moment.at), Time: iso(moment.at)})
		}
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })
}

// monthsShown is how many months a family's page tells of, the last.
const monthsShown = 12

// rowList are items that belong to an item.
type rowList struct {
	Title string
	Note  string
	Rows  []item
	Total int    // how many there are; Rows may be fewer
	Some  bool   // there are more than Total, and they weren't counted
	More  string // where all are
}

// relatedLimit is how many items a list beside an item shows.
const relatedLimit = 5

// addAround adds what stands around an item: its source, what it is about, its reports and what is related. All are extras: without
// one the page still serves.
func (p *Page) addAround(r *http.Request, view *itemView) {
	var by, target fact
	var reports, related rowList
	rests, own := view.Rests(), view.item
	if rests == nil {
		rests = &lore.Evidence{}
	}
	atOnce(
		func() {
			by = p.mention(r, "From", collectionOf("source"), strings.TrimPrefix(own.SourceID+own.RaisedBy, lore.RaisedByAgentlore))
		},
		func() {
			if own.Target != nil {
				target = p.mention(r, "About", collectionOf(string(own.Target.Collection)), own.Target.ID)
			}
		},
		func() {
			title, parameter, id := "Reports of the same", "pattern", own.PatternID
			switch own.In.Kind {
			case "source":
				title, parameter, id = "What it submitted", "source", own.ID
			case "pattern", "family":
				title, parameter, id = "Reports", own.In.Kind, own.ID
			}
			if id != "" {
				reports, _ = p.rows(r, title, "Newest first.", "submissions", relatedLimit+1, url.Values{parameter: {id}}) // the item itself may be one
			}
			if len(reports.Rows) == 0 {
				reports = p.named(r, "Evidence", rests.SubmissionIDs)
			}
		},
		func() {
			if own.In.Kind == "family" {
				related, _ = p.rows(r, "Problems", "Patterns of the family.", "patterns", relatedLimit, url.Values{"family": {own.ID}})
			}
			if lore.ItemType(own.In.Kind).Path("") != "" { // one of those that are searched
				related = p.related(r, own, rests.SubmissionIDs)
			}
		},
	)
	if own.RaisedBy == lore.RaisedByAgentlore {
		by = fact{Name: "From", Value: "agentlore itself"}
	}
	if own.In.Kind == "pattern" {
		for _, report := range reports.Rows {
			view.UnitID = report.UnitID
		}
	}
	for _, f := range []fact{target, by} {
		if f.Value != "" {
			view.Facts = append(view.Facts, f)
		}
	}
	view.Facts = append(view.Facts, own.facts()...)
	shown := []string{own.ID}
	for _, list := range []rowList{reports, related} { // each item once, and not the item itself
		list.Rows = slices.DeleteFunc(list.Rows, func(row item) bool { return slices.Contains(shown, row.ID) })
		list.Rows = list.Rows[:min(len(list.Rows), relatedLimit)]
		for _, row := range list.Rows {
			shown = append(shown, row.ID)
		}
		if len(list.Rows) > 0 {
			view.Lists = append(view.Lists, list)
		}
	}
}

// maxMention is how much of an item's title another one's page shows, in characters.
const maxMention = 100

// mention names an item on another one's page; empty without an id. One that can't be read now is named by its id.
func (p *Page) mention(r *http.Request, name string, c collection, id string) fact {
	if id == "" {
		return fact{}
	}
	shown := fact{Name: name, Value: c.One + " " + shortID(id), Href: c.href(id)}
	if found, err := p.readItem(r, c, id); err == nil {
		shown.Value = lore.CutAtWord(found.Title(), maxMention)
	}
	return shown
}

// related searches for items that say something like an item, but for those with certain ids.
func (p *Page) related(r *http.Request, own item, but []string) rowList {
	query := url.Values{
		"q":     {firstCharacters(own.Title(), lore.MaxQueryLength)},
		"limit": {strconv.Itoa(2*relatedLimit + len(but) + 1)}, // the item itself is found, and what other lists show
	}
	list := rowList{Title: "Related"}
	if own.In.Kind == "asset" {
		query.Set("type", "submission")
		list.Title = "Reports that name it"
	}
	found, _ := p.readList(r, searchPath, query)
	for _, hit := range found.Results {
		if hit.Snippet = ""; !slices.Contains(but, hit.ID) {
			list.Rows = append(list.Rows, hit)
		}
	}
	return list
}

// rows lists the first items of a collection that a query finds, and where all of them are.
func (p *Page) rows(r *http.Request, title, note, path string, limit int, query url.Values) (rowList, error) {
	more := strings.TrimSuffix(base+"/"+path+"?"+query.Encode(), "?")
	query.Set("limit", strconv.Itoa(limit))
	found, err := p.readList(r, "/"+path, query)
	return rowList{title, note, found.Results, int(found.Total), found.TotalRelation == "gte", more}, err
}

// named lists submissions by their ids.
func (p *Page) named(r *http.Request, title string, ids []string) rowList {
	rows := make([]item, min(len(ids), relatedLimit))
	var reads []func()
	for i := range rows {
		reads = append(reads, func() { rows[i], _ = p.readItem(r, collectionOf("submission"), ids[i]) })
	}
	atOnce(reads...)
	return rowList{Title: title, Rows: slices.DeleteFunc(rows, func(row item) bool { return row.ID == "" })}
}
