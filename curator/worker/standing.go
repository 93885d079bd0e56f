package worker

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// standings says who counts: what operators decided and principals earned.
type standings struct {
	since  map[string]time.Time // when each principal with standing got it
	owners map[string]bool      // of these
	banned map[string]bool      // sources and principals
	// takenBack is from when on what a source said counts for nothing: its token was stolen then.
	takenBack map[string]time.Time
}

// isTakenBack reports whether what a source said at a time is taken back.
func (s standings) isTakenBack(source string, at time.Time) bool {
	since, there := s.takenBack[source]
	return there && !at.Before(since)
}

// principal returns who stands behind a source. Its account must have been read.
func (p *pass) principal(source string) curator.Principal {
	account, known := p.accounts.known[source]
	if !known { // erased, or registered a moment ago: it is nobody's but its own
		account = lore.Account{Principal: source, OwnerKey: source}
	}
	since := p.standing.since[account.Principal]
	return curator.Principal{
		ID: account.Principal, OwnerKey: account.OwnerKey, Network: account.Network, StandingSince: since,
		Shadowed: since.IsZero() && p.standing.owners[account.OwnerKey],
		Banned:   p.standing.banned[source] || p.standing.banned[account.Principal],
	}
}

// readAccounts makes the accounts of sources known.
func (p *pass) readAccounts(sources []string) error { return p.accounts.read(p.ctx, p.Store, sources) }

// trustVerdicts are what an operator decides of principals.
var trustVerdicts = []lore.Verdict{lore.VerdictVouch, lore.VerdictInvite, lore.VerdictUnvouch, lore.VerdictBan, lore.VerdictUnban, lore.VerdictRevoke}

// readStanding reads who has standing now.
func (p *pass) readStanding() error {
	before, _, err := p.storedStanding()
	if err != nil {
		return err
	}
	decisions, err := p.Store.DecisionsWith(p.ctx, trustVerdicts...) // oldest first
	if err != nil {
		return err
	}
	subjects := make([]string, 0, len(decisions))
	for _, decision := range decisions {
		subjects = append(append(subjects, decision.Subject.ID), decision.Others...)
	}
	contributed, err := p.accounts.contributed(p.ctx, p.Store)
	if err != nil {
		return err
	}
	if err := p.readAccounts(append(subjects, slices.Collect(maps.Keys(contributed))...)); err != nil {
		return err
	}
	now := standings{since: map[string]time.Time{}, owners: map[string]bool{}, banned: map[string]bool{}, takenBack: map[string]time.Time{}}
	lost := map[string]time.Time{} // when an operator said so
	for _, decision := range decisions {
		id := decision.Subject.ID
		principal := id
		if account, there := p.accounts.known[id]; there {
			principal = account.Principal
		}
		switch decision.Verdict {
		case lore.VerdictVouch, lore.VerdictInvite:
			for _, principal := range append([]string{principal}, decision.Others...) {
				now.since[principal] = decision.At
				delete(lost, principal)
			}
		case lore.VerdictRevoke:
			if decision.Since != nil {
				now.takenBack[id] = *decision.Since
			}
		case lore.VerdictBan:
			now.banned[id] = true
			delete(now.since, principal)
			lost[principal] = decision.At
		case lore.VerdictUnban:
			delete(now.banned, id)
		case lore.VerdictUnvouch:
			delete(now.since, principal)
			lost[principal] = decision.At
		}
	}
	if err := p.addCulprits(lost, now.since); err != nil {
		return err
	}
	p.addEarned(contributed, lost, before, now.since)
	if err := p.readOwners(now); err != nil {
		return err
	}
	p.standing = now
	return nil
}

// harmful are the reasons of flags that cost standing when an operator confirms them. Something stale, a duplicate or a leak by
// mistake says nothing of how far a principal is to be trusted.
var harmful = []lore.FlagReason{lore.FlagInjection, lore.FlagMaliciousAddress, lore.FlagSpam, lore.FlagIncorrect}

// addCulprits takes standing from the principals of submissions whose flags an operator confirmed, unless it was given later.
func (p *pass) addCulprits(lost, since map[string]time.Time) error {
	decisions, err := p.Store.DecisionsWith(p.ctx, lore.VerdictConfirm, lore.VerdictDismiss)
	if err != nil || len(decisions) == 0 {
		return err
	}
	confirmed := map[string]lore.Decision{} // by flag
	var items []string
	for _, decision := range decisions { // oldest first
		if decision.Verdict == lore.VerdictDismiss || decision.Object == nil {
			delete(confirmed, decision.Subject.ID)
			continue
		}
		confirmed[decision.Subject.ID] = decision
		items = append(items, decision.Object.ID)
	}
	items = distinct(items)
	flags, err := p.Store.FlagsOn(p.ctx, items)
	if err != nil {
		return err
	}
	reports, err := p.Store.Reports(p.ctx, items)
	if err != nil {
		return err
	}
	var sources []string
	for _, report := range reports {
		sources = append(sources, report.SourceID)
	}
	if err := p.readAccounts(sources); err != nil {
		return err
	}
	for _, flag := range flags {
		decision, there := confirmed[flag.ID]
		report, stored := reports[flag.Target.ID]
		if !there || !stored || !slices.Contains(harmful, flag.Reason) {
			continue
		}
		principal := p.principal(report.SourceID).ID
		if at, has := since[principal]; !has || at.Before(decision.At) {
			delete(since, principal)
			lost[principal] = decision.At
		}
	}
	return nil
}

// addEarned adds the principals that earned standing by themselves and didn't lose it.
func (p *pass) addEarned(contributed map[string][]string, lost map[string]time.Time, before map[string]string, since map[string]time.Time) {
	patterns, known := map[string]map[string]bool{}, map[string]time.Time{}
	for source, ids := range contributed {
		account, there := p.accounts.known[source]
		if !there {
			continue
		}
		principal := account.Principal
		if patterns[principal] == nil {
			patterns[principal] = map[string]bool{}
		}
		for _, id := range ids {
			patterns[principal][id] = true
		}
		known[principal] = account.Since
	}
	for principal, ids := range patterns {
		_, has := since[principal]
		_, barred := lost[principal]
		if has || barred || !p.Rules.Promotion.Earned(known[principal], len(ids), p.now) {
			continue
		}
		since[principal] = p.now
		if at, there := before[principal]; there {
			if earned, err := time.Parse(time.RFC3339, at); err == nil {
				since[principal] = earned
			}
		}
	}
}

// readOwners notes the owners that principals with standing gave.
func (p *pass) readOwners(now standings) error {
	accounts, err := p.Store.AccountsOfPrincipals(p.ctx, slices.Sorted(maps.Keys(now.since)))
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if !now.banned[account.Principal] {
			now.owners[account.OwnerKey] = true
		}
	}
	return nil
}

// bannedMark is what is stored of a source or principal that is banned, in place of since when it has standing.
const bannedMark = "banned"

// marks returns how principals count, without newcomers.
func (p *pass) marks() map[string]string {
	marks := map[string]string{}
	for principal, since := range p.standing.since {
		marks[principal] = since.UTC().Format(time.RFC3339)
	}
	for id := range p.standing.banned {
		marks[id] = bannedMark
	}
	for id, since := range p.standing.takenBack {
		marks[id] = bannedMark + " since " + since.UTC().Format(time.RFC3339Nano)
	}
	return marks
}

// standingState is what is stored of how principals counted when cases were judged last, and of those who counted in another way
// while a group phase that may have been killed went on.
type standingState struct {
	Marks   map[string]string `json:"marks"`
	Pending []string          `json:"pending,omitempty"`
}

// storedStanding reads how principals counted when cases were judged last, by their marks.
func (p *pass) storedStanding() (marks map[string]string, pending []string, err error) {
	_, data, err := p.Store.LoadState(p.ctx, stateStanding)
	if err != nil || len(data) == 0 {
		return map[string]string{}, nil, err
	}
	var stored standingState
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		err = json.NewDecoder(unpacked).Decode(&stored)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("standing: %w", err)
	}
	return stored.Marks, stored.Pending, nil
}

// saveStanding stores how principals count.
func (p *pass) saveStanding(marks map[string]string, pending []string) error {
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	if err := json.NewEncoder(packer).Encode(standingState{marks, pending}); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	return p.Store.SaveState(p.ctx, stateStanding, map[string]any{"principals": len(marks)}, packed.Bytes())
}

// notePending remembers principals that count in another way than when other cases were judged: settle looks at theirs even if
// they count as before by then.
func (p *pass) notePending() error {
	before, pending, err := p.storedStanding()
	if err != nil {
		return err
	}
	if changed := p.changedPrincipals(before); len(changed) > 0 {
		return p.saveStanding(before, distinct(append(changed, pending...)))
	}
	return nil
}

// bansAmong returns those of the ids whose reports count in another way: they are or were banned, or something is taken back.
func (p *pass) bansAmong(ids []string, before map[string]string) []string {
	now := p.marks()
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return !strings.HasPrefix(now[id], bannedMark) && !strings.HasPrefix(before[id], bannedMark)
	})
}

// changedPrincipals returns the principals, and banned sources, that count in another way than before.
func (p *pass) changedPrincipals(before map[string]string) []string {
	now := p.marks()
	var changed []string
	for id, mark := range now {
		if before[id] != mark {
			changed = append(changed, id)
		}
	}
	for id := range before {
		if now[id] == "" {
			changed = append(changed, id)
		}
	}
	slices.Sort(changed)
	return changed
}

// sourcesTouched returns the sources whose words count in another way when these principals and sources do: their own, and those that
// gave the same owners.
func (p *pass) sourcesTouched(ids []string) ([]string, error) {
	touched, err := p.Store.AccountsOfPrincipals(p.ctx, ids)
	if err != nil {
		return nil, err
	}
	own, err := p.Store.AccountsOf(p.ctx, ids)
	if err != nil {
		return nil, err
	}
	maps.Copy(touched, own)
	var owners []string
	for _, account := range touched {
		owners = append(owners, account.OwnerKey)
	}
	if len(owners) == 0 {
		return nil, nil
	}
	alike, err := p.Store.AccountsOfOwners(p.ctx, distinct(owners))
	maps.Copy(touched, alike)
	return slices.Sorted(maps.Keys(touched)), err
}
