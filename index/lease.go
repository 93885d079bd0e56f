package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentlore/lore"
)

// StateIndex is the index of leases and of how far passes have come, for Client.Alias.
const StateIndex = "state"

// LeaseTime is how long a lease holds after it was renewed last. A holder that dies is followed by another after this time
// and a look (leaseLook) more.
const LeaseTime = 12 * time.Second

const (
	leaseRenewal = LeaseTime / 4 // so that a lost renewal and a slow one don't lose the lease
	LeaseLook    = 2 * time.Second
	// leaseSure is how long after a renewal a holder writes: what it sends then arrives before another may have the lease.
	leaseSure = LeaseTime / 2
)

var errLeaseUnsure = errors.New("the lease could not be renewed in time")

// ErrLeaseLost says that another process holds the lease by now, or did: nothing more may be written under it.
var ErrLeaseLost = errors.New("the lease is lost")

// Lease is the right to do what only one process may do at a time. Clocks of several machines needn't agree: a challenger
// takes a lease only after it has seen, on its own clock, that it wasn't renewed for LeaseTime, and a holder stops by its
// own clock before that. Each change of holder raises the epoch: what a former holder still has under way bears the older
// one and is refused where the new holder has written.
type Lease struct {
	client *Client
	id     string
	holder string // this process and lease, unique
	epoch  int64

	mu      sync.Mutex
	renewed time.Time // monotonic: before the request that renewed it was sent
	lost    bool      // another one has it
	stop    context.CancelFunc
	ended   chan struct{}
}

// leaseDocument is a lease as stored. An empty holder is a lease that was given back.
type leaseDocument struct {
	Holder    string    `json:"holder"`
	Epoch     int64     `json:"epoch"`
	RenewedAt time.Time `json:"renewed_at"` // by the holder's clock: a challenger looks only whether it changes
}

// errLeaseHeld is that another process holds the lease, as far as a challenger knows yet.
var errLeaseHeld = errors.New("the lease is held")

// AcquireLease waits until this process holds the named lease or ctx ends. Waiting, if set, is called once where another
// process holds it. A store that can't answer is asked again. The lease is renewed until Release, or until it is lost.
func (c *Client) AcquireLease(ctx context.Context, name string, waiting func()) (*Lease, error) {
	l := &Lease{client: c, id: "lease:" + name, holder: lore.NewID(), ended: make(chan struct{})}
	var seen, since time.Time // the renewal that was seen last, and since when on our clock
	for {
		began := time.Now()
		stored, err := l.edit(ctx, func(held *leaseDocument, _ bool) error {
			switch {
			case held.Holder == l.holder: // our own write, whose first answer was lost
				return ErrUnchanged
			case held.Holder == "": // it is new, or was given back
			case !held.RenewedAt.Equal(seen):
				seen, since = held.RenewedAt, time.Now()
				return errLeaseHeld
			case time.Since(since) < LeaseTime:
				return errLeaseHeld
			}
			*held = leaseDocument{Holder: l.holder, Epoch: held.Epoch + 1, RenewedAt: time.Now().UTC()}
			return nil
		})
		switch {
		case err == nil:
			l.epoch, l.renewed = stored.Source.Epoch, began
			renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
			l.stop = stop
			go l.renew(renewing)
			return l, nil
		case errors.Is(err, errLeaseHeld):
			if waiting != nil {
				waiting()
				waiting = nil
			}
		case lore.CodeOf(err) == lore.CodeStoreUnavailable:
			seen = time.Time{} // a holder may have been unable to renew it either: it gets its time again
		case ctx.Err() == nil:
			return nil, fmt.Errorf("lease: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(LeaseLook):
		}
	}
}

// Alone does work while this process holds the named lease, and then gives the lease back. Where another process does the work it
// returns without doing it; it waits for the lease of one that has died. Errors: work's, store_unavailable.
func (c *Client) Alone(ctx context.Context, name string, work func(context.Context) error) (err error) {
	waiting, cancel := context.WithTimeout(ctx, LeaseTime+3*LeaseLook)
	defer cancel()
	lease, err := c.AcquireLease(waiting, name, nil)
	if errors.Is(err, context.DeadlineExceeded) { // another process that lives has it
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	return work(ctx)
}

func (l *Lease) edit(ctx context.Context, edit func(held *leaseDocument, there bool) error) (Stored[leaseDocument], error) {
	return Edit(ctx, l.client, l.client.Alias(StateIndex), l.id, edit)
}

// renew renews the lease until ctx ends or it is lost.
func (l *Lease) renew(ctx context.Context) {
	defer close(l.ended)
	ticker := time.NewTicker(leaseRenewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		began := time.Now()
		err := l.renewOnce(ctx)
		lost := errors.Is(err, ErrLeaseLost)
		l.mu.Lock()
		l.lost = lost
		if err == nil {
			l.renewed = began
		}
		l.mu.Unlock()
		if lost {
			return
		}
	}
}

// renewOnce renews the lease. A renewal that takes longer than leaseSure would say nothing any more when it is answered: a new one is
// tried then. Errors: ErrLeaseLost, store_unavailable.
func (l *Lease) renewOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseSure)
	defer cancel()
	_, err := l.edit(ctx, func(held *leaseDocument, _ bool) error {
		if held.Holder != l.holder {
			return ErrLeaseLost
		}
		held.RenewedAt = time.Now().UTC()
		return nil
	})
	return err
}

// Epoch numbers the holders of this lease, rising.
func (l *Lease) Epoch() int64 { return l.epoch }

// Sure waits until this process can be sure that the lease is its own for the next seconds; it is asked before every write.
// A store that is busy renews late: writes wait for it then, as long as for any other answer of the store. Errors:
// ErrLeaseLost, once another process has it; store_unavailable; context.Canceled.
func (l *Lease) Sure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(l.client.Timeout, LeaseTime))
	defer cancel()
	for {
		l.mu.Lock()
		lost, sure := l.lost, time.Since(l.renewed) <= leaseSure
		l.mu.Unlock()
		switch {
		case lost:
			return ErrLeaseLost
		case sure:
			return nil
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
			return TransportError(ctx, errLeaseUnsure)
		}
	}
}

// Release gives the lease back, so that the next one needn't wait, also where ctx has ended. It takes at most LeaseTime.
func (l *Lease) Release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), LeaseTime)
	defer cancel()
	l.Abandon()
	_, err := l.edit(ctx, func(held *leaseDocument, _ bool) error {
		if held.Holder != l.holder {
			return ErrUnchanged
		}
		*held = leaseDocument{Epoch: held.Epoch, RenewedAt: time.Now().UTC()}
		return nil
	})
	return err
}

// Abandon ends the renewal of a lease without giving it back, as the end of its process does.
func (l *Lease) Abandon() {
	l.stop()
	<-l.ended
}
