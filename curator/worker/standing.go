package worker

import (
	"maps"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// accounts are the accounts that a pass has read.
type accounts struct {
	bySource map[string]lore.Account
	owners   map[string]string // the owner's key of each principal that was asked for; empty: it has no account
}

// standings says who counts: what operators decided and principals earned.
type standings struct {
	since     map[string]time.Time // when each principal with standing got it
	given     map[string]bool      // those of these to whom an operator gave it
	owners    map[string]bool      // of all these
	lost      map[string]bool      // principals whose standing an operator took and didn't give again
	banned    map[string]bool      // sources and principals
	takenBack map[string][]theft   // when a source's token was in a thief's hands: what it said then counts for nothing
	// beyond is, by principal and week, after when its outcomes and flags of that week count no longer: it gave as many as count.
	beyond map[string]map[time.Time]time.Time
}

// isBeyond reports whether an outcome or flag of a principal is more than counts in its week.
func (s standings) isBeyond(principal string, at time.Time) bool {
	last, bounded := s.beyond[principal][curator.WeekOf(at)]
	return bounded && at.After(last)
}

// isTakenBack reports whether what a source said at a time is taken back.
func (s standings) isTakenBack(source string, at time.Time) bool {
	return slices.ContainsFunc(s.takenBack[source], func(t theft) bool { return !at.Before(t.from) && !at.After(t.until) })
}

// theft is a time in which a thief had a token.
type theft struct{ from, until time.Time }

// revokedWithin is in what time a revocation is known everywhere, so long may a thief still speak.
const revokedWithin = 5 * time.Second

// unknownNetwork stands for every network that isn't known. Principals without a known network count as one: they could be one.
const unknownNetwork = "unknown"

// principal returns who stands behind a source. Its account must have been read.
func (p *pass) principal(source string) curator.Principal {
	account, known := p.accounts.bySource[source]
	if !known { // erased, or registered a moment ago: its own principal and no other's
		account = lore.Account{Principal: source, OwnerKey: source}
	}
	since, network := p.standing.since[account.Principal], account.Network
	if network == "" && !account.Imported {
		network = unknownNetwork
	}
	return curator.Principal{
		ID: account.Principal, OwnerKey: account.OwnerKey, Network: network, StandingSince: since, Given: p.standing.given[account.Principal],
		Imported: account.Imported,
		Shadowed: since.IsZero() && p.standing.owners[account.OwnerKey],
		Banned:   p.standing.banned[source] || p.standing.banned[account.Principal],
	}
}

// principalID returns the id of who stands behind a source. Its account must have been read.
func (p *pass) principalID(source string) string {
	if account, known := p.accounts.bySource[source]; known {
		return account.Principal
	}
	return source
}

// readAccounts makes the accounts of sources known.
func (p *pass) readAccounts(sources []string) error {
	if p.accounts.bySource == nil {
		p.accounts = accounts{map[string]lore.Account{}, map[string]string{}}
	}
	unread := slices.DeleteFunc(distinct(sources), func(id string) bool { _, there := p.accounts.bySource[id]; return there })
	if len(unread) == 0 {
		return nil
	}
	found, err := p.Store.AccountsOf(p.ctx, unread)
	maps.Copy(p.accounts.bySource, found)
	return err
}

// readOwners makes the owners of principals known.
func (p *pass) readOwners(principals []string) error {
	unread := slices.DeleteFunc(principals, func(id string) bool { return p.accounts.owners[id] != "" })
	if len(unread) == 0 {
		return nil
	}
	found, err := p.Store.AccountsOfPrincipals(p.ctx, unread)
	for _, account := range found {
		p.accounts.owners[account.Principal] = account.OwnerKey
	}
	return err
}

// readStanding reads which principals have standing now. Without earn, no principal newly earns it: those that had earned it when cases
// were judged last keep it as long as they still would.
func (p *pass) readStanding(earn bool) error {
	before, err := p.loadStanding()
	if err != nil {
		return err
	}
	now, err := p.readDecided()
	if err != nil {
		return err
	}
	if err := p.readEarned(&now, before, earn); err != nil {
		return err
	}
	p.rounds++
	if err := p.readOwners(slices.Sorted(maps.Keys(now.since))); err != nil {
		return err
	}
	for principal := range now.since {
		if owner := p.accounts.owners[principal]; owner != "" && !now.banned[principal] {
			now.owners[owner] = true
		}
	}
	p.standing = now
	return p.readBounds()
}

// readEarned adds the principals that have earned standing.
func (p *pass) readEarned(now *standings, before standingState, earn bool) error {
	confirmed, err := p.Store.ConfirmedFixes(p.ctx)
	if err != nil {
		return err
	}
	if err := p.readAccounts(slices.Collect(maps.Keys(confirmed))); err != nil {
		return err
	}
	fixes, known := map[string]map[string]bool{}, map[string]time.Time{} // by principal
	for source, keys := range confirmed {
		account, there := p.accounts.bySource[source]
		if !there {
			continue
		}
		known[account.Principal] = account.Since
		if fixes[account.Principal] == nil {
			fixes[account.Principal] = map[string]bool{}
		}
		for _, key := range keys {
			fixes[account.Principal][key] = true
		}
	}
	for principal, keys := range fixes {
		held := before.Marks[principal]
		had := held.Source == lore.StandingEarned
		earned := (had || earn) && p.Rules.Promotion.Earned(known[principal], len(keys), p.now)
		if _, given := now.since[principal]; given || now.lost[principal] || !earned {
			continue
		}
		now.since[principal] = held.since()
		if !had { // new standing is younger than any that was there before
			now.since[principal] = p.now.Add(time.Duration(p.rounds) * time.Millisecond)
		}
	}
	return nil
}

// readBounds finds the principals with standing that gave more outcomes and flags in a week than count.
func (p *pass) readBounds() error {
	rules := p.Rules.Promotion
	weeks, err := p.Store.BusyWeeks(p.ctx, rules.EarnedActs)
	if err != nil || len(weeks) == 0 {
		return err
	}
	var sources []string
	for _, acts := range weeks {
		sources = slices.AppendSeq(sources, maps.Keys(acts))
	}
	if err := p.readAccounts(sources); err != nil {
		return err
	}
	p.standing.beyond = map[string]map[time.Time]time.Time{}
	for week, acts := range weeks {
		of, given := map[string][]string{}, map[string]int{}
		for source, count := range acts {
			principal := p.principalID(source)
			of[principal], given[principal] = append(of[principal], source), given[principal]+count
		}
		for principal, count := range given {
			who := p.principal(of[principal][0])
			bound := rules.ActsOf(who)
			if !who.Standing() || count <= bound {
				continue
			}
			at, err := p.Store.ActsIn(p.ctx, of[principal], week)
			if err != nil {
				return err
			}
			if len(at) > bound {
				if p.standing.beyond[principal] == nil {
					p.standing.beyond[principal] = map[time.Time]time.Time{}
				}
				p.standing.beyond[principal][week] = at[bound-1]
			}
		}
	}
	return nil
}

// trustVerdicts are what an operator decides of principals, and of flags, which cost standing where they are right.
var trustVerdicts = []lore.Verdict{
	lore.VerdictVouch, lore.VerdictInvite, lore.VerdictUnvouch, lore.VerdictBan, lore.VerdictUnban, lore.VerdictConfirm, lore.VerdictDismiss,
	lore.VerdictRevoke,
}

// readDecided reads what operators decided of principals.
func (p *pass) readDecided() (standings, error) {
	now := standings{
		since: map[string]time.Time{}, given: map[string]bool{}, owners: map[string]bool{}, lost: map[string]bool{}, banned: map[string]bool{},
		takenBack: map[string][]theft{},
	}
	decisions, err := p.Store.Decisions(p.ctx, lore.DecisionFilter{Verdicts: trustVerdicts}) // oldest first
	if err != nil {
		return now, err
	}
	var sources []string
	for _, decision := range decisions {
		if decision.Subject.Collection == lore.Sources {
			sources = append(sources, decision.Subject.ID)
		}
	}
	if err := p.readAccounts(sources); err != nil {
		return now, err
	}
	culprits, err := p.culprits(decisions)
	if err != nil {
		return now, err
	}
	lose := func(principal string) {
		delete(now.since, principal)
		delete(now.given, principal)
		now.lost[principal] = true
	}
	for _, decision := range decisions {
		id := decision.Subject.ID
		principal := id
		if account, there := p.accounts.bySource[id]; there {
			principal = account.Principal
		}
		switch decision.Verdict {
		case lore.VerdictVouch, lore.VerdictInvite:
			for _, principal := range append([]string{principal}, decision.Others...) {
				if _, has := now.since[principal]; !has { // given again, it is as old as it was
					now.since[principal] = decision.At
				}
				now.given[principal] = true
				delete(now.lost, principal)
			}
		case lore.VerdictUnvouch:
			lose(principal)
		case lore.VerdictBan:
			now.banned[id] = true
			lose(principal)
		case lore.VerdictUnban:
			delete(now.banned, id)
		case lore.VerdictConfirm:
			if culprit := culprits[decision.ID]; culprit != "" {
				lose(culprit)
			}
		case lore.VerdictRevoke:
			if decision.Since != nil {
				now.takenBack[id] = append(now.takenBack[id], theft{*decision.Since, decision.At.Add(revokedWithin)})
			}
		}
	}
	return now, nil
}

// culprits returns, by the decision that confirmed a flag and still holds, the principal of the submission that it warns of.
func (p *pass) culprits(decisions []lore.Decision) (map[string]string, error) {
	confirmed := map[string]lore.Decision{} // by flag
	for _, decision := range decisions {    // oldest first
		switch {
		case decision.Verdict == lore.VerdictDismiss:
			delete(confirmed, decision.Subject.ID)
		case decision.Verdict == lore.VerdictConfirm && decision.Object != nil:
			confirmed[decision.Subject.ID] = decision
		}
	}
	var items, sources []string
	for _, decision := range confirmed {
		items = append(items, decision.Object.ID)
	}
	items = distinct(items)
	flags, err := p.Store.FlagsOn(p.ctx, items)
	if err != nil {
		return nil, err
	}
	reports, err := p.Store.Reports(p.ctx, items)
	if err != nil {
		return nil, err
	}
	for _, report := range reports {
		sources = append(sources, report.SourceID)
	}
	if err := p.readAccounts(sources); err != nil {
		return nil, err
	}
	principals := map[string]string{}
	for _, flag := range flags {
		decision, there := confirmed[flag.ID]
		report, stored := reports[flag.Target.ID]
		if there && stored && curator.Harmful(flag.Reason) {
			principals[decision.ID] = p.principal(report.SourceID).ID
		}
	}
	return principals, nil
}
