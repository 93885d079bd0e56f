package worker

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// owner returns what is known of an owner.
func (p *pass) owner(key string) curator.Owner { return p.owners[key] }

// readOwners reads what is known of owners now: those who contributed or are vouched for; all others don't count.
func (p *pass) readOwners() error {
	accepted, err := p.accepted.read(p.ctx, p.Store)
	if err != nil {
		return err
	}
	since, err := p.accepted.knownSince(p.ctx, p.Store, p.now)
	if err != nil {
		return err
	}
	p.owners = make(map[string]curator.Owner, len(accepted))
	for key, patterns := range accepted {
		p.owners[key] = curator.Owner{KnownSince: since[key], Accepted: patterns}
	}
	return p.readVouches()
}

// readVouches adds whom the operator vouches for.
func (p *pass) readVouches() error {
	decisions, err := p.Store.DecisionsWith(p.ctx, lore.VerdictVouch, lore.VerdictUnvouch)
	if err != nil {
		return err
	}
	latest := map[string]lore.Verdict{}
	for _, decision := range decisions { // oldest first
		latest[decision.Subject.ID] = decision.Verdict
	}
	owners, err := p.Store.OwnersOfSources(p.ctx, slices.Sorted(maps.Keys(latest)))
	if err != nil {
		return err
	}
	for source, verdict := range latest {
		if key := owners[source]; verdict == lore.VerdictVouch && key != "" {
			owner := p.owners[key]
			owner.VouchedFor = true
			p.owners[key] = owner
		}
	}
	return nil
}

// weight says how an owner counts: not at all (""), everywhere ("*"), or everywhere but in one pattern (its id).
func (p *pass) weight(owner curator.Owner, now time.Time) string {
	switch {
	case owner.VouchedFor:
		return "*"
	case len(owner.Accepted) == 0 || owner.KnownSince.IsZero() || now.Sub(owner.KnownSince) < p.Rules.Promotion.QualifiedAfter():
		return ""
	case len(owner.Accepted) == 1 && owner.Accepted[0] != "":
		return owner.Accepted[0]
	}
	return "*"
}

// weights returns how owners count, without those who don't.
func (p *pass) weights() map[string]string {
	weights := map[string]string{}
	for key, owner := range p.owners {
		if weight := p.weight(owner, p.now); weight != "" {
			weights[key] = weight
		}
	}
	return weights
}

// ownersState is what is stored of how owners counted when cases were judged last, and of those who counted in another way
// while a group phase that may have been killed went on.
type ownersState struct {
	Weights map[string]string `json:"weights"`
	Pending []string          `json:"pending,omitempty"`
}

// storedOwners reads how owners counted when cases were judged last.
func (p *pass) storedOwners() (weights map[string]string, pending []string, err error) {
	_, data, err := p.Store.LoadState(p.ctx, stateOwners)
	if err != nil || len(data) == 0 {
		return map[string]string{}, nil, err
	}
	var stored ownersState
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		err = json.NewDecoder(unpacked).Decode(&stored)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("owners: %w", err)
	}
	return stored.Weights, stored.Pending, nil
}

// saveOwners stores how owners count.
func (p *pass) saveOwners(weights map[string]string, pending []string) error {
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	if err := json.NewEncoder(packer).Encode(ownersState{weights, pending}); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	return p.Store.SaveState(p.ctx, stateOwners, map[string]any{"owners": len(weights)}, packed.Bytes())
}

// notePending remembers owners who count in another way than when other cases were judged: settle looks at theirs even if
// they count as before by then.
func (p *pass) notePending() error {
	before, pending, err := p.storedOwners()
	if err != nil {
		return err
	}
	if changed := p.changedOwners(before); len(changed) > 0 {
		return p.saveOwners(before, distinct(append(changed, pending...)))
	}
	return nil
}

// changedOwners returns the owners who count in another way than before.
func (p *pass) changedOwners(before map[string]string) []string {
	now := p.weights()
	var changed []string
	for key, weight := range now {
		if before[key] != weight {
			changed = append(changed, key)
		}
	}
	for key := range before {
		if now[key] == "" {
			changed = append(changed, key)
		}
	}
	slices.Sort(changed)
	return changed
}
