package handlers

import (
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"agentlore/lore"
)

// TokenVerifier finds the bearer of a token.
type TokenVerifier interface {
	// Verify returns the bearer. Errors: invalid_token, banned, store_unavailable.
	Verify(ctx context.Context, token string) (lore.Identity, error)
}

// TokenRotator replaces tokens.
type TokenRotator interface {
	// Rotate makes a new token for the bearer of this one, which stops at the new one's first use and at until at the
	// latest. Errors: invalid_token, store_unavailable.
	Rotate(ctx context.Context, token string, identity lore.Identity) (fresh string, until time.Time, err error)
}

// authenticate lets requests pass that bear a token of ours and notes the bearer.
func (s *server) authenticate(ctx huma.Context, next func(huma.Context)) {
	request, token := requestOf(ctx.Context()), bearerToken(ctx.Header("Authorization"))
	var err error = &lore.Problem{
		Code: lore.CodeMissingToken, Detail: "send the header Authorization: Bearer with your token; POST /intake/register gives one",
	}
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
	fresh, until, err := s.Rotator.Rotate(ctx, requestOf(ctx).token, requestOf(ctx).identity)
	return &rotateOutput{Cache: "no-store", Body: rotateBody{APIToken: fresh, OldTokenUntil: until}}, err
}
