package handlers

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"agentlore/handlers/mcp"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Registrar keeps the accounts.
type Registrar interface {
	// Register claims the name and stores source and token. Errors: name_taken, invalid_invite, banned, store_unavailable.
	Register(ctx context.Context, registration scrubber.Scrubbed[lore.Registration], enrolment lore.Enrolment) (lore.Source, error)
	// IsOf reports whether a source is of a principal, as things are now. Errors: store_unavailable.
	IsOf(ctx context.Context, sourceID, principal string) (bool, error)
}

// Registration is a mode of registration.
type Registration string

// The modes of registration.
const (
	RegistrationOpen   Registration = "open"   // every agent may register
	RegistrationInvite Registration = "invite" // an invite is needed, or a token of a source
)

var exampleRegistration = lore.Registration{
	Name: "bridge-watcher", Type: lore.SourceAgent, Owner: "alice", Ecosystem: []string{"ethereum"},
	Description: "Reports stuck bridge transfers",
}

// registerInput is a registration in one of its two forms.
type registerInput[T any] struct {
	// Authorization joins the principal of a source whose token it bears.
	Authorization string `header:"Authorization" hidden:"true"`
	Body          T
}

// invitedRegistration is what a registration's body holds: what is said of the agent, and an invite of the principal that it joins.
type invitedRegistration struct {
	lore.Registration
	Invite string `json:"invite,omitempty" maxLength:"64" doc:"The operator's code, where one is asked for"`
}

type registerOutput struct {
	Location string `header:"Location" doc:"Where the public entry of the agent is"`
	Cache    string `header:"Cache-Control"`
	Body     registerBody
}

type registerBody struct {
	ID        string           `json:"id" format:"uuid" doc:"Id of the agent"`
	Name      string           `json:"name" doc:"Its name"`
	APIToken  string           `json:"api_token" doc:"The token, shown this once: keep it; send it as Authorization: Bearer"`
	Type      lore.SourceType  `json:"type" enum:"agent,bot,tool,script" doc:"Kind of program"`
	CreatedAt time.Time        `json:"created_at" doc:"When it registered, UTC"`
	Scrubbing *scrubber.Report `json:"scrubbing,omitempty" doc:"What was removed from description, ecosystem or owner before they were stored"`
}

func (s *server) register(ctx context.Context, input *registerInput[invitedRegistration]) (*registerOutput, error) {
	return s.enrol(ctx, input.Body.Registration, input.Authorization, input.Body.Invite)
}

// connection is a registration in two words; both spellings of the specification's listing are taken.
type connection struct {
	Name      string          `json:"name,omitempty" maxLength:"64" doc:"Unique name of the agent"`
	Type      lore.SourceType `json:"type,omitempty" enum:"agent,bot,tool,script" doc:"Kind of program"`
	AgentName string          `json:"agent_name,omitempty" maxLength:"64" doc:"The same as name"`
	AgentType lore.SourceType `json:"agent_type,omitempty" enum:"agent,bot,tool,script" doc:"The same as type"`
	Invite    string          `json:"invite,omitempty" maxLength:"64" doc:"The operator's code, where one is asked for"`
}

// TransformSchema adds what tags can't say: that one of each pair is needed. It is not for Huma's validation, whose message
// would be a riddle: registration says it better.
func (connection) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	has := func(name string) map[string]any {
		some := map[string]any{"type": huma.TypeString, "minLength": 1}
		return map[string]any{"required": []string{name}, "properties": map[string]any{name: some}}
	}
	eitherOf := func(one, other string) map[string]any { return map[string]any{"anyOf": []any{has(one), has(other)}} }
	schema.Extensions = map[string]any{"allOf": []any{eitherOf("name", "agent_name"), eitherOf("type", "agent_type")}}
	return schema
}

var exampleConnection = connection{Name: "gas-oracle-probe", Type: lore.SourceBot}

// connect registers an agent that is its own owner.
func (s *server) connect(ctx context.Context, input *registerInput[connection]) (*registerOutput, error) {
	name, kind := cmp.Or(input.Body.Name, input.Body.AgentName), cmp.Or(input.Body.Type, input.Body.AgentType)
	var faults []lore.FieldError
	if strings.TrimSpace(name) == "" {
		faults = append(faults, lore.FieldError{Pointer: "/name", Code: "required", Detail: "is required"})
	}
	if kind == "" {
		types := []string{"agent", "bot", "tool", "script"}
		faults = append(faults, lore.FieldError{Pointer: "/type", Code: "required", Detail: "is required", Allowed: types})
	}
	if invalid := lore.InvalidFields(faults); invalid != nil {
		return nil, invalid
	}
	return s.enrol(ctx, lore.Registration{Name: name, Type: kind, Owner: name}, input.Authorization, input.Body.Invite)
}

// enrol registers an agent: check and scrub what came, refuse a name that held a secret, mint, store.
func (s *server) enrol(ctx context.Context, raw lore.Registration, authorization, invite string) (*registerOutput, error) {
	clean, err := accept(ctx, s, raw)
	if err != nil {
		return nil, err
	}
	joins, err := s.joins(ctx, authorization, invite)
	if err != nil {
		return nil, err
	}
	report := clean.Report()
	for _, removed := range report.Removed {
		if removed.Field == "name" {
			return nil, &lore.Problem{
				Code: lore.CodeSecretInIdentity,
				Detail: "the name looks like it holds a secret or an address of a person; a name is public for ever: choose another one, " +
					"and rotate the secret if it is real",
				Fields: []lore.FieldError{{Pointer: "/name", Code: "secret", Detail: "must not hold a secret or an e-mail address"}},
			}
		}
	}
	token, hash, err := s.Mint(lore.AccountKey(clean.Value().Name))
	if err != nil {
		return nil, err
	}
	source, err := s.Accounts.Register(ctx, clean, lore.Enrolment{
		Owner: raw.Owner, TokenHash: hash, Client: requestOf(ctx).client, Joins: joins, Invite: invite, At: s.Now(),
	})
	if err != nil {
		return nil, err
	}
	body := registerBody{ID: source.ID, Name: source.Name, APIToken: token, Type: source.Type, CreatedAt: source.CreatedAt}
	if report.Changed {
		body.Scrubbing = &report
	}
	return &registerOutput{Location: "/sources/" + source.ID, Cache: "no-store", Body: body}, nil
}

// joins returns the identity behind the token of a registration, whose principal it joins; none without a token. It refuses a
// registration that the operator's mode doesn't let in.
func (s *server) joins(ctx context.Context, authorization, invite string) (lore.Identity, error) {
	if token := bearerToken(authorization); token != "" {
		return s.Tokens.Verify(ctx, token)
	}
	if invite == "" && s.Registration == RegistrationInvite {
		return lore.Identity{}, &lore.Problem{
			Code: lore.CodeInviteRequired,
			Detail: "this service takes registrations by invite: send the code that its operator gave you as invite, or register with the " +
				"token of a source that you have",
			Fields: []lore.FieldError{{Pointer: "/invite", Code: "required", Detail: "is required"}},
		}
	}
	return lore.Identity{}, nil
}

// Tokens finds the bearers of tokens, and replaces tokens.
type Tokens interface {
	// Verify returns the bearer. Errors: invalid_token, banned, store_unavailable.
	Verify(ctx context.Context, token string) (lore.Identity, error)
	// Rotate makes a new token for the bearer of this one, which stops at the new one's first use and at until at the
	// latest. Errors: invalid_token, store_unavailable.
	Rotate(ctx context.Context, token string, identity lore.Identity) (fresh string, until time.Time, err error)
}

// authenticate lets requests pass that bear a token of ours and notes the bearer.
func (s *server) authenticate(ctx huma.Context, next func(huma.Context)) {
	request, token := requestOf(ctx.Context()), bearerToken(ctx.Header("Authorization"))
	detail := "send the header Authorization: Bearer with your token; POST /intake/register gives one"
	if request.isTool() {
		detail = "give your token as " + mcp.TokenArgument + "; the tool register gives one"
	}
	var err error = &lore.Problem{Code: lore.CodeMissingToken, Detail: detail}
	if token != "" {
		request.identity, err = s.Tokens.Verify(ctx.Context(), token)
	}
	if err != nil {
		s.writeProblem(humagin.Unwrap(ctx), err)
		return
	}
	request.token = token
	next(ctx)
}

// bearerToken returns the token of an Authorization header, or "".
func bearerToken(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

type rotateOutput struct {
	Cache string `header:"Cache-Control"`
	Body  rotateBody
}

type rotateBody struct {
	APIToken      string    `json:"api_token" doc:"The new token, shown this once: keep it before you use it"`
	OldTokenUntil time.Time `json:"old_token_until" doc:"When the old token stops at the latest, UTC; the new one's first use stops it earlier. Until then it can ask for another new token, should this answer be lost"`
}

// rotate answers with a new token for the bearer.
func (s *server) rotate(ctx context.Context, _ *struct{}) (*rotateOutput, error) {
	fresh, until, err := s.Tokens.Rotate(ctx, requestOf(ctx).token, requestOf(ctx).identity)
	return &rotateOutput{Cache: "no-store", Body: rotateBody{APIToken: fresh, OldTokenUntil: until}}, err
}
