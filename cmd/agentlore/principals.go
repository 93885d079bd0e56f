package main

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"agentlore/lore"
)

// onePrincipal is a decision on a principal, which is named by its id or by one of its sources.
type onePrincipal struct {
	decisionFlags
	ID string `arg:"" help:"Id of a source, or of a principal."`
}

// Run gives the principal behind the id standing, or takes it.
func (c *onePrincipal) Run(ctx context.Context, d *desk) error {
	principal, sources, err := d.store.accounts.PrincipalOf(ctx, c.ID)
	if err != nil {
		return err
	}
	if err := d.decide(ctx, lore.Target{Collection: lore.Principals, ID: principal}, nil, nil); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out.stdout, "it has %d sources\n", len(sources))
	for _, id := range sources {
		if d.dry && err == nil {
			_, err = fmt.Fprintf(d.out.stdout, "  %s\n", id)
		}
	}
	return err
}

type inviteCommand struct {
	decisionFlags
	Principal string        `default:"new" help:"Whom registrations with the code join: new, a new principal of theirs; or the id of a source or principal."`
	Each      bool          `help:"Each registration is a principal of its own, so that a team is as many voices as it has members."`
	Uses      int           `default:"1" help:"How many registrations the code is good for."`
	Expires   time.Duration `default:"168h" help:"For how long it is good."`
	End       string        `help:"End this code instead: it is good for no more registrations." placeholder:"CODE"`
}

// Run prints an invite's code, this once.
func (c *inviteCommand) Run(ctx context.Context, d *desk) error {
	switch {
	case c.End != "":
		return c.end(ctx, d)
	case c.Uses < 1 || c.Expires <= 0:
		return fmt.Errorf("--uses and --expires must be above zero")
	case c.Each && c.Principal != "new":
		return fmt.Errorf("--each makes new principals: it goes without --principal")
	case c.Each && c.Uses > vouchedAtOnce:
		return fmt.Errorf("--uses must be at most %d with --each: make another code for the others", vouchedAtOnce)
	}
	var principal string
	var err error
	if c.Principal != "new" {
		if principal, _, err = d.store.accounts.PrincipalOf(ctx, c.Principal); err != nil {
			return err
		}
	}
	now := time.Now()
	if d.dry {
		_, err := fmt.Fprintf(d.out.stdout, "would invite %d registrations until %s\n", c.Uses, now.Add(c.Expires).UTC().Format(time.RFC3339))
		return err
	}
	var code string
	principals := []string{principal}
	if c.Each {
		code, principals, err = d.store.accounts.InviteEach(ctx, c.Uses, now.Add(c.Expires), now)
	} else {
		code, principals[0], err = d.store.accounts.Invite(ctx, principal, c.Uses, now.Add(c.Expires), now)
	}
	if err != nil {
		return err
	}
	// The principals of a code for each have standing by this decision. Nobody is one of them before it registers.
	if err := d.decide(ctx, lore.Target{Collection: lore.Principals, ID: principals[0]}, nil, principals[1:]); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out.stdout, "%s\n", code)
	return err
}

// end ends a code, as when it came into wrong hands. Who registered with it stays.
func (c *inviteCommand) end(ctx context.Context, d *desk) error {
	principals, err := d.store.accounts.EndInvite(ctx, c.End, d.dry, time.Now())
	if err != nil {
		return err
	}
	if d.verdict = lore.VerdictRevoke; len(principals) > 0 {
		return d.decide(ctx, lore.Target{Collection: lore.Principals, ID: principals[0]}, nil, principals[1:])
	}
	_, err = fmt.Fprintln(d.out.stdout, "it was used up")
	return err
}

// banCommand bans, or lifts a ban.
type banCommand struct {
	decisionFlags
	What  string `arg:"" help:"Id of a source or principal, or a network such as 203.0.113.0/24."`
	Whole bool   `help:"Of a source: the whole principal behind it."`
}

// Run refuses a source, a principal or a network with the sources that registered from it, and what they said counts for nothing; or it
// lifts that, with which standing doesn't come back. The record comes first: a ban that is cut short is finished by giving it again.
func (c *banCommand) Run(ctx context.Context, d *desk) error {
	lift, now, found := d.verdict == lore.VerdictUnban, time.Now(), "it has %d sources\n"
	var subject lore.Target
	var sources []string
	if address, err := netip.ParseAddr(c.What); err == nil {
		whole, _ := lore.NetworkOf(address)
		return fmt.Errorf("this is an address: give its network, %s", whole)
	}
	network, err := netip.ParsePrefix(c.What)
	if err == nil {
		network = network.Masked()
		if whole, _ := lore.NetworkOf(network.Addr()); whole != network && !lift {
			return fmt.Errorf("sources are told apart by networks of one size: give %s", whole)
		}
		subject, found = lore.Target{Collection: lore.Networks, ID: network.String()}, "%d sources registered from it\n"
		sources, err = d.store.accounts.BanNetwork(ctx, network, lift, d.dry, now)
	} else {
		subject.Collection = lore.Principals
		subject.ID, sources, err = d.store.accounts.PrincipalOf(ctx, c.What)
		if !c.Whole && c.What != subject.ID {
			subject, sources = lore.Target{Collection: lore.Sources, ID: c.What}, []string{c.What}
		}
	}
	if err != nil {
		return err
	}
	if err := d.decide(ctx, subject, nil, nil); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(d.out.stdout, found, len(sources)); err != nil || d.dry {
		return err
	}
	switch subject.Collection {
	case lore.Principals:
		return d.store.accounts.BanPrincipal(ctx, subject.ID, lift, now)
	case lore.Networks:
		for _, source := range sources {
			if err := d.decide(ctx, lore.Target{Collection: lore.Sources, ID: source}, nil, nil); err != nil {
				return err
			}
		}
	}
	return d.store.accounts.Ban(ctx, sources, lift, now)
}
