package worker

import (
	"encoding/json"
	"fmt"

	"agentlore/curator"
)

// grownBy is how much the corpus must have grown for terms to be counted anew: rarities move by a tenth at most until then,
// and counting takes as long as comparing some thousand reports.
const grownBy = 1.1

// countTerms reads the stored frequencies, or counts terms anew: where the corpus has outgrown them, and where the whole corpus
// is to be compared.
func (p *pass) countTerms(reports int64, whole bool) error {
	if err := p.loadFrequencies(); err != nil {
		return err
	}
	if known := float64(p.frequencies.Reports()); !whole && known > 0 && float64(reports) <= known*grownBy && float64(reports) >= known/grownBy {
		return nil
	}
	fresh := &curator.Frequencies{}
	var err error
	if p.corpus, err = p.readAll(reports, whole, fresh.Add); err != nil {
		return err
	}
	p.progress.InMemory = p.corpus != nil
	encoded, err := fresh.Encode()
	if err != nil {
		return err
	}
	stored := frequencyState{Version: curator.FingerprintVersion, Pass: p.progress.Pass}
	if err := p.Store.SaveState(p.ctx, stateFrequencies, stored, encoded); err != nil {
		return err
	}
	p.frequencies, p.counted = fresh, stored.key()
	return nil
}

// frequencyState says which frequencies are stored.
type frequencyState struct {
	Version string `json:"version"`
	Pass    int64  `json:"pass"`
}

func (f frequencyState) key() string { return fmt.Sprint(f.Version, " ", f.Pass) }

// loadFrequencies reads the stored frequencies unless they are at hand.
func (p *pass) loadFrequencies() error {
	stored, err := p.Store.LoadProgress(p.ctx, stateFrequencies)
	if err != nil {
		return err
	}
	var of frequencyState
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &of); err != nil {
			return fmt.Errorf("frequencies: %w", err)
		}
	}
	if p.frequencies != nil && p.counted == of.key() {
		return nil
	}
	_, data, err := p.Store.LoadState(p.ctx, stateFrequencies) // megabytes
	if err != nil {
		return err
	}
	p.frequencies, p.counted = &curator.Frequencies{}, of.key()
	if of.Version != curator.FingerprintVersion || len(data) == 0 {
		return nil // nothing was counted yet, or by other rules
	}
	decoded, err := curator.DecodeFrequencies(data)
	if err != nil {
		p.Log.Warn("stored frequencies can't be read; terms are counted anew", "cause", err)
		return nil
	}
	p.frequencies = decoded
	return nil
}
