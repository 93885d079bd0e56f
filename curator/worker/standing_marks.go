package worker

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// How a principal counts is stored as a mark: since when it has standing, with ownerMark where its owner is known (an invited one has
// none before its first source registers, and others that gave that owner before count in another way from then on); or bannedMark.
const (
	bannedMark = "banned"
	ownerMark  = "+"
)

// earnedAt returns since when a principal has standing, by its mark.
func earnedAt(mark string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSuffix(mark, ownerMark))
	return at, err == nil
}

// marks returns how principals count, without newcomers.
func (p *pass) marks() map[string]string {
	marks := map[string]string{}
	for principal, since := range p.standing.since {
		marks[principal] = since.UTC().Format(time.RFC3339Nano)
		if p.accounts.owners[principal] != "" {
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
func Standing(ctx context.Context, states States) (map[string]bool, error) {
	stored, err := loadStanding(ctx, states)
	with := map[string]bool{}
	for principal, mark := range stored.Marks {
		if _, has := earnedAt(mark); has {
			with[principal] = true
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
func (p *pass) changedPrincipals(before map[string]string) (changed []string) {
	now := p.marks()
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
