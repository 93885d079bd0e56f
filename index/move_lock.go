package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/mappings"
)

const (
	migrationState = "migration" // id of the lock's document
	// lockRenew is how often a migration says that it lives.
	lockRenew = 10 * time.Second
	// lockLife is after which silence a migration counts as dead.
	lockLife = 3 * time.Minute
	// lockSilence is for how long whoever wants to take its lock, or to lift its write block, must have seen on its own clock
	// that it isn't renewed: clocks of several machines needn't agree, and lifting a living migration's block loses writes.
	lockSilence = 3 * lockRenew
)

// ErrMigrating means that another migration is under way, or died less than three minutes ago.
var ErrMigrating = errors.New("another migration is under way; one that was killed is forgotten after three minutes")

// migrationLock lets one migration run at a time, and tells services that a write block has an owner.
type migrationLock struct {
	client *Client
	holder string
	stop   context.CancelFunc
	done   chan struct{}
}

// lockDocument is the lock as stored.
type lockDocument struct {
	Holder    string    `json:"holder"`
	RenewedAt time.Time `json:"renewed_at"`
}

type storedLock struct {
	Revision
	Source lockDocument `json:"_source"`
}

// lockMigration takes the lock. Errors: ErrMigrating, store_unavailable.
func (c *Client) lockMigration(ctx context.Context) (*migrationLock, error) {
	lock := &migrationLock{client: c, holder: lore.NewID(), done: make(chan struct{})}
	alias := c.alias(state)
	err := c.createDocument(ctx, alias, migrationState, lock.document())
	if errors.Is(err, ErrConflict) {
		held, found, readErr := c.migrationState(ctx)
		if readErr != nil {
			return nil, readErr
		}
		if found && !c.awaitDeath(ctx, held) {
			return nil, ErrMigrating
		}
		err = c.writeDocument(ctx, alias, migrationState, lock.document(), &held.Revision)
		if errors.Is(err, ErrConflict) {
			return nil, ErrMigrating
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	lock.stop = stop
	go lock.renew(renewing)
	return lock, nil
}

// lockWatch is what a process has seen of the migration's lock.
type lockWatch struct {
	mu    sync.Mutex
	seen  Revision
	since time.Time // on our own clock
}

// dead reports whether a migration hasn't renewed its lock for lockLife, as its own time says, and for so long as we have
// seen ourselves.
func (w *lockWatch) dead(held storedLock, silence time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() || w.seen != held.Revision {
		w.seen, w.since = held.Revision, time.Now()
	}
	return time.Since(held.Source.RenewedAt) >= lockLife && time.Since(w.since) >= silence
}

// awaitDeath reports whether the migration that holds the lock is dead. It waits where it seems so, to be sure.
func (c *Client) awaitDeath(ctx context.Context, held storedLock) bool {
	for !c.locks.dead(held, c.lockSilence) {
		if time.Since(held.Source.RenewedAt) < lockLife {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(c.lockSilence / 10):
		}
		now, found, err := c.migrationState(ctx)
		if err != nil || !found || now.Revision != held.Revision {
			return false // it lives, or has just ended: the next try will tell
		}
	}
	return true
}

func (l *migrationLock) document() lockDocument { return lockDocument{l.holder, time.Now().UTC()} }

// renew says that the migration lives until it is released.
func (l *migrationLock) renew(ctx context.Context) {
	defer close(l.done)
	ticker := time.NewTicker(lockRenew)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := l.client.writeDocument(ctx, l.client.alias(state), migrationState, l.document(), nil); err != nil && ctx.Err() == nil {
				l.client.log.Warn("the migration's lock could not be renewed", "cause", err)
			}
		}
	}
}

// release gives the lock back.
func (l *migrationLock) release() {
	l.stop()
	<-l.done
	ctx, cancel := context.WithTimeout(context.Background(), l.client.timeout)
	defer cancel()
	err := l.client.Do(ctx, esapi.DeleteRequest{Index: l.client.alias(state), DocumentID: migrationState}, nil)
	if err != nil && !errors.Is(err, ErrNotFound) {
		l.client.log.Warn("the migration's lock stays for three minutes", "cause", err)
	}
}

// migrationState reads the lock.
func (c *Client) migrationState(ctx context.Context) (held storedLock, found bool, err error) {
	err = c.Do(ctx, esapi.GetRequest{Index: c.alias(state), DocumentID: migrationState}, &held)
	if errors.Is(err, ErrNotFound) {
		return held, false, nil
	}
	return held, err == nil, err
}

// ReleaseWrites lifts write blocks that a killed migration left behind, and returns how many. Errors: store_unavailable.
func (c *Client) ReleaseWrites(ctx context.Context) (int, error) {
	definitions, err := mappings.All()
	if err != nil {
		return 0, err
	}
	var aliases, blocked []string
	for name := range definitions {
		aliases = append(aliases, c.alias(name))
	}
	var settings map[string]struct {
		Settings struct {
			Index struct {
				Blocks struct {
					Write string `json:"write"`
				} `json:"blocks"`
			} `json:"index"`
		} `json:"settings"`
	}
	missing := true
	if err := c.Do(ctx, esapi.IndicesGetSettingsRequest{Index: aliases, Name: []string{"index.blocks.write"}, IgnoreUnavailable: &missing}, &settings); err != nil {
		return 0, err
	}
	for index, found := range settings {
		if found.Settings.Index.Blocks.Write == "true" {
			blocked = append(blocked, index)
		}
	}
	if len(blocked) == 0 {
		return 0, nil
	}
	held, found, err := c.migrationState(ctx)
	if err != nil || found && !c.locks.dead(held, c.lockSilence) {
		return 0, err
	}
	for _, index := range blocked {
		c.unblock(index)
	}
	return len(blocked), nil
}
