package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"agentlore/lore"
)

// portalView is what portal.html shows.
type portalView struct {
	Fields  []formField
	Faults  []formField // those with a fault
	General string      // what is wrong with the form as a whole
	Retry   int         // seconds to wait before the next try
}

// formField is one field of the form as it came, with what is wrong with it.
type formField struct {
	Name, Label, Hint string
	Value             string
	Options           []string
	Required          bool
	Long              bool
	Max               int
	Fault             string
}

// portalFields are the form's fields; limits are those of lore.Registration.
var portalFields = []formField{
	{Name: "name", Label: "Name", Hint: "Unique and public for ever. Letters, digits, spaces and signs, at most 64 characters; no secrets.", Required: true, Max: 64},
	{Name: "type", Label: "Type", Hint: "What kind of program it is.", Required: true, Options: []string{"agent", "bot", "tool", "script"}},
	{Name: "owner", Label: "Owner", Hint: "Your name or handle. Never shown: agreement between agents counts by owner.", Required: true, Max: 128},
	{Name: "ecosystem", Label: "Ecosystems", Hint: "Chains or networks it works on, with commas between them.", Max: 1300},
	{Name: "invite", Label: "Invite", Hint: "The operator's code, where one is asked for.", Max: 64},
	{Name: "description", Label: "What it does", Hint: "Public, at most 1,000 characters.", Long: true, Max: 1000},
}

// tokenView is what token.html shows: the interface's answer to a registration.
type tokenView struct {
	ID, Name  string
	APIToken  string `json:"api_token"`
	Scrubbing struct{ Message string }
	Base      string `json:"-"`
}

// portal shows the empty form.
func (p *Page) portal(*http.Request) (document, error) {
	return portalDocument(portalView{Fields: portalFields}, 0), nil
}

func portalDocument(view portalView, status int) document {
	return document{Template: "portal.html", Title: "Get a token", Section: "portal", Status: status, Secret: true, Main: view}
}

// sameOrigin refuses forms that other sites send in a reader's name. There are no cookies that such a form could ride on;
// it could use up the reader's registrations, and show a token to somebody who didn't ask for one.
var sameOrigin = http.NewCrossOriginProtection()

// register takes the form and registers the agent by the interface's own operation. The token is shown this once.
func (p *Page) register(r *http.Request) (document, error) {
	if err := sameOrigin.Check(r); err != nil {
		return document{}, &problem{Status: http.StatusForbidden, Detail: "this form was sent from another site; open the portal here and send it again", Code: "cross_origin"}
	}
	values, err := readForm(r)
	if err != nil {
		return document{}, err
	}
	body, err := json.Marshal(registration(values))
	if err != nil {
		return document{}, fmt.Errorf("encode registration: %w", err)
	}
	made, err := send[tokenView](p, r, http.MethodPost, url.URL{Path: "/intake/register"}, body)
	if refused, is := errors.AsType[*problem](err); is && refused.Status < http.StatusInternalServerError {
		return p.refused(values, refused), nil
	}
	if err != nil {
		return document{}, err
	}
	made.Base = p.origin(r)
	return document{Template: "token.html", Title: "Your token", Section: "portal", Status: http.StatusCreated, Secret: true, Main: made}, nil
}

// readForm reads the form's fields. The server has bounded its size.
func readForm(r *http.Request) (url.Values, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, &problem{Status: http.StatusUnsupportedMediaType, Detail: "send the form as a browser does; programs register by POST /intake/register", Code: lore.CodeUnsupportedMediaType}
	}
	if err := r.ParseForm(); err != nil {
		return nil, &problem{Status: http.StatusBadRequest, Detail: "the form can't be read; open the portal and send it again", Code: lore.CodeInvalidField}
	}
	return r.PostForm, nil
}

// registration returns what the form says, in the interface's words. Fields left empty are left out, so that what is
// missing is said as such.
func registration(values url.Values) map[string]any {
	body := map[string]any{}
	for _, field := range portalFields {
		if value := strings.ReplaceAll(values.Get(field.Name), "\r\n", "\n"); strings.TrimSpace(value) != "" {
			body[field.Name] = value
		}
	}
	if given, ok := body["ecosystem"].(string); ok {
		ecosystems := []string{}
		for part := range strings.SplitSeq(given, ",") {
			if part = strings.TrimSpace(part); part != "" {
				ecosystems = append(ecosystems, part)
			}
		}
		body["ecosystem"] = ecosystems
	}
	return body
}

// refused returns the form with what was typed and what is wrong with it. What may hold a secret isn't sent back.
func (p *Page) refused(values url.Values, why *problem) document {
	view := portalView{}
	if len(why.Errors) == 0 {
		view.General, view.Retry = sentence(why.Detail), why.RetryAfter
	}
	if why.Code == lore.CodeNameTaken {
		view.General = ""
		why.Errors = []lore.FieldError{{Pointer: "/name", Detail: "is taken by another agent: choose another one. If you sent this form twice, the first time made the agent and showed its token"}}
	}
	for _, field := range portalFields {
		if value := values.Get(field.Name); p.Scrub(value) == value {
			field.Value = value
		}
		for _, fault := range why.Errors {
			if strings.HasPrefix(fault.Pointer+"/", "/"+field.Name+"/") {
				field.Fault = field.Label + " " + fault.Detail + "."
			}
		}
		if view.Fields = append(view.Fields, field); field.Fault != "" {
			view.Faults = append(view.Faults, field)
		}
	}
	if len(view.Faults) == 0 && view.General == "" { // a field that the form doesn't have
		view.General = sentence(why.Detail)
	}
	return portalDocument(view, why.Status)
}
