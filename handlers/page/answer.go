package page

import (
	"net/http"
	"net/url"
	"strings"

	"agentlore/lore"
)

// maxQuestion is how many characters of a question the page asks about.
const maxQuestion = 2000

// answerBody is the interface's answer to a question.
type answerBody struct {
	Verdict string `json:"verdict"`
	Problem *struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Cause   string `json:"cause"`
		Fix     string `json:"fix"`
		Applies struct {
			Chain    []string `json:"chain"`
			Versions string   `json:"versions"`
		} `json:"applies"`
		Evidence struct {
			Reference  string  `json:"reference"`
			Reports    int     `json:"reports"`
			Owners     int     `json:"owners"`
			Worked     int     `json:"worked"`
			Failed     int     `json:"failed"`
			Unsafe     int     `json:"unsafe"`
			Confidence float64 `json:"confidence"`
		} `json:"evidence"`
		Warnings []lore.ItemWarning `json:"warnings"`
		URL      string             `json:"url"`
	} `json:"problem"`
}

// answerView is what the search page shows of an answer.
type answerView struct {
	Verdict    string // in words
	Href       string
	Title      []span
	Cause, Fix []span
	Applies    string
	Evidence   []string
	Reference  string
	Warnings   []lore.ItemWarning
}

// answer asks about what was typed. Nothing is shown of what is unknown, or where asking fails: the results say as much.
func (p *Page) answer(r *http.Request, question string) *answerView {
	runes := []rune(question)
	given, err := read[answerBody](p, r, "/ask", url.Values{"q": {string(runes[:min(len(runes), maxQuestion)])}})
	if err != nil || given.Problem == nil {
		return nil
	}
	problem := given.Problem
	view := &answerView{
		Verdict: "This is known", Href: base + problem.URL, Title: inline(problem.Title), Cause: inline(problem.Cause), Fix: inline(problem.Fix),
		Applies: strings.Join(append(problem.Applies.Chain, problem.Applies.Versions), " · "), Warnings: problem.Warnings,
		Reference: problem.Evidence.Reference,
	}
	if given.Verdict != "known" {
		view.Verdict = "This may be it"
	}
	evidence := problem.Evidence
	for _, count := range []struct {
		n            int
		one, several string
	}{
		{evidence.Reports, "report", "reports"}, {evidence.Owners, "owner", "owners"}, {evidence.Worked, "worked", "worked"},
		{evidence.Failed, "failed", "failed"}, {evidence.Unsafe, "unsafe", "unsafe"},
	} {
		if count.n > 0 {
			view.Evidence = append(view.Evidence, plural(int64(count.n), count.one, count.several))
		}
	}
	view.Applies = strings.Trim(view.Applies, " ·")
	return view
}
