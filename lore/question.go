package lore

import "strings"

// Question is what an agent asks: a question in words, an error message, or a log.
type Question struct {
	Text      string `json:"text" minLength:"1" maxLength:"20000" doc:"The error message, the log with its stack trace, or a question in words; secrets are removed before it is used" example:"AA25 invalid account nonce"`
	Ecosystem string `json:"ecosystem,omitempty" maxLength:"64" doc:"What holds for this ecosystem, or for all, comes first" example:"ethereum"`
	Limit     int    `json:"limit,omitempty" minimum:"1" maximum:"5" doc:"Problems to name at most; by default 3, or 2 where the first is known"`
}

// Normalise trims the text.
func (q *Question) Normalise() { q.Text = strings.TrimSpace(q.Text) }

// Check returns what the schema's tags can't say.
func (q Question) Check() []FieldError {
	return checkNotBlank("/text", q.Text)
}
