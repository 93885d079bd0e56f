package handlers

import (
	"context"
	"time"

	"agentlore/lore"
)

// TokenRotator replaces tokens.
type TokenRotator interface {
	// Rotate makes a new token for the bearer of this one, which stops at the new one's first use and at until at the
	// latest. Errors: invalid_token, store_unavailable.
	Rotate(ctx context.Context, token string, identity lore.Identity) (fresh string, until time.Time, err error)
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
	if err != nil {
		return nil, err
	}
	return &rotateOutput{Cache: "no-store", Body: rotateBody{APIToken: fresh, OldTokenUntil: until}}, nil
}
