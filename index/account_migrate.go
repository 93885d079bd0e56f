package index

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

// accountsVersion is the version of the accounts' mapping from which on there is one document an account. Before, a name and a token
// had a document each, and owners stood for who is behind them.
const accountsVersion = 3

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

// convertAccounts makes the accounts of before into one document an account. Writes are blocked meanwhile: registrations and rotations
// wait. Every source becomes a principal of its own, since nothing proves that two are one, and keeps its tokens.
func (m *move) convertAccounts(ctx context.Context) error {
	if err := m.prepare(ctx); err != nil {
		return err
	}
	err := m.blockWrites(ctx)
	if err == nil {
		err = m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.from}}, nil)
	}
	if err == nil {
		err = m.convertAll(ctx)
	}
	if err == nil {
		err = m.publish(ctx)
	}
	if err == nil {
		err = m.swapAlias(ctx)
	}
	if err != nil && m.swapped(ctx) { // its answer was lost
		err = nil
	}
	if err != nil {
		m.unblock(m.from)
		m.discard()
	}
	return err
}

// convertAll writes the accounts into the new index.
func (m *move) convertAll(ctx context.Context) (err error) {
	owners := &Accounts{client: m.Client}
	if owners.secret, err = m.olderSecret(ctx); err != nil {
		return err
	}
	names := map[string]any{"bool": map[string]any{"filter": []any{Term("kind", "name"), Term("pending", false)}}}
	taken := map[string]bool{}
	return scan(ctx, m.Client, m.from, names, true, func(page []Hit[olderAccount]) error {
		documents, err := m.convert(ctx, owners, page, taken)
		if err != nil {
			return err
		}
		m.say("%d accounts converted", len(taken))
		return m.writeConverted(ctx, documents)
	})
}

// olderSecret copies the secret under which owners are hashed, and returns it.
func (m *move) olderSecret(ctx context.Context) ([]byte, error) {
	const id = kindSecret + ":owner-key"
	var stored struct {
		Source olderAccount `json:"_source"`
	}
	if err := m.Do(ctx, esapi.GetRequest{Index: m.from, DocumentID: id}, &stored); err != nil {
		return nil, fmt.Errorf("owner key: %w", err)
	}
	kept := account{Kind: kindSecret, Secret: stored.Source.Secret, CreatedAt: stored.Source.CreatedAt}
	if err := m.writeConverted(ctx, map[string]account{id: kept}); err != nil {
		return nil, err
	}
	return hex.DecodeString(stored.Source.Secret)
}

// convert returns the accounts of a page of names, by key. Names that look alike were taken side by side before, and stay.
func (m *move) convert(ctx context.Context, owners *Accounts, page []Hit[olderAccount], taken map[string]bool) (map[string]account, error) {
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
	named, err := ReadByID[lore.Source](ctx, m.Client, m.AliasOf(lore.Sources), sources)
	if err != nil {
		return nil, err
	}
	tokens, err := ReadByID[olderAccount](ctx, m.Client, m.from, hashes)
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
		if taken[key] {
			key = lore.OlderAccountKey(source.Name)
		}
		taken[key] = true
		made := account{
			Kind: KindAccount, Name: source.Name, SourceID: one.SourceID, Owner: one.Owner, CreatedAt: one.CreatedAt,
			Imported:  one.TokenHash == "",
			principal: principal{Principal: lore.NewID(), OwnerKey: one.OwnerKey, Since: one.CreatedAt},
		}
		if !strings.Contains(one.Owner, scrubber.Marker) { // else what was given can't be told any more
			made.OwnerKey = owners.ownerKey(one.Owner)
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

// writeConverted writes documents into the new index.
func (m *move) writeConverted(ctx context.Context, documents map[string]account) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(documents)), copyBatch) {
		operations := make([]Operation, len(some))
		for i, id := range some {
			operations[i] = Operation{Action: "index", Index: m.to, Concrete: true, ID: id, Document: documents[id]}
		}
		if err := m.BulkAll(ctx, operations); err != nil {
			return fmt.Errorf("write accounts: %w", err)
		}
	}
	return nil
}
