// Package migrate moves collections into new indices without a pause.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/mappings"
)

// Migrator moves collections into indices with this binary's mappings, or with other shards, while the service reads and writes them.
type Migrator struct{ *index.Client }

// New returns a migrator of a client's indices.
func New(client *index.Client) *Migrator { return &Migrator{client} }

// Move says what a migration of indices is for.
type Move struct {
	Shards  index.Shards // primary shards that indices shall have; one that isn't named keeps its own
	Mapping bool         // move what has another mapping than this binary's
	// Rate is how many documents a second the first copy of a collection reads at most, so that searches and writes beside it are served;
	// 0: as many as the store can.
	Rate int
	// Progress hears a line for each step.
	Progress func(line string)
}

// migrationLease lets one migration run at a time, and tells services that a write block has an owner.
const migrationLease = "migration"

// Move moves collections to new indices while reads and writes go on, one after another: copy, catch up, block writes for a moment,
// catch up for the last time, and let the alias lead to the new index. What needs no move stays. It returns how many moved. One
// that fails leaves its collection where it was. Another migration under way is waited for.
func (c *Migrator) Move(ctx context.Context, plan Move) (moved int, err error) {
	definitions, err := mappings.Sized(c.Dimensions)
	if err != nil {
		return 0, err
	}
	if plan.Progress == nil {
		plan.Progress = func(string) {}
	}
	lease, err := c.AcquireLease(ctx, migrationLease, func() { plan.Progress("waiting for another migration to end") })
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	var old []string
	defer func() { err = errors.Join(err, c.retire(ctx, old)) }()
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		m := move{Migrator: c, Move: plan, definition: definitions[name], alias: c.Alias(name)}
		needed, err := m.plan(ctx)
		if err == nil && needed {
			err = m.refuseBlocked(ctx)
		}
		switch {
		case err != nil || !needed:
		case name == index.AccountsIndex && m.version < index.AccountsVersion:
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
			if err := m.unmark(ctx); err != nil { // a service does it else, within two minutes
				c.Log.Warn("the mark of a write block is left behind", "index", m.from, "cause", err)
			}
		}
	}
	return moved, nil
}

// move is the migration of one collection.
type move struct {
	*Migrator
	Move
	definition mappings.Definition
	alias      string
	from, to   string // concrete indices
	shards     int
	replicas   map[string]any // settings of those that are there
	version    int            // of the documents that are there
	vectors    int            // the size of those that are there
}

func (m *move) say(format string, values ...any) {
	m.Progress(m.alias + ": " + fmt.Sprintf(format, values...))
}

// plan looks at what there is and reports whether it has to move.
func (m *move) plan(ctx context.Context) (bool, error) {
	var there map[string]struct {
		Settings struct {
			Index struct {
				Shards   int    `json:"number_of_shards,string"`
				Replicas string `json:"number_of_replicas"`
				Expand   string `json:"auto_expand_replicas"`
			} `json:"index"`
		} `json:"settings"`
		Mappings struct {
			Meta struct {
				Version int    `json:"version"`
				Hash    string `json:"hash"`
			} `json:"_meta"`
			Properties struct {
				Vector struct {
					Dimensions int `json:"dims"`
				} `json:"embedding"`
			} `json:"properties"`
		} `json:"mappings"`
	}
	if err := m.Do(ctx, esapi.IndicesGetRequest{Index: []string{m.alias}}, &there); err != nil {
		return false, err
	}
	if len(there) != 1 {
		return false, fmt.Errorf("%d indices behind one alias: that is not of our making", len(there))
	}
	for name, there := range there {
		m.from, m.shards, m.version = name, there.Settings.Index.Shards, there.Mappings.Meta.Version
		m.vectors = there.Mappings.Properties.Vector.Dimensions
		outdated := m.Mapping && there.Mappings.Meta.Hash != m.definition.Hash
		m.replicas = index.ReplicaSettings(there.Settings.Index.Replicas)
		if expand := there.Settings.Index.Expand; expand != "" && expand != "false" {
			m.replicas = map[string]any{"auto_expand_replicas": expand}
		}
		if shards := m.Shards.Of(m.definition); m.definition.Lookup {
			m.shards = 1
		} else if shards > 0 && m.shards != shards {
			m.shards, outdated = shards, true
		}
		if !outdated {
			return false, nil
		}
	}
	number := generation(m.from)
	if number == 0 {
		return false, fmt.Errorf("index %s has no number to count on from", m.from)
	}
	m.to = fmt.Sprintf("%s-%06d", m.alias, number+1)
	return true, nil
}

const (
	// closeEnough is how many documents a pass may have copied for the next one to be the last: a fraction of a second's work.
	closeEnough = 500
	// maxPasses ends the chase after writers that are faster than the copy: the block takes longer then.
	maxPasses = 12
	// blockTimeout bounds the time for which writes are blocked. Beyond it they go on, and the last step is tried again.
	blockTimeout = 15 * time.Second
	// swaps is how often the last step is tried: on a busy cluster it may take longer than writes are blocked.
	swaps = 3
)

// run moves the collection.
func (m *move) run(ctx context.Context) error {
	if err := m.prepare(ctx); err != nil {
		return err
	}
	seen, err := m.catchUp(ctx, nothingCopied)
	if err == nil {
		err = m.publish(ctx)
	}
	for attempt := 1; err == nil; attempt++ {
		if seen, err = m.catchUp(ctx, seen); err != nil { // what was written meanwhile shall not be copied under the block
			break
		}
		if err = m.swap(ctx, seen); err == nil || m.swapped(ctx) { // its answer was lost
			return nil
		}
		if attempt == swaps || ctx.Err() != nil || lore.CodeOf(err) != lore.CodeStoreUnavailable {
			break
		}
		m.say("the last step took too long, and writes go on; it is tried again")
		err = m.awaitCopies(ctx)
	}
	m.discard()
	return err
}

// prepare makes the new index, without its alias. One that a failed migration left behind goes first.
func (m *move) prepare(ctx context.Context) error {
	if err := m.awaitCopies(ctx); err != nil {
		return err
	}
	if err := m.drop(ctx, m.to); err != nil {
		return err
	}
	settings := m.IndexSettings(m.definition)
	settings["number_of_shards"] = m.shards
	settings["refresh_interval"] = "-1"
	maps.Copy(settings, index.ReplicaSettings("0")) // made at the end, of what is there then
	m.say("from %s to %s, %d shards", m.from, m.to, m.shards)
	return m.CreateNamed(ctx, m.to, m.definition, settings, map[string]any{})
}

// catchUp copies what was written after a checkpoint, and again what was written meanwhile, until little is missing. It returns the
// checkpoint to go on from.
func (m *move) catchUp(ctx context.Context, seen int64) (int64, error) {
	for pass := 1; ; pass++ {
		now, err := m.checkpoint(ctx)
		if err != nil {
			return seen, err
		}
		copied, err := m.copy(ctx, seen, false)
		if err != nil {
			return seen, err
		}
		m.say("pass %d: %d documents copied", pass, copied)
		if seen = now; copied <= closeEnough || pass == maxPasses {
			return seen, nil
		}
	}
}

// publish gives the new index the replicas and the refresh interval of use, and waits for what can be had of them.
func (m *move) publish(ctx context.Context) error {
	settings := m.IndexSettings(m.definition)
	delete(settings, "number_of_shards")
	delete(settings, "mode")        // which it was made with
	maps.Copy(settings, m.replicas) // which an operator may have changed
	if err := m.putSettings(ctx, m.to, settings); err != nil {
		return err
	}
	if err := m.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{m.to}}, nil); err != nil {
		return err
	}
	return m.settle(ctx, []string{m.to}, func() { m.say("waiting for its replicas") })
}

// swap blocks writes, copies what is missing, and lets the alias lead to the new index.
func (m *move) swap(ctx context.Context, seen int64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, blockTimeout)
	defer cancel()
	started := time.Now()
	if err := m.blockWrites(ctx); err != nil {
		return err
	}
	defer func() {
		if err != nil { // whatever happened: writers must go on
			m.unblock(m.from)
		}
	}()
	copied, err := m.copy(ctx, seen, true)
	if err != nil {
		return err
	}
	removed, err := m.removeDeleted(ctx)
	if err != nil {
		return err
	}
	if err := m.swapAlias(ctx); err != nil {
		return err
	}
	m.say("moved: writes were blocked for %s, %d documents copied in it, %d deleted ones removed", time.Since(started).Round(time.Millisecond), copied, removed)
	return nil
}

// discard removes the new index of a migration that failed, unless the alias leads there: an answer may have been lost.
func (m *move) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), m.Timeout)
	defer cancel()
	if m.swapped(ctx) {
		return
	}
	err := m.awaitCopies(ctx) // a copy that goes on would make the index again
	if err == nil {
		err = m.drop(ctx, m.to)
	}
	if err != nil {
		m.say("%s is left behind; the next migration removes it", m.to)
	}
}
