// Package accounts keeps who owns which name and token, and which principal stands behind it.
package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// Kinds of documents in the accounts index.
const (
	KindAccount = "account"
	kindInvite  = "invite"
	kindBans    = "bans"
	kindSecret  = "secret"
)

// Accounts keeps who owns which name and token, and which principal stands behind it. It is the one index that no analyst reads:
// privacy is by index, since field-level security isn't part of Elasticsearch's basic licence.
//
// There is one document an account. Its id is made of the account's name (lore.AccountKey), and _id is Elasticsearch's only unique
// constraint: of two simultaneous registrations of one name exactly one succeeds. The account's tokens carry that id, and a get by
// id is real-time: a new token works and a revoked one fails at once, whatever the refresh interval. Every change is written over
// the revision that was read.
type Accounts struct {
	client *index.Client
	alias  string
	secret []byte
	undos  atomic.Int64 // failed registrations that are being taken back in the background
}

// account is a document of the accounts index: an account, an invite, a secret or the banned networks.
type account struct {
	Kind      string    `json:"kind"`
	Name      string    `json:"name,omitempty"`
	SourceID  string    `json:"source_id,omitempty"`
	Owner     string    `json:"owner,omitempty"` // scrubbed
	Tokens    []token   `json:"tokens,omitempty"`
	Imported  bool      `json:"imported,omitempty"`
	BannedAt  time.Time `json:"banned_at,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	// RegisteredBy is the source whose token the registration came with; empty: it came without one. Ancestors are the accounts that it
	// descends from (descent.go), that source's last.
	RegisteredBy string   `json:"registered_by,omitempty"`
	Ancestors    []string `json:"ancestors,omitempty"`
	// EndedAt is since when the tokens are refused because EndedBy, from which the source descends, ended it; empty: an operator. The tokens are
	// kept: if a thief did it, that is undone.
	EndedAt time.Time `json:"ended_at,omitzero"`
	EndedBy string    `json:"ended_by,omitempty"`
	principal
	Webhook *lore.Hook `json:"webhook,omitempty"`

	Uses int `json:"uses,omitempty"` // of an invite: those that are left
	// Each are, of an invite for principals of their own, the principals that are left; the invite itself has none then.
	Each      []string  `json:"each,omitempty"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Networks  []string  `json:"networks,omitempty"` // of the bans
	Secret    string    `json:"secret,omitempty"`
}

// principal is who stands behind an account. All accounts of one principal say the same: what its first one gave.
type principal struct {
	Principal string    `json:"principal,omitempty"`
	OwnerKey  string    `json:"owner_key,omitempty"`
	Network   string    `json:"network,omitempty"`
	Since     time.Time `json:"since,omitzero"`
}

// token is one that an account has: it has two while one replaces the other.
type token struct {
	Hash string `json:"hash"`
	// Unused: it was made to replace the account's other one, which its first use ends.
	Unused bool `json:"unused,omitempty"`
	// ExpiresAt is when a replaced token stops.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// Stored is an account as read, with what an update must match.
type Stored = index.Stored[account]

// identityOf returns what is known of an account's bearer.
func identityOf(s Stored) lore.Identity {
	return lore.Identity{SourceID: s.Source.SourceID, Principal: s.Source.Principal, Account: s.ID}
}

// token returns the account's token with a hash, or nil if it has none or was ended.
func (a *account) token(hash string) *token {
	if !a.EndedAt.IsZero() {
		return nil
	}
	if i := slices.IndexFunc(a.Tokens, func(t token) bool { return t.Hash == hash }); i >= 0 {
		return &a.Tokens[i]
	}
	return nil
}

// Open returns the accounts, making the secret under which owners and networks are hashed on the very first start.
func Open(ctx context.Context, client *index.Client) (a *Accounts, err error) {
	a = &Accounts{client: client, alias: client.Alias(index.AccountsIndex)}
	if a.secret, err = a.secretOf(ctx, "owner-key", time.Now(), 0); err == nil && len(a.secret) < secretSize {
		err = errors.New("it is damaged")
	}
	return a, index.Wrapped("owner key", err)
}

const secretSize = 32 // bytes

// secretOf returns a secret by its name, making it where there is none, or where the one that is there has had its life; 0: it has none.
func (a *Accounts) secretOf(ctx context.Context, name string, now time.Time, life time.Duration) ([]byte, error) {
	stored, err := index.Edit(ctx, a.client, a.alias, kindSecret+":"+name, func(held *account, there bool) error {
		if there && (life == 0 || now.Sub(held.CreatedAt) < life) {
			return index.ErrUnchanged
		}
		fresh := make([]byte, secretSize)
		_, _ = rand.Read(fresh) // never fails: it ends the process instead
		*held = account{Kind: kindSecret, Secret: hex.EncodeToString(fresh), CreatedAt: now.UTC()}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(stored.Source.Secret)
}

// ownerKey returns what stands for an owner: an HMAC, because a bare hash of a name can be guessed. It is made of the
// owner as given, so that two owners who gave e-mail addresses, which the scrubber makes equal, stay two.
func (a *Accounts) ownerKey(owner string) string { return keyed(a.secret, lore.NameKey(owner)) }

func keyed(secret []byte, text string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Masker returns what stands for people whom an import names, by the names that they have there: an HMAC under a key that the store alone
// has, so that readers can tell them apart, and nobody finds out who they are. It is the same for every import into this store. Errors:
// store_unavailable.
func (a *Accounts) Masker(ctx context.Context) (func(name string) string, error) {
	secret, err := a.secretOf(ctx, "person-key", time.Now(), 0)
	if err != nil {
		return nil, index.Wrapped("person key", err)
	}
	return func(name string) string { return "person-" + keyed(secret, strings.ToLower(name))[:personLength] }, nil
}

// personLength is how many digits stand for a person: of a hundred thousand, no two are likely to have the same.
const personLength = 12

// networkKeyLife is for how long a network can be told by the hash that stands for it: then the key is replaced, and nobody can
// make the hash of an address again. The design drops networks after 90 days; hashes that say which accounts came from one stay.
const networkKeyLife = 90 * 24 * time.Hour

// networkKey returns what stands for a client's network, or "" for none.
func (a *Accounts) networkKey(ctx context.Context, client netip.Addr, now time.Time) (string, error) {
	network, ok := lore.NetworkOf(client)
	if !ok {
		return "", nil
	}
	secret, err := a.secretOf(ctx, "network-key", now, networkKeyLife)
	if err != nil {
		return "", fmt.Errorf("network key: %w", err)
	}
	return keyed(secret, network.String()), nil
}

// holderOf returns the account of a name among those that were read by the name's keys, or else the key that the name can have; neither,
// where others have both. Two names that look alike stand side by side only where the operator imports one, or where both were there
// before names came to be compared by how they look.
func holderOf(known map[string]Stored, name string) (held Stored, key string) {
	for _, key := range accountKeys(name) {
		held, there := known[key]
		if !there {
			return Stored{}, key
		}
		if lore.LegacyNameKey(held.Source.Name) == lore.LegacyNameKey(name) {
			return held, ""
		}
	}
	return Stored{}, ""
}

func accountKeys(name string) []string {
	return []string{lore.AccountKey(name), lore.OlderAccountKey(name)}
}

// byName returns the account of a name. Errors: not_found, store_unavailable.
func (a *Accounts) byName(ctx context.Context, name string) (Stored, error) {
	known, err := a.readNames(ctx, name)
	if err != nil {
		return Stored{}, fmt.Errorf("look up name: %w", err)
	}
	held, _ := holderOf(known, name)
	if held.ID == "" {
		return held, &lore.Problem{Code: lore.CodeNotFound, Detail: "there is no source of this name"}
	}
	return held, nil
}

// change stores what edit makes of a document, as index.Edit does. Errors: ErrNotFound, and as there.
func (a *Accounts) change(ctx context.Context, id string, edit func(*account) error) (Stored, error) {
	return index.Edit(ctx, a.client, a.alias, id, func(held *account, there bool) error {
		if !there {
			return index.ErrNotFound
		}
		return edit(held)
	})
}

func (a *Accounts) get(ctx context.Context, id string) (Stored, error) {
	return index.Get[account](ctx, a.client, a.alias, id)
}

// find returns the accounts that pass a filter, as searches see them: what was written within the last second may be missing.
func (a *Accounts) find(ctx context.Context, filter ...any) ([]Stored, error) {
	return Find(ctx, a.client, append(filter, index.Term("kind", KindAccount))...)
}

// findNow is find after a refresh: nothing is missing.
func (a *Accounts) findNow(ctx context.Context, filter ...any) ([]Stored, error) {
	if err := a.client.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{a.alias}}, nil); err != nil {
		return nil, err
	}
	return Find(ctx, a.client, filter...)
}

// Find returns the documents of the accounts that pass all filters, in the order of their last change: one that is changed
// meanwhile comes again, none is left out. They come without their revisions.
func Find(ctx context.Context, c *index.Client, filter ...any) (found []Stored, err error) {
	query, order := map[string]any{"bool": map[string]any{"filter": filter}}, []any{map[string]any{"_seq_no": "asc"}}
	err = index.EachHit(ctx, c, c.Alias(index.AccountsIndex), query, order, func(hits []index.Hit[account]) error {
		for _, hit := range hits {
			found = append(found, Stored{ID: hit.ID, Source: hit.Source})
		}
		return nil
	})
	return found, err
}

// readNames reads the accounts that may have a name, by key, as they are now; see holderOf.
func (a *Accounts) readNames(ctx context.Context, name string) (map[string]Stored, error) {
	return index.ReadStored[account](ctx, a.client, a.alias, accountKeys(name))
}
