package worker

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"agentlore/curator"
	"agentlore/lore"
)

// mostSetAside is how many items are set aside at most. Where more fail, it is no item's fault, and passes stop.
const mostSetAside = 1000

var errTooManySetAside = errors.New("more items fail than can be set aside: the store or the rules are at fault, not the items")

// setAside are the items that a pass leaves out, so that one bad item doesn't keep all others from being curated.
type setAside struct {
	mu      sync.Mutex // writes go side by side
	items   map[string]lore.SetAside
	retried map[string]lore.SetAside // those that this pass tries again; they stay stored until it ends
	retries map[string]int           // decisions to try an item again
	changed bool
}

// readSetAside reads which items were set aside, and which of them are to be tried again: those of another version of agentlore, those of which
// an operator said so, and in a rebuild all.
func (p *pass) readSetAside(all bool) error {
	stored, err := SetAside(p.ctx, p.Store)
	if err != nil {
		return err
	}
	p.aside = setAside{items: map[string]lore.SetAside{}, retried: map[string]lore.SetAside{}, retries: map[string]int{}}
	if len(stored) == 0 {
		return nil
	}
	var ids []string
	for _, item := range stored {
		ids = append(ids, item.Target.ID)
	}
	decisions, err := p.Store.Decisions(p.ctx, lore.DecisionFilter{Subjects: ids, Verdicts: []lore.Verdict{lore.VerdictRetry}})
	if err != nil {
		return err
	}
	for _, decision := range decisions {
		p.aside.retries[decision.Subject.ID]++
	}
	for _, item := range stored {
		if id := item.Target.ID; all || item.Version != p.Version || p.aside.retries[id] > item.Retries {
			p.aside.retried[id] = item
			if item.Target.Collection == lore.Families {
				p.touched[id] = true // it is counted anew
			}
		} else {
			p.aside.items[id] = item
		}
	}
	p.count(func(s *Stats) { s.SetAside = int64(len(p.aside.items)) })
	return nil
}

// toCompare says which reports the pass compares: not those that are set aside.
func (p *pass) toCompare(all bool) lore.ToCompare {
	which := lore.ToCompare{Version: curator.FingerprintVersion, All: all}
	for id, item := range p.aside.items {
		if item.Target.Collection == lore.Submissions {
			which.Except = append(which.Except, id)
		}
	}
	slices.Sort(which.Except)
	return which
}

// putAside sets items aside.
func (p *pass) putAside(reason string, targets ...lore.Target) {
	p.aside.mu.Lock()
	defer p.aside.mu.Unlock()
	for _, target := range targets {
		p.Log.Error("an item is set aside: curation goes on without it; see `agentlore review list --failed`",
			"collection", target.Collection, "id", target.ID, "cause", reason)
		p.aside.items[target.ID] = lore.SetAside{Target: target, Reason: reason, At: p.now, Version: p.Version, Retries: p.aside.retries[target.ID]}
		p.aside.changed = true
	}
	p.count(func(s *Stats) { s.SetAside = int64(len(p.aside.items)) })
}

// takeBack notes that reports are set aside no longer: something new led to them, and they could be judged.
func (p *pass) takeBack(reports []string) {
	p.aside.mu.Lock()
	defer p.aside.mu.Unlock()
	for _, id := range reports {
		if _, there := p.aside.items[id]; there {
			delete(p.aside.items, id)
			p.aside.changed = true
		}
	}
}

// saveSetAside stores which items are set aside. Before the pass has ended, those that it tries again are among them: a kill forgets none.
func (p *pass) saveSetAside(ended bool) error {
	p.aside.mu.Lock()
	defer p.aside.mu.Unlock()
	if len(p.aside.items) > mostSetAside {
		return errTooManySetAside
	}
	if !p.aside.changed && (!ended || len(p.aside.retried) == 0) {
		return nil
	}
	all := maps.Clone(p.aside.items)
	if !ended {
		for id, item := range p.aside.retried {
			if _, again := all[id]; !again {
				all[id] = item
			}
		}
	}
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	if err := json.NewEncoder(packer).Encode(slices.Collect(maps.Values(all))); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	p.aside.changed = false
	return p.Store.SaveState(p.ctx, stateSetAside, map[string]any{"items": len(all)}, packed.Bytes())
}

// SetAside returns the items that curation has set aside, the oldest first. Errors: the store's.
func SetAside(ctx context.Context, states States) (items []lore.SetAside, err error) {
	_, data, err := states.LoadState(ctx, stateSetAside)
	if err == nil && len(data) > 0 {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			err = json.NewDecoder(unpacked).Decode(&items)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("items set aside: %w", err)
	}
	slices.SortFunc(items, func(a, b lore.SetAside) int { return a.At.Compare(b.At) })
	return items, nil
}

// guard does work that depends on single items, and sets these aside where it panics: texts that nobody thought of must not stop curation.
func (p *pass) guard(work func(), targets ...lore.Target) (done bool) {
	defer func() {
		reason := recover()
		if done = reason == nil; done {
			return
		}
		// The value of a panic may hold a text; where it happened doesn't.
		p.Log.Error("judging failed", "panic", fmt.Sprintf("%T", reason), "stack", string(debug.Stack()))
		text := "judging it failed"
		if fault, is := reason.(runtime.Error); is {
			text += ": " + fault.Error()
		}
		p.putAside(text, targets...)
	}()
	work()
	return true
}

// submissions returns reports as targets.
func submissions(ids []string) []lore.Target {
	targets := make([]lore.Target, len(ids))
	for i, id := range ids {
		targets[i] = lore.Target{Collection: lore.Submissions, ID: id}
	}
	return targets
}
