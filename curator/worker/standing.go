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

// unknownNetwork is the one of all who registered from nobody knows where: they could all be one.
const unknownNetwork = "unknown"

// readAccounts makes the accounts of sources known.
func (p *pass) readAccounts(sources []string) error { return p.accounts.read(p.ctx, p.Store, sources) }

// trustVerdicts are what an operator decides of principals, and of flags, which cost standing where they are right.
var trustVerdicts = []lore.Verdict{
	lore.VerdictVouch, lore.VerdictInvite, lore.VerdictUnvouch, lore.VerdictBan, lore.VerdictUnban, lore.VerdictConfirm, lore.VerdictDismiss,
	lore.VerdictRevoke,
}

// decided is what operators decided of principals. Decisions are added and never changed: as long as there are as many, it holds.
type decided struct {
	decisions int64
	since     map[string]time.Time // when each principal was given the standing that it has
	lost      map[string]bool      // principals whose standing was taken and not given again
	banned    map[string]bool      // sources and principals
	takenBack map[string]time.Time // as in standings
}

// readStanding reads who has standing now.
func (p *pass) readStanding() error {
	p.accounts.trim()
	before, _, err := p.storedStanding()
	if err != nil {
		return err
	}
	if err := p.readDecided(); err != nil {
		return err
	}
	contributed, err := p.accounts.contributed(p.ctx, p.Store)
	if err != nil {
		return err
	}
	if err := p.readAccounts(slices.Collect(maps.Keys(contributed))); err != nil {
		return err
	}
	now := standings{since: maps.Clone(p.decided.since), owners: map[string]bool{}, banned: p.decided.banned, takenBack: p.decided.takenBack}
	p.addEarned(contributed, before, now.since)
	if err := p.accounts.readOwners(p.ctx, p.Store, slices.Sorted(maps.Keys(now.since))); err != nil {
		return err
	}
	for principal := range now.since {
		if owner, named := p.accounts.owners[principal]; named && !now.banned[principal] {
			now.owners[owner] = true
		}
	}
	p.standing = now
	return nil
}

// readDecided reads what operators decided, where it isn't known.
func (p *pass) readDecided() error {
	count, err := p.Store.CountDecisions(p.ctx, trustVerdicts...)
	if err != nil || p.decided.since != nil && p.decided.decisions == count {
		return err
	}
	decisions, err := p.Store.DecisionsWith(p.ctx, trustVerdicts...) // oldest first
	if err != nil {
		return err
	}
	var sources []string
	for _, decision := range decisions {
		if decision.Subject.Collection == lore.Sources {
			sources = append(sources, decision.Subject.ID)
		}
	}
	if err := p.readAccounts(sources); err != nil {
		return err
	}
	culprits, err := p.culprits(decisions)
	if err != nil {
		return err
	}
	now := decided{
		decisions: int64(len(decisions)), since: map[string]time.Time{}, lost: map[string]bool{}, banned: map[string]bool{}, takenBack: map[string]time.Time{},
	}
	for _, decision := range decisions {
		id := decision.Subject.ID
		principal := id
		if account, there := p.accounts.known[id]; there {
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
			continue
		case lore.VerdictRevoke:
			if decision.Since != nil {
				now.takenBack[id] = *decision.Since
			}
			continue
		case lore.VerdictUnban:
			delete(now.banned, id)
			continue
		case lore.VerdictDismiss:
			continue
		case lore.VerdictConfirm:
			if principal = culprits[decision.ID]; principal == "" {
				continue
			}
		case lore.VerdictBan:
			now.banned[id] = true
		}
		delete(now.since, principal)
		now.lost[principal] = true
	}
	p.decided = now
	return nil
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

// addEarned adds the principals that earned standing by themselves and didn't lose it.
func (p *pass) addEarned(contributed map[string][]string, before map[string]string, since map[string]time.Time) {
	patterns, alone, known := map[string]map[string]bool{}, map[string]int{}, map[string]time.Time{}
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
			if id == "" {
				alone[principal]++
			} else {
				patterns[principal][id] = true
			}
		}
		known[principal] = account.Since
	}
	for principal, ids := range patterns {
		_, has := since[principal]
		if has || p.decided.lost[principal] || !p.Rules.Promotion.Earned(known[principal], len(ids)+alone[principal], p.now) {
			continue
		}
		since[principal] = p.now
		if at, there := before[principal]; there {
			if earned, err := time.Parse(time.RFC3339, strings.TrimSuffix(at, ownerMark)); err == nil {
				since[principal] = earned
			}
		}
	}
}

// bannedMark is what is stored of a source or principal that is banned, in place of since when it has standing.
const bannedMark = "banned"

// ownerMark ends the mark of a principal whose owner is known: an invited one has none before its first source registers, and whoever
// gave that owner before counts in another way from then on.
const ownerMark = "+"

// marks returns how principals count, without newcomers.
func (p *pass) marks() map[string]string {
	marks := map[string]string{}
	for principal, since := range p.standing.since {
		marks[principal] = since.UTC().Format(time.RFC3339)
		if _, named := p.accounts.owners[principal]; named {
			marks[principal] += ownerMark
		}
	}
	for id := range p.standing.banned {
		marks[id] = bannedMark
	}
	for id, since := range p.standing.takenBack {
		marks[id] += bannedMark + " since " + since.UTC().Format(time.RFC3339Nano)
	}
	return marks
}

// standingState is what is stored of how principals counted when cases were judged last, and of those who counted in another way
// while a group phase that may have been killed went on.
type standingState struct {
	Marks   map[string]string `json:"marks"`
	Pending []string          `json:"pending,omitempty"`
}

// storedStanding reads how principals counted when cases were judged last, by their marks, once a pass.
func (p *pass) storedStanding() (marks map[string]string, pending []string, err error) {
	if p.judgedBy == nil {
		stored, err := p.loadStanding()
		if err != nil {
			return nil, nil, err
		}
		p.judgedBy = &stored
	}
	return p.judgedBy.Marks, p.judgedBy.Pending, nil
}

func (p *pass) loadStanding() (stored standingState, err error) {
	_, data, err := p.Store.LoadState(p.ctx, stateStanding)
	if err != nil || len(data) == 0 {
		return stored, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		err = json.NewDecoder(unpacked).Decode(&stored)
	}
	if err != nil {
		return stored, fmt.Errorf("standing: %w", err)
	}
	return stored, nil
}

// saveStanding stores how principals count.
func (p *pass) saveStanding(marks map[string]string, pending []string) error {
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	state := standingState{marks, pending}
	if err := json.NewEncoder(packer).Encode(state); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	p.judgedBy = &state
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
