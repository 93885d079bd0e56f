package accounts

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

	"agentlore/index"
	"agentlore/lore"
)

// Invite makes one code for registrations that join a principal: an existing one, or a new one where principalID is empty. It
// returns the code, which is stored nowhere, and the principal. Errors: not_found, store_unavailable.
func (a *Accounts) Invite(ctx context.Context, principalID string, uses int, expires, now time.Time) (code, joined string, err error) {
	invite := account{Kind: kindInvite, Uses: uses, ExpiresAt: expires.UTC(), CreatedAt: now.UTC(), principal: principal{Principal: lore.NewID()}}
	if principalID != "" {
		found, err := a.ofPrincipal(ctx, principalID)
		if err != nil {
			return "", "", err
		}
		invite.principal = found[0].Source.principal
	}
	code = strings.ToLower(rand.Text())
	if err := a.client.CreateDocument(ctx, a.alias, inviteDocument(code), invite); err != nil {
		return "", "", index.Wrapped("store invite", err)
	}
	return code, invite.Principal, nil
}

// InviteEach makes one code for so many registrations, each of which is a principal of its own. It returns the code, which is stored
// nowhere, and the principals, which nobody else can become. Errors: store_unavailable.
func (a *Accounts) InviteEach(ctx context.Context, uses int, expires, now time.Time) (code string, principals []string, err error) {
	invite := account{Kind: kindInvite, Uses: uses, ExpiresAt: expires.UTC(), CreatedAt: now.UTC()}
	for range uses {
		invite.Each = append(invite.Each, lore.NewID())
	}
	code = strings.ToLower(rand.Text())
	return code, invite.Each, index.Wrapped("store invite", a.client.CreateDocument(ctx, a.alias, inviteDocument(code), invite))
}

// EndInvite makes an invite good for no more registrations; with dryRun it only looks. It returns the principals that it was for and that
// it can bring nobody to any more. Errors: invalid_invite, store_unavailable.
func (a *Accounts) EndInvite(ctx context.Context, code string, dryRun bool, now time.Time) (principals []string, err error) {
	_, err = a.change(ctx, inviteDocument(code), func(invite *account) error {
		if principals = invite.Each; invite.Principal != "" {
			principals = []string{invite.Principal}
		}
		if dryRun {
			return index.ErrUnchanged
		}
		invite.Uses, invite.Each, invite.ExpiresAt = 0, nil, now.UTC() // it is over for a registration that fails and gives its use back too
		return nil
	})
	if errors.Is(err, index.ErrNotFound) {
		err = invalidInvite()
	}
	return principals, index.Wrapped("end invite", err)
}

// inviteDocument returns the id of an invite's document: a code has 130 random bits, so its plain hash can't be guessed.
func inviteDocument(code string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(code))))
	return kindInvite + ":" + hex.EncodeToString(sum[:])
}

// join makes a registration part of the principal whose invite or token it came with; one with neither is of a principal of its own. The
// first registration of an invited principal says what the principal's owner and network are. Errors: invalid_invite, invalid_token,
// banned, store_unavailable.
func (a *Accounts) join(ctx context.Context, enrolment lore.Enrolment, mine *account) error {
	if enrolment.Joins.Account != "" {
		bearer, err := a.checkDescent(ctx, enrolment.Joins)
		if err != nil {
			return err
		}
		mine.RegisteredBy, mine.Ancestors = bearer.Source.SourceID, append(slices.Clone(bearer.Source.Ancestors), bearer.ID)
		if enrolment.Invite == "" {
			mine.principal = bearer.Source.principal
		}
	}
	if enrolment.Invite == "" {
		return nil
	}
	_, err := a.change(ctx, inviteDocument(enrolment.Invite), func(invite *account) error { return a.admit(invite, mine, enrolment.At) })
	if errors.Is(err, index.ErrNotFound) {
		err = invalidInvite()
	}
	return err
}

// admit makes a registration part of an invite's principal, or of the next one of those that it has.
func (a *Accounts) admit(invite, mine *account, at time.Time) error {
	if invite.Uses < 1 || !at.Before(invite.ExpiresAt) || !invite.BannedAt.IsZero() {
		return invalidInvite()
	}
	invite.Uses--
	if last := len(invite.Each) - 1; last >= 0 {
		mine.Principal, invite.Each = invite.Each[last], invite.Each[:last]
		// The operator said that each is somebody else, so the team's name, which all of them type as their owner, doesn't make them one.
		mine.OwnerKey = keyed(a.secret, "principal\x00"+mine.Principal)
		return nil
	}
	if invite.OwnerKey == "" {
		own := mine.principal
		own.Principal = invite.Principal
		invite.principal = own
	}
	mine.principal = invite.principal
	return nil
}

// giveBack makes an invite good for the use that a registration took of it.
func giveBack(invite *account, mine account) {
	invite.Uses++
	if invite.Principal == "" {
		invite.Each = append(invite.Each, mine.Principal)
	}
}

// checkOrigin refuses a registration that is stored, if what it came with holds no longer. Who bans a principal or ends a token changes the
// documents that are read here, and then looks for accounts: one of both sees the other.
func (a *Accounts) checkOrigin(ctx context.Context, enrolment lore.Enrolment) error {
	if enrolment.Joins.Account != "" {
		if _, err := a.checkDescent(ctx, enrolment.Joins); err != nil {
			return err
		}
	}
	if enrolment.Invite == "" {
		return nil
	}
	invite, err := a.get(ctx, inviteDocument(enrolment.Invite))
	switch {
	case errors.Is(err, index.ErrNotFound):
		return invalidInvite()
	case err == nil && !invite.Source.BannedAt.IsZero():
		return banned()
	}
	return err
}

func invalidInvite() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeInvalidInvite, Detail: "the invite is unknown, used up or expired; ask the operator for another one",
		Fields: []lore.FieldError{{Pointer: "/invite", Code: "invalid_invite", Detail: "must be an invite that is valid"}},
	}
}

// banned answers for a source that the operator banned.
func banned() *lore.Problem {
	return &lore.Problem{Code: lore.CodeBanned, Detail: "the operator of this service banned this source; nothing more is taken from it; ask the operator"}
}

// ofPrincipal returns all accounts of a principal, which is named by its id or by one of its sources. Errors: not_found,
// store_unavailable.
func (a *Accounts) ofPrincipal(ctx context.Context, id string) ([]Stored, error) {
	named := map[string]any{"bool": map[string]any{"should": []any{index.Term("source_id", id), index.Term("principal", id)}}}
	found, err := a.findNow(ctx, named, index.Term("kind", KindAccount))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, lore.NotFound("source or principal")
	}
	return a.find(ctx, index.Term("principal", found[0].Source.Principal))
}

// PrincipalOf returns the principal of a source, or that of the id itself where it is one, with all its sources. Errors: not_found,
// store_unavailable.
func (a *Accounts) PrincipalOf(ctx context.Context, id string) (principal string, sources []string, err error) {
	found, err := a.ofPrincipal(ctx, id)
	if err != nil {
		return "", nil, err
	}
	return found[0].Source.Principal, sourcesOf(found), nil
}

func sourcesOf(found []Stored) (sources []string) {
	for _, one := range found {
		sources = append(sources, one.Source.SourceID)
	}
	slices.Sort(sources)
	return sources
}

// Ban refuses the tokens of sources from now on, or, with lift, no longer. Errors: store_unavailable.
func (a *Accounts) Ban(ctx context.Context, sources []string, lift bool, now time.Time) error {
	for some := range slices.Chunk(sources, index.ChangePage) {
		if err := a.banWhere(ctx, index.TermsQuery("source_id", some), lift, now); err != nil {
			return err
		}
	}
	return nil
}

// BanPrincipal is Ban for all sources of a principal and for its invites. Errors: store_unavailable.
func (a *Accounts) BanPrincipal(ctx context.Context, principalID string, lift bool, now time.Time) error {
	return a.banWhere(ctx, index.Term("principal", principalID), lift, now)
}

// banWhere bans or unbans the accounts and invites that pass a filter, and again those that came meanwhile.
func (a *Accounts) banWhere(ctx context.Context, filter any, lift bool, now time.Time) error {
	for range 2 {
		found, err := a.findNow(ctx, filter)
		if err != nil {
			return err
		}
		for _, one := range found {
			_, err := a.change(ctx, one.ID, func(held *account) error {
				switch {
				case lift == held.BannedAt.IsZero():
					return index.ErrUnchanged
				case lift:
					held.BannedAt = time.Time{}
				default:
					held.BannedAt = now.UTC().Truncate(time.Millisecond)
				}
				return nil
			})
			if err != nil && !errors.Is(err, index.ErrNotFound) {
				return index.Wrapped("ban", err)
			}
		}
	}
	return nil
}

// bansDocument is the id of the document that says which networks are banned.
const bansDocument = kindBans + ":all"

// checkNetwork refuses an address of a banned network. Errors: banned, store_unavailable.
func (a *Accounts) checkNetwork(ctx context.Context, client netip.Addr) error {
	bans, err := a.get(ctx, bansDocument)
	if errors.Is(err, index.ErrNotFound) || !client.IsValid() {
		return nil
	}
	if err != nil {
		return index.Wrapped("look up bans", err)
	}
	for _, text := range bans.Source.Networks {
		if network, err := netip.ParsePrefix(text); err == nil && network.Contains(client.Unmap().WithZone("")) {
			return &lore.Problem{Code: lore.CodeBanned, Detail: "the operator of this service takes no registrations from this network; ask the operator"}
		}
	}
	return nil
}

// BanNetwork refuses registrations from a network from now on, or, with lift, no longer. It returns the sources that registered from
// it, as far as that is still known: of networks of the size that accounts are told apart by or smaller. Errors: store_unavailable.
func (a *Accounts) BanNetwork(ctx context.Context, network netip.Prefix, lift, dryRun bool, now time.Time) (sources []string, err error) {
	network = network.Masked()
	if !dryRun {
		_, err := index.Edit(ctx, a.client, a.alias, bansDocument, func(bans *account, _ bool) error {
			kept := slices.DeleteFunc(bans.Networks, func(text string) bool { return text == network.String() })
			if !lift {
				kept = append(kept, network.String())
			}
			*bans = account{Kind: kindBans, Networks: kept, CreatedAt: now.UTC()}
			return nil
		})
		if err != nil {
			return nil, index.Wrapped("store ban", err)
		}
	}
	key, err := a.networkKey(ctx, network.Addr(), now)
	if err != nil {
		return nil, err
	}
	found, err := a.findNow(ctx, index.Term("network", key), index.Term("kind", KindAccount))
	return sourcesOf(found), err
}

// SourcesOf returns the sources of a bearer's principal. Errors: store_unavailable.
func (a *Accounts) SourcesOf(ctx context.Context, bearer lore.Identity) ([]string, error) {
	found, err := a.find(ctx, index.Term("principal", bearer.Principal))
	return append(sourcesOf(found), bearer.SourceID), err
}

// IsOf reports whether a source is of a principal, as things are now: a search would not see an account that was made a moment ago.
// Errors: store_unavailable.
func (a *Accounts) IsOf(ctx context.Context, sourceID, principal string) (bool, error) {
	found, err := index.ReadByID[lore.Source](ctx, a.client, a.client.AliasOf(lore.Sources), []string{sourceID})
	source, there := found[sourceID]
	if err != nil || !there {
		return false, err
	}
	known, err := a.readNames(ctx, source.Name)
	for _, held := range known {
		if held.Source.SourceID == sourceID && held.Source.Principal == principal {
			return true, nil
		}
	}
	return false, err
}
