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

// decide records a verdict on the principal behind the id.
func (c onePrincipal) decide(ctx context.Context, d *desk, verdict lore.Verdict) error {
	principal, sources, err := d.store.accounts.PrincipalOf(ctx, c.ID)
	if err != nil {
		return err
	}
	if err := d.decide(ctx, lore.Target{Collection: lore.Principals, ID: principal}, verdict, nil, nil); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out.stdout, "it has %d sources\n", len(sources))
	return err
}

type vouchCommand struct{ onePrincipal }

// Run gives a principal standing.
func (c *vouchCommand) Run(ctx context.Context, d *desk) error {
	return c.decide(ctx, d, lore.VerdictVouch)
}

type unvouchCommand struct{ onePrincipal }

// Run takes a principal's standing, also what it earned.
func (c *unvouchCommand) Run(ctx context.Context, d *desk) error {
	return c.decide(ctx, d, lore.VerdictUnvouch)
}

type inviteCommand struct {
	decisionFlags
	Principal string        `default:"new" help:"Whom registrations with the code join: new, a new principal of theirs; or the id of a source or principal."`
	Uses      int           `default:"1" help:"How many registrations the code is good for."`
	Expires   time.Duration `default:"168h" help:"For how long it is good."`
}

// Run prints an invite's code, this once.
func (c *inviteCommand) Run(ctx context.Context, d *desk) error {
	if c.Uses < 1 || c.Expires <= 0 {
		return fmt.Errorf("--uses and --expires must be above zero")
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
	code, principal, err := d.store.accounts.Invite(ctx, principal, c.Uses, now.Add(c.Expires), now)
	if err != nil {
		return err
	}
	if err := d.decide(ctx, lore.Target{Collection: lore.Principals, ID: principal}, lore.VerdictInvite, nil, nil); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out.stdout, "%s\n", code)
	return err
}

// banFlags say what is banned.
type banFlags struct {
	decisionFlags
	What  string `arg:"" help:"Id of a source or principal, or a network such as 203.0.113.0/24."`
	Whole bool   `help:"Of a source: the whole principal behind it."`
}

type banCommand struct{ banFlags }

// Run refuses a source, a principal or a network, and what it said counts for nothing.
func (c *banCommand) Run(ctx context.Context, d *desk) error { return c.apply(ctx, d, lore.VerdictBan) }

type unbanCommand struct{ banFlags }

// Run lifts a ban. Standing doesn't come back with it.
func (c *unbanCommand) Run(ctx context.Context, d *desk) error {
	return c.apply(ctx, d, lore.VerdictUnban)
}

// apply bans or lifts a ban. The record comes first: a ban that is cut short is finished by giving it again.
func (c banFlags) apply(ctx context.Context, d *desk, verdict lore.Verdict) error {
	lift, now := verdict == lore.VerdictUnban, time.Now()
	if network, err := netip.ParsePrefix(c.What); err == nil {
		return d.banNetwork(ctx, network.Masked(), verdict, now)
	}
	principal, sources, err := d.store.accounts.PrincipalOf(ctx, c.What)
	if err != nil {
		return err
	}
	subject := lore.Target{Collection: lore.Principals, ID: principal}
	if !c.Whole && c.What != principal {
		subject, sources = lore.Target{Collection: lore.Sources, ID: c.What}, []string{c.What}
	}
	if err := d.decide(ctx, subject, verdict, nil, nil); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(d.out.stdout, "it has %d sources\n", len(sources)); err != nil || d.dry {
		return err
	}
	if subject.Collection == lore.Principals {
		return d.store.accounts.BanPrincipal(ctx, principal, lift, now)
	}
	return d.store.accounts.Ban(ctx, sources, lift, now)
}

// banNetwork bans a network and the sources that registered from it, or lifts that.
func (d *desk) banNetwork(ctx context.Context, network netip.Prefix, verdict lore.Verdict, now time.Time) error {
	lift := verdict == lore.VerdictUnban
	sources, err := d.store.accounts.BanNetwork(ctx, network, lift, d.dry, now)
	if err != nil {
		return err
	}
	if err := d.decide(ctx, lore.Target{Collection: lore.Networks, ID: network.String()}, verdict, nil, nil); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(d.out.stdout, "%d sources registered from it\n", len(sources)); err != nil || d.dry {
		return err
	}
	for _, source := range sources {
		if err := d.decide(ctx, lore.Target{Collection: lore.Sources, ID: source}, verdict, nil, nil); err != nil {
			return err
		}
	}
	return d.store.accounts.Ban(ctx, sources, lift, now)
}
