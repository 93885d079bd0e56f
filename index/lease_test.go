package index

import (
	"context"
	"errors"
	"testing"
	"time"

	"agentlore/lore"
)

func acquire(t *testing.T, client *Client, name string) *Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	lease, err := client.AcquireLease(ctx, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// One holds the lease; who gives it back is followed at once, with a higher epoch.
func TestLeaseIsHeldByOne(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	name := lore.NewID()
	first := acquire(t, client, name)
	waited := make(chan struct{})
	second := make(chan *Lease, 1)
	go func() {
		lease, err := client.AcquireLease(context.WithoutCancel(t.Context()), name, func() { close(waited) })
		if err != nil {
			t.Error(err)
		}
		second <- lease
	}()
	<-waited
	if err := first.Sure(t.Context()); err != nil {
		t.Errorf("the holder: %v", err)
	}
	select {
	case <-second:
		t.Fatal("two hold the lease")
	default:
	}
	if err := first.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := <-second
	if next.Epoch() <= first.Epoch() {
		t.Errorf("epoch %d after %d", next.Epoch(), first.Epoch())
	}
	if err := next.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Who dies without a word is followed after a lease time.
func TestLeaseOfTheDead(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	name := lore.NewID()
	dead := acquire(t, client, name)
	dead.Abandon() // it renews no more, and doesn't know
	began := time.Now()
	next := acquire(t, client, name)
	if took := time.Since(began); took > 30*time.Second || took < LeaseTime {
		t.Errorf("the next one has the lease after %s", took)
	}
	unsure, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := dead.Sure(unsure); err == nil {
		t.Error("the dead holder thinks that it may write")
	}
	if err := dead.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := next.Sure(t.Context()); err != nil {
		t.Errorf("its release took the lease from the next one: %v", err)
	}
	if err := next.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A busy store that renews late is no lost lease: a write waits until it is renewed. One that another process has taken is lost.
func TestLeaseIsRenewedLate(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	lease := acquire(t, client, lore.NewID())
	late := func() {
		lease.mu.Lock()
		defer lease.mu.Unlock()
		lease.renewed = time.Now().Add(-leaseSure - time.Second)
	}
	late()
	if err := lease.Sure(t.Context()); err != nil {
		t.Errorf("a write while the lease was renewed late: %v", err)
	}
	other := leaseDocument{Holder: lore.NewID(), Epoch: lease.Epoch() + 1}
	if err := client.WriteDocument(t.Context(), client.Alias(StateIndex), lease.id, other, nil); err != nil {
		t.Fatal(err)
	}
	late()
	if err := lease.Sure(t.Context()); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("another process has the lease: %v, want ErrLeaseLost", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What one process does at a time is left to the one that does it, and is done by the next once that one has ended.
func TestAlone(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	name := lore.NewID()
	began, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- client.Alone(context.WithoutCancel(t.Context()), name, func(context.Context) error { close(began); <-end; return nil })
	}()
	<-began
	if err := client.Alone(t.Context(), name, func(context.Context) error { t.Error("two do it at once"); return nil }); err != nil {
		t.Errorf("the one that leaves it: %v", err)
	}
	close(end)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	fault := errors.New("failed")
	if err := client.Alone(t.Context(), name, func(context.Context) error { return fault }); !errors.Is(err, fault) {
		t.Errorf("what its work answers is lost: %v", err)
	}
}
