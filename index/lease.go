package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

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
	renewed time.Time     // monotonic: before the request that renewed it was sent
	lost    bool          // another one has it
	news    chan struct{} // closed, and made anew, when one of these has changed
	stop    context.CancelFunc
	ended   chan struct{}
}

// leaseDocument is a lease as stored. An empty holder is a lease that was given back.
type leaseDocument struct {
	Holder    string    `json:"holder"`
	Epoch     int64     `json:"epoch"`
	RenewedAt time.Time `json:"renewed_at"` // for people; nothing is decided by it
}

type storedLease struct {
	Revision
	Source leaseDocument `json:"_source"`
}

// AcquireLease waits until this process holds the named lease or ctx ends. Waiting, if set, is called once where another
// process holds it. A store that can't answer is asked again. The lease is renewed until Release, or until it is lost.
func (c *Client) AcquireLease(ctx context.Context, name string, waiting func()) (*Lease, error) {
	l := &Lease{client: c, id: "lease:" + name, holder: lore.NewID(), news: make(chan struct{}), ended: make(chan struct{})}
	var seen Revision
	var since time.Time
	for {
		began := time.Now()
		stored, err := l.get(ctx)
		taken := false
		switch {
		case errors.Is(err, ErrNotFound):
			taken, err = l.take(ctx, began, 1, nil)
		case err != nil:
		case stored.Source.Holder == "":
			taken, err = l.take(ctx, began, stored.Source.Epoch+1, &stored.Revision)
		case since.IsZero() || stored.Revision != seen:
			seen, since = stored.Revision, time.Now()
			if waiting != nil {
				waiting()
				waiting = nil
			}
		case time.Since(since) >= LeaseTime:
			taken, err = l.take(ctx, began, stored.Source.Epoch+1, &stored.Revision)
		}
		if err != nil && ctx.Err() == nil {
			var problem *lore.Problem
			if !errors.As(err, &problem) || problem.Code != lore.CodeStoreUnavailable {
				return nil, fmt.Errorf("lease: %w", err)
			}
			since = time.Time{} // a holder may have been unable to renew it either: it gets its time again
		}
		if taken {
			renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
			l.stop = stop
			go l.renew(renewing)
			return l, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(LeaseLook):
		}
	}
}

func (l *Lease) get(ctx context.Context) (storedLease, error) {
	var stored storedLease
	err := l.client.Do(ctx, esapi.GetRequest{Index: l.client.Alias(StateIndex), DocumentID: l.id}, &stored)
	return stored, err
}

// take writes the lease over what was read (nothing, where it is new). Another one that was quicker is no error.
func (l *Lease) take(ctx context.Context, began time.Time, epoch int64, over *Revision) (bool, error) {
	document := leaseDocument{Holder: l.holder, Epoch: epoch, RenewedAt: time.Now().UTC()}
	var err error
	if over == nil {
		err = l.client.CreateDocument(ctx, l.client.Alias(StateIndex), l.id, document)
	} else {
		err = l.client.WriteDocument(ctx, l.client.Alias(StateIndex), l.id, document, over)
	}
	if err != nil && !errors.Is(err, ErrConflict) {
		return false, err
	}
	// A conflict may be with our own write, whose first answer was lost: what is stored tells.
	stored, err := l.get(ctx)
	if err != nil || stored.Source.Holder != l.holder {
		return false, err
	}
	l.epoch, l.renewed = stored.Source.Epoch, began
	return true, nil
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
		ours, err := l.renewOnce(ctx)
		switch {
		case err == nil && !ours:
			l.note(func() { l.lost = true })
			return
		case err == nil:
			l.note(func() { l.renewed = began })
		}
	}
}

// renewOnce renews the lease and reports whether it is still ours. A renewal that takes longer than leaseSure would say
// nothing any more when it is answered: a new one is tried then.
func (l *Lease) renewOnce(ctx context.Context) (ours bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaseSure)
	defer cancel()
	stored, err := l.get(ctx)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil || stored.Source.Holder != l.holder {
		return false, err
	}
	document := stored.Source
	document.RenewedAt = time.Now().UTC()
	return true, l.client.WriteDocument(ctx, l.client.Alias(StateIndex), l.id, document, &stored.Revision)
}

// note changes what is known of the lease, and wakes who waits for it.
func (l *Lease) note(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	close(l.news)
	l.news = make(chan struct{})
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
		lost, sure, news := l.lost, time.Since(l.renewed) <= leaseSure, l.news
		l.mu.Unlock()
		switch {
		case lost:
			return ErrLeaseLost
		case sure:
			return nil
		}
		select {
		case <-news:
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
	stored, err := l.get(ctx)
	if err != nil || stored.Source.Holder != l.holder {
		return err
	}
	document := leaseDocument{Epoch: l.epoch, RenewedAt: time.Now().UTC()}
	err = l.client.WriteDocument(ctx, l.client.Alias(StateIndex), l.id, document, &stored.Revision)
	if errors.Is(err, ErrConflict) {
		return nil
	}
	return err
}

// Abandon ends the renewal of a lease without giving it back, as the end of its process does.
func (l *Lease) Abandon() {
	l.stop()
	<-l.ended
}
