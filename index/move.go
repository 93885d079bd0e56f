package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/mappings"
)

// Move says what a migration of indices is for.
type Move struct {
	Shards  int  // primary shards that every public collection shall have; 0: as they are
	Mapping bool // move what has another mapping than this binary's
	// Progress hears a line for each step.
	Progress func(line string)
}

// Move moves collections to new indices while reads and writes go on, one after another: copy, catch up, hold writes for a
// moment, catch up for the last time, and let the alias lead to the new index. What needs no move stays. It returns how many
// moved. One that fails leaves its collection where it was.
func (c *Client) Move(ctx context.Context, plan Move) (moved int, err error) {
	definitions, err := mappings.All()
	if err != nil {
		return 0, err
	}
	lock, err := c.lockMigration(ctx)
	if err != nil {
		return 0, err
	}
	defer lock.release()
	var old []string
	defer func() { err = errors.Join(err, c.retire(ctx, old)) }()
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		m := move{Client: c, definition: definitions[name], alias: c.alias(name), progress: plan.Progress}
		needed, err := m.plan(ctx, plan)
		switch {
		case err != nil || !needed:
		case name == accounts && m.version < accountsVersion:
			err = m.convertAccounts(ctx)
		default:
			err = m.run(ctx)
		}
		if err != nil {
			return moved, fmt.Errorf("move %s: %w", m.alias, err)
		}
		if needed {
			moved++
			old = append(old, m.from)
		}
	}
	return moved, nil
}

// move is the migration of one collection.
type move struct {
	*Client
	definition mappings.Definition
	alias      string
	from, to   string // concrete indices
	shards     int
	version    int // of the documents that are there
	progress   func(string)
}

func (m *move) say(format string, values ...any) {
	if m.progress != nil {
		m.progress(m.alias + ": " + fmt.Sprintf(format, values...))
	}
}

// plan looks at what there is and reports whether it has to move.
func (m *move) plan(ctx context.Context, wanted Move) (bool, error) {
	var there map[string]struct {
		Settings struct {
			Index struct {
				Shards string `json:"number_of_shards"`
			} `json:"index"`
		} `json:"settings"`
		Mappings struct {
			Meta struct {
				Version int    `json:"version"`
				Hash    string `json:"hash"`
			} `json:"_meta"`
		} `json:"mappings"`
	}
	if err := m.Do(ctx, esapi.IndicesGetRequest{Index: []string{m.alias}}, &there); err != nil {
		return false, err
	}
	if len(there) != 1 {
		return false, fmt.Errorf("%d indices behind one alias: that is not of our making", len(there))
	}
	for name, index := range there {
		shards, err := strconv.Atoi(index.Settings.Index.Shards)
		if err != nil {
			return false, fmt.Errorf("read the number of shards: %w", err)
		}
		m.from, m.shards, m.version = name, shards, index.Mappings.Meta.Version
		outdated := wanted.Mapping && index.Mappings.Meta.Hash != m.definition.Hash
		if wanted.Shards > 0 && !m.definition.Internal && shards != wanted.Shards {
			m.shards, outdated = wanted.Shards, true
		}
		if !outdated {
			return false, nil
		}
	}
	generation, err := strconv.Atoi(strings.TrimPrefix(m.from, m.alias+"-"))
	if err != nil {
		return false, fmt.Errorf("index %s has no number to count on from", m.from)
	}
	m.to = fmt.Sprintf("%s-%06d", m.alias, generation+1)
	return true, nil
}

const (
	// closeEnough is how many writes the copy may be behind when writes are held: a fraction of a second's work.
	closeEnough = 500
	// maxPasses ends the chase after writers that are faster than the copy: holding them then takes longer.
	maxPasses = 12
	// holdTimeout bounds the time for which writes are held. Beyond it they go on, and the last step is tried again.
	holdTimeout = 15 * time.Second
	// swaps is how often the last step is tried.
	swaps = 3
)

// run moves the collection. On a busy cluster the last step may take longer than writes are held: they go on then, and it is
// tried again.
func (m *move) run(ctx context.Context) error {
	if err := m.prepare(ctx); err != nil {
		return err
	}
	seen, err := m.catchUp(ctx, nil)
	if err == nil {
		err = m.publish(ctx)
	}
	if err == nil { // that took its time, and what was written meanwhile shall not be copied while writes are held
		seen, err = m.catchUp(ctx, seen)
	}
	for attempt := 1; err == nil; attempt++ {
		if err = m.swap(ctx, seen); err == nil {
			return nil
		}
		if m.swapped(ctx) { // its answer was lost
			m.say("moved")
			return nil
		}
		if attempt == swaps || ctx.Err() != nil || !isUnavailable(err) {
			break
		}
		m.say("the last step took too long, and writes go on; it is tried again")
		if err = m.settle(ctx); err == nil {
			seen, err = m.catchUp(ctx, seen)
		}
	}
	m.discard()
	return err
}

// isUnavailable reports whether an error is the store's state, which passes.
func isUnavailable(err error) bool {
	var problem *lore.Problem
	return errors.As(err, &problem) && problem.Code == lore.CodeStoreUnavailable
}

// prepare makes the new index, without its alias. One that a failed migration left behind goes first.
func (m *move) prepare(ctx context.Context) error {
	if err := m.settle(ctx); err != nil {
		return err
	}
	if err := m.drop(ctx, m.to); err != nil {
		return err
	}
	settings := m.indexSettings(m.definition)
	settings["number_of_shards"] = m.shards
	settings["refresh_interval"] = "-1"
	delete(settings, "auto_expand_replicas")
	settings["number_of_replicas"] = 0 // made at the end, of what is there then
	m.say("from %s to %s, %d shards", m.from, m.to, m.shards)
	return m.createNamed(ctx, m.to, m.definition, settings, map[string]any{})
}

// catchUp copies what isn't seen yet (nil: everything), and again what was written meanwhile, until little is missing.
func (m *move) catchUp(ctx context.Context, seen checkpoints) (checkpoints, error) {
	for pass := 1; ; pass++ {
		before, err := m.checkpoints(ctx)
		if err != nil {
			return nil, err
		}
		copied, err := m.copy(ctx, seen, false)
		if err != nil {
			return nil, err
		}
		seen = before
		now, err := m.checkpoints(ctx)
		if err != nil {
			return nil, err
		}
		behind := now.since(seen)
		m.say("pass %d: %d documents copied, %d writes behind", pass, copied, behind)
		if behind <= closeEnough || pass == maxPasses {
			return seen, nil
		}
	}
}

// publish gives the new index the replicas and the refresh interval of use, and waits for what can be had of them.
func (m *move) publish(ctx context.Context) error {
	settings := m.indexSettings(m.definition)
	delete(settings, "number_of_shards")
	if err := m.putSettings(ctx, m.to, settings); err != nil {
		return err
	}
	if err := m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.to}}, nil); err != nil {
		return err
	}
	settled := true
	for {
		var health struct {
			TimedOut bool `json:"timed_out"`
		}
		err := m.Do(ctx, esapi.ClusterHealthRequest{
			Index: []string{m.to}, WaitForStatus: "yellow", WaitForNoInitializingShards: &settled, Timeout: m.timeout / 2,
		}, &health)
		var refused *responseError // a wait that ended without success is a 408
		if err == nil && !health.TimedOut {
			return nil
		}
		if err != nil && !(errors.As(err, &refused) && refused.status == 408) {
			return err
		}
		m.say("waiting for its replicas")
	}
}

// putSettings changes an index's settings.
func (c *Client) putSettings(ctx context.Context, index string, settings map[string]any) error {
	body, err := jsonBody(map[string]any{"index": settings})
	if err != nil {
		return err
	}
	return c.Do(ctx, esapi.IndicesPutSettingsRequest{Index: []string{index}, Body: body}, nil)
}
