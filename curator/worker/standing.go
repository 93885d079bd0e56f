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
	owners    map[string]bool      // of these
	lost      map[string]bool      // principals whose standing an operator took and didn't give again
	banned    map[string]bool      // sources and principals
	takenBack map[string]time.Time // from when on what a source said counts for nothing: its token was stolen then
}

// isTakenBack reports whether what a source said at a time is taken back.
func (s standings) isTakenBack(source string, at time.Time) bool {
	since, there := s.takenBack[source]
	return there && !at.Before(since)
}

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
		ID: account.Principal, OwnerKey: account.OwnerKey, Network: network, StandingSince: since,
		Shadowed: since.IsZero() && p.standing.owners[account.OwnerKey],
		Banned:   p.standing.banned[source] || p.standing.banned[account.Principal],
	}
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
	contributed, err := p.Store.Contributions(p.ctx)
	if err != nil {
		return err
	}
	if err := p.readAccounts(slices.Collect(maps.Keys(contributed))); err != nil {
		return err
	}
	contributions, known := map[string]map[string]int{}, map[string]time.Time{} // by principal and pattern
	for source, patterns := range contributed {
		account, there := p.accounts.bySource[source]
		if !there {
			continue
		}
		known[account.Principal] = account.Since
		if contributions[account.Principal] == nil {
			contributions[account.Principal] = map[string]int{}
		}
		for _, pattern := range patterns {
			contributions[account.Principal][pattern]++
		}
	}
	for principal, patterns := range contributions {
		count := len(patterns)
		if alone := patterns[""]; alone > 0 { // each of no pattern counts by itself
			count += alone - 1
		}
		since, had := earnedAt(before.Marks[principal])
		earned := (had || earn) && p.Rules.Promotion.Earned(known[principal], count, p.now)
		if _, given := now.since[principal]; given || now.lost[principal] || !earned {
			continue
		}
		if !had { // new standing is younger than any that was there before
			since = p.now.Add(time.Duration(p.rounds) * time.Millisecond)
		}
		now.since[principal] = since
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
		since: map[string]time.Time{}, owners: map[string]bool{}, lost: map[string]bool{}, banned: map[string]bool{},
		takenBack: map[string]time.Time{},
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
				now.takenBack[id] = *decision.Since
			}
		}
	}
	return now, nil
}

// harmful are the reasons of flags that cost standing when an operator confirms them. Something stale, a duplicate or a leak by
// mistake says nothing of how far a principal is to be trusted.
var harmful = []lore.FlagReason{lore.FlagInjection, lore.FlagMaliciousAddress, lore.FlagSpam, lore.FlagIncorrect}

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
		if there && stored && slices.Contains(harmful, flag.Reason) {
			principals[decision.ID] = p.principal(report.SourceID).ID
		}
	}
	return principals, nil
}
