package accounts

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// olderAccount is a document of the accounts of before.
type olderAccount struct {
	Kind              string    `json:"kind"`
	SourceID          string    `json:"source_id"`
	Owner             string    `json:"owner"`
	OwnerKey          string    `json:"owner_key"`
	TokenHash         string    `json:"token_hash"`
	PreviousTokenHash string    `json:"previous_token_hash"`
	Secret            string    `json:"secret"`
	Pending           bool      `json:"pending"`
	CreatedAt         time.Time `json:"created_at"`
	Replaces          string    `json:"replaces"`
	ExpiresAt         time.Time `json:"expires_at"`
}

// converter makes the accounts of before into one document an account.
type converter struct {
	Accounts
	from, to string // indices
	taken    map[string]bool
}

// Convert writes the accounts of before, which are in an index named from, into the index named to, as one document an account. Every
// source becomes a principal of its own, since nothing proves that two are one, and keeps its tokens.
func Convert(ctx context.Context, client *index.Client, from, to string, say func(format string, values ...any)) (err error) {
	c := converter{Accounts{client: client}, from, to, map[string]bool{}}
	if c.secret, err = c.olderSecret(ctx); err != nil {
		return err
	}
	names := map[string]any{"bool": map[string]any{"filter": []any{index.Term("kind", "name"), index.Term("pending", false)}}}
	return index.Scan(ctx, client, from, names, true, func(page []index.Hit[olderAccount]) error {
		documents, err := c.convert(ctx, page)
		if err != nil {
			return err
		}
		say("%d accounts converted", len(c.taken))
		return c.write(ctx, documents)
	})
}

// olderSecret copies the secret under which owners are hashed, and returns it.
func (c *converter) olderSecret(ctx context.Context) ([]byte, error) {
	const id = kindSecret + ":owner-key"
	stored, err := index.Get[olderAccount](ctx, c.client, c.from, id)
	if err != nil {
		return nil, fmt.Errorf("owner key: %w", err)
	}
	kept := account{Kind: kindSecret, Secret: stored.Source.Secret, CreatedAt: stored.Source.CreatedAt}
	if err := c.write(ctx, map[string]account{id: kept}); err != nil {
		return nil, err
	}
	return hex.DecodeString(stored.Source.Secret)
}

// convert returns the accounts of a page of names, by key. Names that look alike were taken side by side before, and stay.
func (c *converter) convert(ctx context.Context, page []index.Hit[olderAccount]) (map[string]account, error) {
	var sources, hashes []string
	for _, hit := range page {
		one := hit.Source
		sources = append(sources, one.SourceID)
		for _, hash := range []string{one.TokenHash, one.PreviousTokenHash} {
			if hash != "" {
				hashes = append(hashes, "token:"+strings.ToLower(hash))
			}
		}
	}
	named, err := index.ReadByID[lore.Source](ctx, c.client, c.client.AliasOf(lore.Sources), sources)
	if err != nil {
		return nil, err
	}
	tokens, err := index.ReadByID[olderAccount](ctx, c.client, c.from, hashes)
	if err != nil {
		return nil, err
	}
	converted := make(map[string]account, len(page))
	for _, hit := range page {
		one := hit.Source
		source, there := named[one.SourceID]
		if !there {
			continue // half of a registration that nobody had an answer to
		}
		key := lore.AccountKey(source.Name)
		if c.taken[key] {
			key = lore.OlderAccountKey(source.Name)
		}
		c.taken[key] = true
		made := account{
			Kind: KindAccount, Name: source.Name, SourceID: one.SourceID, Owner: one.Owner, CreatedAt: one.CreatedAt,
			Imported:  one.TokenHash == "",
			principal: principal{Principal: lore.NewID(), OwnerKey: one.OwnerKey, Since: one.CreatedAt},
		}
		if !strings.Contains(one.Owner, scrubber.Marker) { // else what was given can't be told any more
			made.OwnerKey = c.ownerKey(one.Owner)
		}
		for _, hash := range []string{one.PreviousTokenHash, one.TokenHash} {
			if held, valid := tokens["token:"+strings.ToLower(hash)]; valid && hash != "" {
				made.Tokens = append(made.Tokens, token{Hash: strings.ToLower(hash), Unused: held.Replaces != "", ExpiresAt: held.ExpiresAt})
			}
		}
		converted[key] = made
	}
	return converted, nil
}

// write writes documents into the new index.
func (c *converter) write(ctx context.Context, documents map[string]account) error {
	var operations []index.Operation
	for id, document := range documents {
		operations = append(operations, index.Operation{Action: "index", Index: c.to, Concrete: true, ID: id, Document: document})
	}
	return index.Wrapped("write accounts", c.client.BulkAll(ctx, operations, nil))
}
