package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"agentlore/handlers/admit"
	"agentlore/index"
	"agentlore/lore"
)

// privileges say whose budgets are larger: who has standing, and whose the operator raised. They are read from the
// store now and then, so that no request waits for them.
type privileges struct {
	client *index.Client
	hooks  hooks
	known  atomic.Pointer[privileged]
}

// privileged is what was read.
type privileged struct {
	standing map[string]bool  // principals
	times    map[string]int64 // of principals and networks
}

// privilegesEvery is how old what is known of privileges may be.
const privilegesEvery = 5 * time.Second

func newPrivileges(store *store) *privileges {
	p := &privileges{client: store.client, hooks: newHooks(store.client, store.accounts)}
	p.known.Store(&privileged{})
	return p
}

// HasStanding reports whether a principal has standing.
func (p *privileges) HasStanding(principal string) bool { return p.known.Load().standing[principal] }

// Times returns how many times its budgets the operator gave a principal or a network; 0: nobody raised them.
func (p *privileges) Times(subject string) int64 { return p.known.Load().times[subject] }

// follow reads privileges until ctx ends. While the store can't say, those that are known hold.
func (p *privileges) follow(ctx context.Context, log *slog.Logger) {
	for ; ctx.Err() == nil; pause(ctx, privilegesEvery) {
		if err := p.read(ctx); err != nil && ctx.Err() == nil {
			log.Warn("privileges could not be read; those known hold", "cause", index.RootCause(err))
		}
	}
}

func (p *privileges) read(ctx context.Context) error {
	standing, err := p.hooks.Standing(ctx)
	if err != nil {
		return err
	}
	now := &privileged{standing, map[string]int64{}}
	raised := lore.DecisionFilter{Verdicts: []lore.Verdict{lore.VerdictRaise}}
	err = p.client.EachDecision(ctx, raised, func(d lore.Decision) error {
		if now.times[d.Subject.ID] = int64(d.Times); d.Times <= 1 {
			delete(now.times, d.Subject.ID)
		}
		return nil
	})
	if err == nil {
		p.known.Store(now)
	}
	return err
}

// mostTimes is how far budgets can be raised.
const mostTimes = 10_000

// raiseCommand raises budgets.
type raiseCommand struct {
	decisionFlags
	What  string `arg:"" help:"Id of a source or principal, or a client address such as 203.0.113.7 (IPv6: its /64 or /48)."`
	Times int    `required:"" help:"How many times the usual budgets; 1 takes a raise back."`
}

// Run records that a principal or a client's network has a multiple of its budgets. Services follow within five
// seconds.
func (c *raiseCommand) Run(ctx context.Context, d *desk) error {
	if c.Times < 1 || c.Times > mostTimes {
		return fmt.Errorf("--times must be 1 to %d", mostTimes)
	}
	subject := lore.Target{Collection: lore.Networks}
	network, err := netip.ParsePrefix(c.What)
	if address, fault := netip.ParseAddr(c.What); fault == nil {
		network, err = admit.Networks(address.Unmap().WithZone(""))[0], nil
	}
	if err == nil {
		if counted := admit.Networks(network.Addr()); !slices.Contains(counted, network.Masked()) {
			return fmt.Errorf("clients are counted by networks of other sizes: give one of %s", counted)
		}
		subject.ID = network.Masked().String()
	} else {
		subject.Collection = lore.Principals
		if subject.ID, _, err = d.store.accounts.PrincipalOf(ctx, c.What); err != nil {
			return err
		}
	}
	if d.dry {
		return d.decide(ctx, subject, nil, nil)
	}
	if err := d.record(ctx, lore.Decision{Subject: subject, Verdict: d.verdict, Times: c.Times}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out.stdout, "%s: %s %s has %d times its budgets\n", d.verdict, subject.Collection,
		subject.ID, c.Times)
	return err
}
