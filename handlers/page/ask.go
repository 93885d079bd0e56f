package page

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentlore/ask"
	"agentlore/lore"
)

// askView is what ask.html shows.
type askView struct {
	Text    string      // what was pasted, where it holds no secret
	Answer  *ask.Answer // nil: nothing was asked
	Removed string      // which secrets were removed from what was pasted
	Fault   string
}

// asked is the interface's answer to a question.
type asked struct {
	ask.Answer
	Scrubbing struct {
		Removed []struct {
			Type  string
			Count int
		}
	}
}

// askForm shows the form for a whole log.
func (p *Page) askForm(*http.Request) (document, error) { return askDocument(askView{}, 0), nil }

func askDocument(view askView, status int) document {
	return document{Template: "ask.html", Title: "Paste a log", Section: "search", Status: status, Secret: true, Main: view}
}

// askLog answers what was pasted into the form.
func (p *Page) askLog(r *http.Request) (document, error) {
	values, err := readForm(r)
	if err != nil {
		return document{}, err
	}
	text := endOf(strings.ReplaceAll(values.Get("text"), "\r\n", "\n"))
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return document{}, err
	}
	answer, err := send[asked](p, r, http.MethodPost, url.URL{Path: "/ask"}, body)
	view := askView{}
	if p.Scrub(text) == text {
		view.Text = text
	}
	if refused, is := errors.AsType[*problem](err); is && refused.Status < http.StatusInternalServerError {
		view.Fault = "Paste an error, a log or a question."
		if refused.Code != lore.CodeInvalidField {
			view.Fault = sentence(refused.Detail)
		}
		return askDocument(view, refused.Status), nil
	}
	if err != nil {
		return document{}, err
	}
	counts := map[string]int{}
	for _, removed := range answer.Scrubbing.Removed {
		counts[removed.Type] += removed.Count
	}
	view.Answer, view.Removed = &answer.Answer, removed(counts)
	return askDocument(view, 0), nil
}

// longestLog is how much of a log is asked about, in bytes: with quotes and line breaks written as JSON writes them it stays below what the
// interface takes.
const longestLog = 200 << 10

// endOf returns the end of a text, where what failed last stands.
func endOf(text string) string {
	if len(text) <= longestLog {
		return text
	}
	text = text[len(text)-longestLog:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// stepMark begins a step of a fix, at its beginning or behind a space: "2. ".
var stepMark = regexp.MustCompile(`(\d{1,2})\. `)

// steps divides a fix into its steps, by their numbers, which count from 1: "1. Look it up. 2. Send it again." has two. What has no such numbers is
// one; nothing is none.
func steps(text string) (parts []string) {
	begun := 0
	for _, at := range stepMark.FindAllStringSubmatchIndex(text, -1) {
		apart := at[0] == 0 || text[at[0]-1] == ' ' || text[at[0]-1] == '\n'
		if number, _ := strconv.Atoi(text[at[2]:at[3]]); apart && number == len(parts)+1 && (number > 1 || at[0] == 0) {
			if number > 1 {
				parts[number-2] = strings.TrimSpace(text[begun:at[0]])
			}
			parts, begun = append(parts, ""), at[1]
		}
	}
	switch {
	case len(parts) > 0:
		parts[len(parts)-1] = strings.TrimSpace(text[begun:])
	case text != "":
		parts = []string{text}
	}
	return parts
}
