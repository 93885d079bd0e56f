package cache

import (
	"context"
	"fmt"
	"time"
)

// call runs do against Redis for a request: at once ErrUnavailable while the breaker is open, else with the call deadline.
func (r *Redis) call(ctx context.Context, do func(context.Context) error) error {
	if r.client == nil || r.down.Load() || r.closed.Load() {
		r.counts.refused.Add(1)
		return ErrUnavailable
	}
	return r.attempt(ctx, r.config.CallTimeout, do)
}

// attempt runs do with a deadline of its own. The caller's deadline and cancellation are left out on purpose: with them a
// client that hangs up would look like a failing Redis, and a write would have an unknown outcome that isn't Redis's fault.
// The wait is short anyway. Every error is a failure of Redis, also a refusal such as OOM or NOAUTH: what it can't do
// now, the process does by itself.
func (r *Redis) attempt(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	if err := do(ctx); err != nil {
		r.trip(err)
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	r.counts.served.Add(1)
	return nil
}

// trip opens the breaker.
func (r *Redis) trip(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures.Add(1)
	if r.closed.Load() || r.down.Load() {
		return
	}
	r.down.Store(true)
	r.counts.outages.Add(1)
	r.config.Log.Warn("redis is unavailable: look-ups and limits go on without it", "error", cause)
	select {
	case r.tripped <- struct{}{}:
	default:
	}
}

// restore closes the breaker.
func (r *Redis) restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down.CompareAndSwap(true, false) {
		r.config.Log.Info("redis is available again")
	}
}

// watch probes while the breaker is open and listens for the heartbeat while it is closed, once every cooldown.
func (r *Redis) watch(ctx context.Context) {
	timer := time.NewTimer(r.config.Cooldown)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.tripped: // a full cooldown from the failure on
		case <-timer.C:
			r.check(ctx)
		}
		timer.Reset(r.config.Cooldown)
	}
}

func (r *Redis) check(ctx context.Context) {
	if !r.down.Load() {
		_ = r.attempt(ctx, r.config.ProbeTimeout, func(ctx context.Context) error { return r.client.Ping(ctx).Err() })
		return
	}
	if r.probe(ctx) == nil {
		r.restore()
	}
}

// probe reports whether Redis is fit for use: it answers, and takes a write as fast as a call must. The PING before has more time,
// as it may have to connect.
func (r *Redis) probe(ctx context.Context) error {
	greeting, cancel := context.WithTimeout(ctx, r.config.ProbeTimeout)
	defer cancel()
	if err := r.client.Ping(greeting).Err(); err != nil {
		return err
	}
	ctx, cancel = context.WithTimeout(ctx, r.config.CallTimeout)
	defer cancel()
	return r.client.Set(ctx, r.key("probe", "write"), "", time.Minute).Err()
}
