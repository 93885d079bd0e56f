package index

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

const accounts = "accounts"

// Kinds of documents in the accounts index.
const (
	kindName   = "name"
	kindToken  = "token"
	kindSecret = "secret"
)

// Accounts keeps who owns which name and token. It is the one index that no analyst reads: privacy is by index, since
// field-level security isn't part of Elasticsearch's basic licence.
//
// _id is Elasticsearch's only unique constraint. So a name is claimed by creating the document "name:<hash>", and of two
// simultaneous registrations exactly one succeeds. A token is looked up as "token:<hash>", and since a get by id is
// real-time, a new token works and a revoked one fails at once, whatever the refresh interval.
type Accounts struct {
	client  *Client
	secret  []byte
	sources Collection[lore.Source]
	lost    lostClaims
	pending pendingClaims
}

// account is a document of the accounts index.
type account struct {
	Kind      string    `json:"kind"`
	SourceID  string    `json:"source_id,omitempty"`
	Owner     string    `json:"owner,omitempty"`
	OwnerKey  string    `json:"owner_key,omitempty"`
	TokenHash string    `json:"token_hash,omitempty"`
	Secret    string    `json:"secret,omitempty"`
	Pending   bool      `json:"pending"`
	CreatedAt time.Time `json:"created_at"`

	// Of a rotation that isn't over (see account_rotation.go).
	PreviousTokenHash string    `json:"previous_token_hash,omitempty"` // of a name: the token that was replaced and may still be in use
	Replaces          string    `json:"replaces,omitempty"`            // of a token that nobody has used yet: the hash of the one it replaces
	ExpiresAt         time.Time `json:"expires_at,omitzero"`           // of a token that was replaced
}

// OpenAccounts returns the accounts, making the secret under which owners are told apart on the very first start.
func OpenAccounts(ctx context.Context, client *Client) (*Accounts, error) {
	a := &Accounts{
		client: client, sources: NewCollection[lore.Source](client, lore.Sources, "source"),
		pending: pendingClaims{wait: claimWait, life: claimLife, since: map[string]time.Time{}},
	}
	const id = kindSecret + ":owner-key"
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	_, err := a.create(ctx, id, account{Kind: kindSecret, Secret: hex.EncodeToString(fresh), CreatedAt: time.Now().UTC()})
	if err != nil && !errors.Is(err, errConflict) {
		return nil, fmt.Errorf("owner key: %w", err)
	}
	stored, err := a.get(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("owner key: %w", err)
	}
	if a.secret, err = hex.DecodeString(stored.Source.Secret); err != nil || len(a.secret) < 32 {
		return nil, errors.New("the owner key in the accounts index is damaged")
	}
	return a, nil
}

// OwnerKey returns what stands for an owner: an HMAC, because a bare hash of a name can be guessed. It is made of the
// owner as given, so that two owners who gave e-mail addresses, which the scrubber makes equal, stay two.
func (a *Accounts) OwnerKey(owner string) string {
	mac := hmac.New(sha256.New, a.secret)
	mac.Write([]byte(lore.NameKey(owner)))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Register claims the name and stores source and token. An empty token hash registers a source that can't submit: an
// importer's. Errors: name_taken, store_unavailable. What a crash leaves half done, Sweep removes.
func (a *Accounts) Register(ctx context.Context, scrubbed scrubber.Scrubbed[lore.Registration], ownerKey, tokenHash string, now time.Time) (lore.Source, error) {
	registration := scrubbed.Value()
	source := newSource(registration, now)
	claim := newClaim(registration, source, ownerKey, tokenHash)
	nameID := nameDocument(registration.Name)
	claimed, err := a.claim(ctx, nameID, claim)
	if err != nil {
		return lore.Source{}, err
	}
	err = a.client.createDocument(ctx, a.client.aliasOf(lore.Sources), source.ID, source)
	if errors.Is(err, errConflict) {
		err = nil // the id is ours alone: a lost answer was tried again
	}
	if err == nil {
		err = a.finish(ctx, nameID, claim, claimed)
	}
	if err != nil {
		a.undo(ctx, nameID, claim)
		return lore.Source{}, fmt.Errorf("store source and token: %w", err)
	}
	return source, nil
}

func newSource(registration lore.Registration, now time.Time) lore.Source {
	return lore.Source{
		ID: lore.NewID(), Name: registration.Name, Type: registration.Type, Ecosystem: registration.Ecosystem,
		Description: registration.Description, Reputation: lore.NeutralReputation, CreatedAt: now.UTC().Truncate(time.Millisecond),
	}
}

// newClaim returns the document that takes a source's name, not complete yet.
func newClaim(registration lore.Registration, source lore.Source, ownerKey, tokenHash string) account {
	return account{
		Kind: kindName, SourceID: source.ID, Owner: registration.Owner, OwnerKey: ownerKey, TokenHash: tokenHash,
		Pending: true, CreatedAt: source.CreatedAt,
	}
}

// IdentityByToken returns who bears the token with this SHA-256 (hex), also of one whose time is over: the caller looks
// at ExpiresAt. Errors: invalid_token, store_unavailable.
func (a *Accounts) IdentityByToken(ctx context.Context, tokenHash string) (lore.Identity, error) {
	stored, err := a.byToken(ctx, tokenHash)
	if err != nil {
		return lore.Identity{}, err
	}
	return lore.Identity{
		SourceID: stored.Source.SourceID, OwnerKey: stored.Source.OwnerKey,
		ExpiresAt: stored.Source.ExpiresAt, Unused: stored.Source.Replaces != "",
	}, nil
}

// byToken returns a token's document, or invalid_token.
func (a *Accounts) byToken(ctx context.Context, tokenHash string) (storedAccount, error) {
	stored, err := a.get(ctx, tokenDocument(tokenHash))
	if errors.Is(err, errNotFound) {
		return stored, errTokenGone
	}
	if err != nil {
		return stored, fmt.Errorf("look up token: %w", err)
	}
	return stored, nil
}

// errTokenGone answers for a token that isn't there.
var errTokenGone = lore.InvalidToken()

// abandonedAge is how old a half-done registration must be before another may settle it in passing: longer than a request
// lives. Sweep waits longer, since nobody waits for it.
const abandonedAge = time.Minute

// SourceByName returns the source that has a name, with its owner key and whether a token was ever issued to it. A
// registration that is under way, or that died a moment ago, is a reason to come back. Errors: not_found,
// store_unavailable.
func (a *Accounts) SourceByName(ctx context.Context, name string) (identity lore.Identity, live bool, err error) {
	stored, err := a.byName(ctx, name)
	if err != nil {
		return lore.Identity{}, false, err
	}
	if stored.Source.Pending {
		if time.Since(stored.Source.CreatedAt) < abandonedAge {
			return lore.Identity{}, false, lore.StoreUnavailable(errors.New("a registration of this name is under way"))
		}
		if err := a.settle(ctx, stored); err != nil {
			return lore.Identity{}, false, err
		}
		return a.SourceByName(ctx, name)
	}
	holder := holderIn(stored)
	return holder.Identity, holder.Live, nil
}

// nameDocument returns the id of a name's document. It is hashed because an _id holds 512 bytes at most.
func nameDocument(name string) string {
	sum := sha256.Sum256([]byte(lore.NameKey(name)))
	return kindName + ":" + hex.EncodeToString(sum[:])
}

// tokenDocument returns the id of a token's document.
func tokenDocument(tokenHash string) string { return kindToken + ":" + strings.ToLower(tokenHash) }

// storedAccount is an account as read, with what an update must match.
type storedAccount struct {
	ID string `json:"_id"`
	revision
	Source account `json:"_source"`
}

func (a *Accounts) get(ctx context.Context, id string) (storedAccount, error) {
	var stored storedAccount
	err := a.client.do(ctx, esapi.GetRequest{Index: a.client.alias(accounts), DocumentID: id}, &stored)
	return stored, err
}

// create stores a document under an id that must be new. Errors: errConflict.
func (a *Accounts) create(ctx context.Context, id string, document account) (written revision, err error) {
	return a.client.index(ctx, esapi.IndexRequest{Index: a.client.alias(accounts), DocumentID: id, OpType: "create"}, document)
}
