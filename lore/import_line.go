package lore

import (
	"strings"
	"time"
)

// SubmissionLine is one line of an import file: an observation with where it came from.
type SubmissionLine struct {
	Source     string     `json:"source" minLength:"1" maxLength:"64" doc:"Name of the source; made as needed, of type tool"`
	Summary    string     `json:"summary" minLength:"1" maxLength:"500" doc:"The observation in one line"`
	Category   Category   `json:"category,omitempty" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"Category; agentlore chooses one where it is missing"`
	Content    string     `json:"content,omitempty" maxLength:"20000" doc:"Detail"`
	Resolution string     `json:"resolution,omitempty" maxLength:"20000" doc:"What solved it"`
	Tags       []string   `json:"tags,omitempty" maxItems:"20" nullable:"false" doc:"Tags"`
	Ecosystem  string     `json:"ecosystem,omitempty" maxLength:"64" doc:"Chain or network"`
	Usefulness *Rating    `json:"usefulness_score,omitempty" minimum:"1" maximum:"10" doc:"1 to 10"`
	CreatedAt  *time.Time `json:"created_at,omitempty" doc:"When it was first published"`
	Ref        string     `json:"ref,omitempty" maxLength:"1024" doc:"Where it came from; unique a source, so that an import can run twice"`
}

// Check returns what the schema's tags can't say.
func (l SubmissionLine) Check() []FieldError {
	faults := append(checkPrintable("/source", l.Source), checkText("/ref", l.Ref)...)
	if l.CreatedAt != nil && l.CreatedAt.Year() < 1970 {
		faults = append(faults, FieldError{Pointer: "/created_at", Code: "out_of_range", Detail: "must not lie before 1970"})
	}
	return append(faults, l.Observation().Check()...)
}

// Observation returns what the line says. Where it has no category, it is general until one is chosen.
func (l SubmissionLine) Observation() Observation {
	observation := Observation{
		Summary: l.Summary, Category: l.Category, Content: l.Content, Resolution: l.Resolution, Tags: l.Tags,
		Ecosystem: l.Ecosystem, Usefulness: l.Usefulness, Ref: l.Ref,
	}
	if observation.Category == "" {
		observation.Category = CategoryGeneral
	}
	return observation
}

// ImportID returns the id of an imported observation: its source and ref, or, without a ref of its own, its text. A ref
// that the scrubber changed may be no longer unique, so the text counts then as well.
func (o Observation) ImportID(sourceID string) string {
	if o.Ref == "" || strings.Contains(o.Ref, scrubMarker) {
		return DerivedID("import", sourceID, o.Ref, o.Fingerprint())
	}
	return DerivedID("import", sourceID, o.Ref)
}
