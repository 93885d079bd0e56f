package index

import (
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/tokens"
)

// What a rotation leaves behind when nobody uses the new token, or when it died before the account knew of it, the sweep
// settles, and not before the old token's time is over.
func TestSweepSettlesRotations(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	a := openAccounts(t, client)
	if 2*sweepAge <= tokens.RotationGrace {
		t.Errorf("the sweep ends rotations after %s, while a token has %s", 2*sweepAge, tokens.RotationGrace)
	}
	rotated := time.Now().Add(-2*sweepAge - time.Minute)
	old, fresh := tokenHashOf("Rot old"), tokenHashOf("Rot new")
	if _, err := a.Register(t.Context(), clean(t, registration("Rot", "x")), a.OwnerKey("x"), old, rotated); err != nil {
		t.Fatal(err)
	}
	if err := a.Rotate(t.Context(), old, fresh, rotated, rotated.Add(tokens.RotationGrace)); err != nil {
		t.Fatal(err)
	}
	youngOld, youngFresh := tokenHashOf("Young old"), tokenHashOf("Young new")
	source, err := a.Register(t.Context(), clean(t, registration("Rot Young", "x")), a.OwnerKey("x"), youngOld, rotated)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Rotate(t.Context(), youngOld, youngFresh, time.Now(), time.Now().Add(tokens.RotationGrace)); err != nil {
		t.Fatal(err)
	}
	orphan := account{Kind: kindToken, SourceID: source.ID, OwnerKey: "key", Replaces: youngOld, CreatedAt: rotated.UTC()}
	if _, err := a.create(t.Context(), tokenDocument(tokenHashOf("Rot orphan")), orphan); err != nil {
		t.Fatal(err)
	}
	refresh(t, client, accounts)
	if done, err := a.Sweep(t.Context(), time.Now()); err != nil || done < 2 {
		t.Fatalf("swept %d, %v", done, err)
	}
	for _, gone := range []string{old, tokenHashOf("Rot orphan")} {
		if _, err := a.IdentityByToken(t.Context(), gone); code(err) != lore.CodeInvalidToken {
			t.Errorf("a token that should have ended: %v", err)
		}
	}
	if identity, err := a.IdentityByToken(t.Context(), fresh); err != nil || identity.Unused || !identity.ExpiresAt.IsZero() {
		t.Errorf("the new token is %+v, %v", identity, err)
	}
	if identity, err := a.IdentityByToken(t.Context(), youngOld); err != nil || identity.ExpiresAt.IsZero() {
		t.Errorf("a replaced token that has time left is %+v, %v", identity, err)
	}
	if identity, err := a.IdentityByToken(t.Context(), youngFresh); err != nil || !identity.Unused {
		t.Errorf("a new token that has time left is %+v, %v", identity, err)
	}
}

// A rotation that meets a revocation fails, or is revoked with it: no token survives.
func TestRotationMeetsRevocation(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	for range 5 {
		name := "Rot Revoke " + lore.NewID()
		old, fresh := tokens.Hash(name), tokens.Hash(name+" new")
		if _, err := a.Register(t.Context(), clean(t, registration(name, "x")), a.OwnerKey("x"), old, time.Now()); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			done <- a.Rotate(t.Context(), old, fresh, time.Now(), time.Now().Add(time.Minute))
		}()
		_, err := a.RevokeToken(t.Context(), name, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil && code(err) != lore.CodeInvalidToken {
			t.Errorf("the rotation: %v", err)
		}
		for _, hash := range []string{old, fresh} {
			if _, err := a.IdentityByToken(t.Context(), hash); code(err) != lore.CodeInvalidToken {
				t.Errorf("a token survived the revocation: %v", err)
			}
		}
	}
}
