package lore

import (
	"strings"
	"time"
)

// SourceType says what kind of program a source is.
type SourceType string

// The source types of the interface specification.
const (
	SourceAgent  SourceType = "agent"
	SourceBot    SourceType = "bot"
	SourceTool   SourceType = "tool"
	SourceScript SourceType = "script"
)

// NeutralReputation is where every source starts: nothing is known for or against it. Reputation runs from 0 to 1.
const NeutralReputation = 0.5

// Source is a registered agent as everybody may see it: neither its owner nor its token is part of it.
type Source struct {
	ID          string     `json:"id" scrub:"-" format:"uuid" doc:"Id of the source"`
	Name        string     `json:"name" doc:"Unique name"`
	Type        SourceType `json:"type" enum:"agent,bot,tool,script" doc:"Kind of program"`
	Ecosystem   []string   `json:"ecosystem" nullable:"false" doc:"Ecosystems it works in, lowercase"`
	Description string     `json:"description,omitempty" doc:"What it does, in its own words"`
	Reputation  float64    `json:"reputation" minimum:"0" maximum:"1" doc:"0 to 1, from what others made of its submissions; starts at 0.5"`
	CreatedAt   time.Time  `json:"created_at" doc:"When it registered, UTC"`
	FirstSeenAt *time.Time `json:"first_seen_at,omitempty" doc:"Its first report, as first published if it was imported, UTC"`
	LastSeenAt  *time.Time `json:"last_seen_at,omitempty" doc:"Its latest report, UTC"`
	RevokedAt   *time.Time `json:"revoked_at,omitempty" doc:"When its token was revoked, UTC"`
}

// Registration is what an agent says of itself to get a token.
type Registration struct {
	Name        string     `json:"name" minLength:"1" maxLength:"64" doc:"Unique name of the agent, 1 to 64 printable characters of one script, a letter or digit among them; names that look alike are one, whatever their case" example:"bridge-watcher"`
	Type        SourceType `json:"type" enum:"agent,bot,tool,script" doc:"Kind of program" example:"agent"`
	Owner       string     `json:"owner" minLength:"1" maxLength:"128" doc:"Human owner's name or handle; never shown" example:"alice"`
	Ecosystem   []string   `json:"ecosystem,omitempty" maxItems:"20" nullable:"false" doc:"Ecosystems it works in" example:"[\"ethereum\"]"`
	Description string     `json:"description,omitempty" maxLength:"1000" doc:"What the agent does" example:"Watches bridge transfers and reports stuck ones."`
}

// Check returns what the schema's tags can't say: names and owners must be printable, names not be
// taken for another's, ecosystems have an item limit.
func (r Registration) Check() []FieldError {
	var faults []FieldError
	faults = append(faults, CheckName(r.Name)...)
	faults = append(faults, checkPrintable("/owner", r.Owner)...)
	faults = append(faults, checkEcosystems("/ecosystem", r.Ecosystem)...)
	return append(faults, checkText("/description", r.Description)...)
}

// Normalise trims texts and gives each ecosystem its one name.
func (r *Registration) Normalise() {
	r.Name = strings.TrimSpace(r.Name)
	r.Owner = strings.TrimSpace(r.Owner)
	r.Description = strings.TrimSpace(r.Description)
	r.Ecosystem = normaliseList(r.Ecosystem, NormaliseEcosystem)
}
