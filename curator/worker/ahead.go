package worker

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// read is what was read at once, or why it could not be.
type read[T any] struct {
	items []T
	err   error // and nothing else: nothing follows
}

// ahead calls next until it returns nothing, an error or ctx ends, each time with what it returned before, and hands on what it
// returns: a step ahead of whoever receives it, so that the store and this process work at the same time.
func ahead[T any](ctx context.Context, next func(last []T) ([]T, error)) <-chan read[T] {
	steps := make(chan read[T])
	go func() {
		defer close(steps)
		var step read[T]
		for {
			if step.items, step.err = next(step.items); step.err == nil && len(step.items) == 0 {
				return
			}
			select {
			case steps <- step:
			case <-ctx.Done():
				return
			}
			if step.err != nil {
				return
			}
		}
	}()
	return steps
}

// behind is a write that goes on while the next page is read and judged; one at a time. The zero value is one that has ended.
type behind struct{ ended chan error }

// start begins a write. The one before must have been waited for.
func (b *behind) start(write func() error) {
	ended := make(chan error, 1)
	b.ended = ended
	go func() { ended <- write() }()
}

// wait returns how the write ended; nil where none is under way.
func (b *behind) wait() error {
	if b.ended == nil {
		return nil
	}
	err := <-b.ended
	b.ended = nil
	return err
}

// together calls work for 0 to n-1, so many calls at a time, and returns the first error. After one failed it begins no more.
func together(atOnce, n int, work func(i int) error) error {
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(atOnce)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		group.Go(func() error { return work(i) })
	}
	return group.Wait()
}
