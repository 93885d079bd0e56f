package tokens

import (
	"context"
	"errors"
	"time"

	"agentlore/lore"
)

// RotationGrace is how long a token goes on beside the one that replaces it, unless that one is used first: the design's
// bound. An agent that doesn't get the answer with its new token has as long to ask again with the old one.
const RotationGrace = 5 * time.Minute

// Rotate makes a new token for the bearer of this one, which must be verified. The old one stops at the new one's first
// use, within a second in every replica, and at until at the latest. Rotating by the same old token again takes back the
// new one of before, if nobody used it. Errors: invalid_token when the token was replaced or revoked meanwhile,
// store_unavailable; then the token that was given still works.
func (v *Verifier) Rotate(ctx context.Context, token string) (fresh string, until time.Time, err error) {
	fresh, err = Mint()
	if err != nil {
		return "", time.Time{}, err
	}
	now := v.now().UTC().Truncate(time.Millisecond)
	until = now.Add(RotationGrace)
	if err := v.accounts.Rotate(ctx, Hash(token), Hash(fresh), now, until); err != nil {
		return "", time.Time{}, err
	}
	return fresh, until, nil
}

// firstUse ends the token that this one was made to replace. That must succeed: else the bearer would take the old one for
// dead. A token that nobody used is in no cache, so its first use always comes here.
func (v *Verifier) firstUse(ctx context.Context, hash string, identity lore.Identity) (lore.Identity, error) {
	old, err := v.accounts.EndRotation(ctx, hash)
	if err != nil {
		return lore.Identity{}, err
	}
	if old != "" {
		var late *RevocationError
		if err := v.Revoke(ctx, old); errors.As(err, &late) {
			v.log.Warn("replicas may honour a replaced token a little longer", "at_most", late.Window.String(), "cause", late.Cause)
		} else if err != nil {
			return lore.Identity{}, err
		}
	}
	identity.Unused = false
	return identity, nil
}
