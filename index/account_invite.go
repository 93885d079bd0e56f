package index

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Invite makes one code for registrations that join a principal: an existing one, or a new one where principalID is empty. It
// returns the code, which is stored nowhere, and the principal. Errors: not_found, store_unavailable.
func (a *Accounts) Invite(ctx context.Context, principalID string, uses int, expires, now time.Time) (code, joined string, err error) {
	invite := account{Kind: kindInvite, Uses: uses, ExpiresAt: expires.UTC(), CreatedAt: now.UTC()}
	if principalID == "" {
		invite.Principal = lore.NewID()
	} else {
		if err := a.refresh(ctx); err != nil {
			return "", "", err
		}
		found, err := a.find(ctx, map[string]any{"bool": map[string]any{"should": []any{term("source_id", principalID), term("principal", principalID)}}})
		if err != nil {
			return "", "", err
		}
		if len(found) == 0 {
			return "", "", lore.NotFound("source or principal")
		}
		invite.principal = found[0].Source.principal
	}
	code = strings.ToLower(rand.Text())
	if _, err := a.create(ctx, inviteDocument(code), invite); err != nil {
		return "", "", wrapped("store invite", err)
	}
	return code, invite.Principal, nil
}

// inviteDocument returns the id of an invite's document: a code has 130 random bits, so its plain hash can't be guessed.
func inviteDocument(code string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(code))))
	return kindInvite + ":" + hex.EncodeToString(sum[:])
}

// joined returns the principal that a registration will belong to: its own, or the one whose token or invite it came with. The first
// registration of an invited principal says what the principal's owner and network are. Errors: invalid_invite, invalid_token, banned,
// store_unavailable.
func (a *Accounts) joined(ctx context.Context, enrolment lore.Enrolment, own principal) (principal, error) {
	switch {
	case enrolment.Invite != "":
		invite, err := a.get(ctx, inviteDocument(enrolment.Invite))
		if errors.Is(err, ErrNotFound) || err == nil && !invite.Source.mayInvite(enrolment.At) {
			err = invalidInvite()
		}
		if err == nil && invite.Source.OwnerKey != "" {
			return invite.Source.principal, nil
		}
		own.Principal = invite.Source.Principal
		return own, err
	case enrolment.Joins.Principal != "":
		held, err := a.get(ctx, enrolment.Joins.Account)
		switch {
		case errors.Is(err, ErrNotFound) || err == nil && held.Source.Principal != enrolment.Joins.Principal:
			return own, lore.InvalidToken()
		case err == nil && !held.Source.BannedAt.IsZero():
			return own, banned()
		}
		return held.Source.principal, err
	}
	return own, nil
}

// join makes a registration that has its name part of its principal: it uses the invite, and looks again whether the principal was
// banned meanwhile. Errors: as joined.
func (a *Accounts) join(ctx context.Context, enrolment lore.Enrolment, as principal) error {
	if enrolment.Invite == "" {
		_, err := a.joined(ctx, enrolment, as)
		return err
	}
	_, err := a.change(ctx, inviteDocument(enrolment.Invite), func(invite *account) error {
		if !invite.mayInvite(enrolment.At) {
			return invalidInvite()
		}
		if invite.OwnerKey == "" {
			invite.principal = as
		}
		invite.Uses--
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return invalidInvite()
	}
	return err
}

// giveBack returns the use of an invite whose registration failed. Where the store can't do it, the operator makes another.
func (a *Accounts) giveBack(ctx context.Context, enrolment lore.Enrolment) {
	if enrolment.Invite != "" {
		_, _ = a.change(context.WithoutCancel(ctx), inviteDocument(enrolment.Invite), func(invite *account) error { invite.Uses++; return nil })
	}
}

// mayInvite reports whether an invite is good for a registration.
func (a *account) mayInvite(at time.Time) bool { return a.Uses > 0 && at.Before(a.ExpiresAt) }

func invalidInvite() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeInvalidInvite, Detail: "the invite is unknown, used up or expired; ask the operator for another one",
		Fields: []lore.FieldError{{Pointer: "/invite", Code: "invalid_invite", Detail: "must be an invite that is valid"}},
	}
}

// bansDocument is the id of the document that says what is banned beside accounts.
const bansDocument = kindBans + ":all"

// checkNetwork refuses an address of a banned network. Errors: banned, store_unavailable.
func (a *Accounts) checkNetwork(ctx context.Context, client netip.Addr) error {
	if !client.IsValid() {
		return nil
	}
	bans, err := a.get(ctx, bansDocument)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return wrapped("look up bans", err)
	}
	for _, text := range bans.Source.Networks {
		if network, err := netip.ParsePrefix(text); err == nil && network.Contains(client.Unmap().WithZone("")) {
			return &lore.Problem{Code: lore.CodeBanned, Detail: "the operator of this service takes no registrations from this network"}
		}
	}
	return nil
}

// BanNetwork refuses registrations from a network from now on, or, with lift, no longer. It returns the sources that registered from
// it, as far as that is still known: of networks of the size that accounts are told apart by or smaller. Errors: store_unavailable.
func (a *Accounts) BanNetwork(ctx context.Context, network netip.Prefix, lift, dryRun bool, now time.Time) (sources []string, err error) {
	network = network.Masked()
	if !dryRun {
		if _, err := a.create(ctx, bansDocument, account{Kind: kindBans, CreatedAt: now.UTC()}); err != nil && !errors.Is(err, ErrConflict) {
			return nil, err
		}
		_, err := a.change(ctx, bansDocument, func(bans *account) error {
			bans.Networks = slices.DeleteFunc(bans.Networks, func(text string) bool { return text == network.String() })
			if !lift {
				bans.Networks = append(bans.Networks, network.String())
			}
			return nil
		})
		if err != nil {
			return nil, wrapped("store ban", err)
		}
	}
	key, err := a.networkKey(ctx, network.Addr(), now)
	if err != nil {
		return nil, err
	}
	if err := a.refresh(ctx); err != nil {
		return nil, err
	}
	found, err := a.find(ctx, term("network", key))
	for _, one := range found {
		sources = append(sources, one.Source.SourceID)
	}
	return sources, err
}

// Ban refuses the tokens of sources from now on, or, with lift, no longer. Errors: store_unavailable.
func (a *Accounts) Ban(ctx context.Context, sources []string, lift bool, now time.Time) error {
	return a.banWhere(ctx, lift, now, func() ([]storedAccount, error) {
		var found []storedAccount
		for some := range slices.Chunk(sources, changePage) {
			page, err := a.find(ctx, termsQuery("source_id", some))
			if err != nil {
				return nil, err
			}
			found = append(found, page...)
		}
		return found, nil
	})
}

// BanPrincipal is Ban for all sources of a principal, and takes its invites back. Errors: store_unavailable.
func (a *Accounts) BanPrincipal(ctx context.Context, principalID string, lift bool, now time.Time) error {
	if !lift {
		if err := a.refresh(ctx); err != nil {
			return err
		}
		invites, err := findAccounts(ctx, a.client, term("kind", kindInvite), term("principal", principalID))
		if err != nil {
			return err
		}
		for _, one := range invites {
			if _, err := a.change(ctx, one.ID, func(invite *account) error { invite.Uses = 0; return nil }); err != nil {
				return wrapped("take back invite", err)
			}
		}
	}
	return a.banWhere(ctx, lift, now, func() ([]storedAccount, error) { return a.find(ctx, term("principal", principalID)) })
}

// banWhere bans or unbans the accounts that are found, and again those that came meanwhile: a registration that joins a principal
// looks whether it is banned when its name is claimed, and so either sees the ban or is found.
func (a *Accounts) banWhere(ctx context.Context, lift bool, now time.Time, find func() ([]storedAccount, error)) error {
	for range 2 {
		if err := a.refresh(ctx); err != nil {
			return err
		}
		found, err := find()
		if err != nil {
			return err
		}
		for _, one := range found {
			_, err := a.change(ctx, one.ID, func(held *account) error {
				switch {
				case lift == held.BannedAt.IsZero():
					return errUnchanged
				case lift:
					held.BannedAt = time.Time{}
				default:
					held.BannedAt = now.UTC().Truncate(time.Millisecond)
				}
				return nil
			})
			if err != nil && !errors.Is(err, ErrNotFound) {
				return wrapped("ban", err)
			}
		}
	}
	return nil
}

// refresh makes what was written findable.
func (a *Accounts) refresh(ctx context.Context) error {
	return a.client.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{a.client.alias(accounts)}}, nil)
}
