package handlers

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"agentlore/lore"
)

// authenticate lets through who bears a token of ours and notes who that is.
func (s *server) authenticate(ctx huma.Context, next func(huma.Context)) {
	token := bearerToken(ctx.Header("Authorization"))
	if token == "" {
		s.writeProblem(humagin.Unwrap(ctx), &lore.Problem{
			Code: lore.CodeMissingToken, Detail: "send the header Authorization: Bearer with your token; POST /intake/register gives one",
		})
		return
	}
	identity, err := s.verify(ctx.Context(), token)
	if err != nil {
		s.writeProblem(humagin.Unwrap(ctx), err)
		return
	}
	request := requestOf(ctx.Context())
	request.identity, request.token = identity, token
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

// verify says whose a token is, when its turn has come: with a store that hangs, look-ups of tokens would pile up before any
// other queue.
func (s *server) verify(ctx context.Context, token string) (identity lore.Identity, err error) {
	err = s.inTurn(ctx, s.queues.tokens, false, func(ctx context.Context) (err error) {
		identity, err = s.Tokens.Verify(ctx, token)
		return err
	})
	return identity, err
}
