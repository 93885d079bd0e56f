package worker

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentlore/lore"
)

// mark is what is stored of how a principal or a banned source counts. Times are milliseconds since 1970.
type mark struct {
	Since  int64         `json:"since,omitempty"` // when it got standing; 0: it has none
	Source lore.Standing `json:"source,omitempty"`
	// OwnerKnown: an invited principal has no owner before its first source registers. Others that gave that owner before count in another way
	// from then on.
	OwnerKnown bool `json:"owner_known,omitempty"`
	Banned     bool `json:"banned,omitempty"`
	// TakenBack are the times in which what the source said counts for nothing.
	TakenBack string `json:"taken_back,omitempty"`
}

func (m mark) since() time.Time { return time.UnixMilli(m.Since).UTC() }

// marks returns how principals count, without newcomers.
func (p *pass) marks() map[string]mark {
	marks := map[string]mark{}
	for principal, since := range p.standing.since {
		marked := mark{Since: since.UnixMilli(), Source: lore.StandingEarned, OwnerKnown: p.accounts.owners[principal] != ""}
		if p.standing.given[principal] {
			marked.Source = lore.StandingGiven
		}
		marks[principal] = marked
	}
	for id := range p.standing.banned {
		marks[id] = mark{Banned: true}
	}
	for id, thefts := range p.standing.takenBack {
		marked := marks[id]
		for _, t := range thefts {
			marked.TakenBack += fmt.Sprintf("%d-%d ", t.from.UnixMilli(), t.until.UnixMilli())
		}
		marks[id] = marked
	}
	return marks
}

// standingState is what is stored of how principals counted when cases were judged last, and of those who counted in another way
// while a group phase that may have been killed went on.
type standingState struct {
	Marks   map[string]mark `json:"principals"`
	Pending []string        `json:"pending,omitempty"`
}

// loadStanding reads how principals counted when cases were judged last, once a pass.
func (p *pass) loadStanding() (standingState, error) {
	if p.judgedBy != nil {
		return *p.judgedBy, nil
	}
	stored, err := loadStanding(p.ctx, p.Store)
	if err == nil {
		p.judgedBy = &stored
	}
	return stored, err
}

func loadStanding(ctx context.Context, states States) (stored standingState, err error) {
	_, data, err := states.LoadState(ctx, stateStanding)
	if err == nil && len(data) > 0 {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			err = json.NewDecoder(unpacked).Decode(&stored)
		}
	}
	if err != nil {
		return stored, fmt.Errorf("standing: %w", err)
	}
	return stored, nil
}

// Standing returns the principals that had standing when cases were judged last. Errors: the store's.
func Standing(ctx context.Context, states States) (map[string]lore.HeldStanding, error) {
	stored, err := loadStanding(ctx, states)
	with := map[string]lore.HeldStanding{}
	for principal, held := range stored.Marks {
		if held.Since > 0 && !held.Banned {
			with[principal] = lore.HeldStanding{Source: held.Source, Since: held.since()}
		}
	}
	return with, err
}

// saveStanding stores how principals count.
func (p *pass) saveStanding(state standingState) error {
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	if err := json.NewEncoder(packer).Encode(state); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	p.judgedBy = &state
	return p.Store.SaveState(p.ctx, stateStanding, map[string]any{"principals": len(state.Marks)}, packed.Bytes())
}

// notePending remembers principals that count in another way than when other cases were judged: settle looks at theirs even if
// they count as before by then.
func (p *pass) notePending() error {
	before, err := p.loadStanding()
	if err != nil {
		return err
	}
	if changed := p.changedPrincipals(before.Marks); len(changed) > 0 {
		return p.saveStanding(standingState{before.Marks, distinct(append(changed, before.Pending...))})
	}
	return nil
}

// changedPrincipals returns the principals, and banned sources, that count in another way than before.
func (p *pass) changedPrincipals(before map[string]mark) (changed []string) {
	now := p.marks()
	for id, marked := range now {
		if before[id] != marked {
			changed = append(changed, id)
		}
	}
	for id := range before {
		if _, there := now[id]; !there {
			changed = append(changed, id)
		}
	}
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
