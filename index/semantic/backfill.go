package semantic

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"agentlore/embed"
	"agentlore/index"
)

// Embedder makes vectors.
type Embedder interface {
	// Question returns the vector of a question, within the time that a search has for it.
	Question(ctx context.Context, text string) (embed.Vector, error)
	// Vectors returns the vectors of scrubbed texts, in their order.
	Vectors(ctx context.Context, texts []string) ([]embed.Vector, error)
}

const (
	// lookEvery is how often a process looks for items without vectors, and whether the indices can hold them: a new report is found by
	// its meaning after so long.
	lookEvery = 10 * time.Second
	// After a failure the next batch waits for firstPause, then twice as long each time, up to lastPause.
	firstPause, lastPause = time.Second, time.Minute
	// refusedFor is how long an item whose text the server refused isn't sent again.
	refusedFor = time.Hour
	// mostRefused is how many refused items are kept in mind; beyond it they are sent again sooner.
	mostRefused = 10_000
	// hopeless is after how many refusals without a vector a batch is given up: the server refuses whatever it is sent.
	hopeless = 12
	// tellEvery is how often the log says how far a long backfill is.
	tellEvery = 30 * time.Second
)

// Layer is the semantic layer of a store: it makes vectors of questions for searches, and fills in those of items. It is safe for
// concurrent use.
type Layer struct {
	client     *index.Client
	embedder   Embedder
	model      string
	dimensions int
	log        *slog.Logger

	mu    sync.Mutex
	stats Stats

	refused map[string]time.Time // until when an item isn't sent, by id; of the one goroutine that fills in
}

// Stats says how the layer is.
type Stats struct {
	Fits     bool  // the indices can hold the model's vectors
	Covered  int64 // items that have a vector of the model, when it was last counted
	Items    int64 // items in all, then
	Written  int64 // vectors, by this process
	Failures int64 // batches of this process that failed, and texts that were refused; they are tried again
	// Asked and Late count the questions of this process for which a vector was wanted, and those that did without.
	Asked, Late int64
}

// New returns the layer for vectors of one model.
func New(client *index.Client, embedder Embedder, model string, dimensions int, log *slog.Logger) *Layer {
	return &Layer{client: client, embedder: embedder, model: model, dimensions: dimensions, log: log, refused: map[string]time.Time{}}
}

// Model returns the name of the model whose vectors count.
func (l *Layer) Model() string { return l.model }

// Stats returns how the layer is.
func (l *Layer) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

func (l *Layer) count(change func(*Stats)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.stats)
}

// Question returns the vector of a question, or an error where the search has to do without.
func (l *Layer) Question(ctx context.Context, text string) (vector embed.Vector, err error) {
	if !l.Stats().Fits {
		err = errOtherMapping
	} else {
		vector, err = l.embedder.Question(ctx, text)
	}
	l.count(func(s *Stats) {
		s.Asked++
		if err != nil {
			s.Late++
		}
	})
	return vector, err
}

// Run keeps the layer up to date until ctx ends. Of several processes one fills in vectors, by a lease.
func (l *Layer) Run(ctx context.Context) {
	told := l.checkFit(ctx, false)
	var filling sync.WaitGroup
	defer filling.Wait()
	filling.Go(func() {
		for ctx.Err() == nil {
			l.fill(ctx)
			wait(ctx, firstPause)
		}
	})
	for wait(ctx, lookEvery); ctx.Err() == nil; wait(ctx, lookEvery) {
		told = l.checkFit(ctx, told)
	}
}

// checkFit looks whether the indices can hold the model's vectors, and logs where they can't, unless it has been told.
func (l *Layer) checkFit(ctx context.Context, told bool) bool {
	err := l.fits(ctx)
	l.count(func(s *Stats) { s.Fits = err == nil || s.Fits && !errors.Is(err, errOtherMapping) })
	if err != nil && !told && ctx.Err() == nil {
		l.log.Error("no semantic search", "cause", err)
	}
	return err != nil
}

// fill holds the lease and fills in vectors until ctx ends or the lease is lost.
func (l *Layer) fill(ctx context.Context) {
	lease, err := l.client.AcquireLease(ctx, "vectors", nil)
	if err != nil {
		return // ctx has ended, or the store can't keep leases yet
	}
	defer func() { _ = lease.Release(ctx) }() // it lapses by itself
	for ctx.Err() == nil {
		if l.Stats().Fits {
			if err := l.round(ctx, lease.Sure); errors.Is(err, index.ErrLeaseLost) {
				return
			}
		}
		wait(ctx, lookEvery)
	}
}

// round goes once through all items without a vector. A batch that fails is passed over, after a pause: a server that is down is asked once
// a minute.
func (l *Layer) round(ctx context.Context, sure func(context.Context) error) error {
	covered, all, err := l.Coverage(ctx)
	if err != nil {
		return err
	}
	l.count(func(s *Stats) { s.Covered, s.Items = covered, all })
	began, written, failed := time.Now(), 0, 0
	told := began
	for items, err := range l.batches(ctx) {
		if err != nil {
			return err
		}
		done, err := l.batch(ctx, items, sure)
		written += done
		l.count(func(s *Stats) { s.Written, s.Covered = s.Written+int64(done), s.Covered+int64(done) })
		switch {
		case err == nil:
			failed = 0
		case errors.Is(err, index.ErrLeaseLost) || ctx.Err() != nil:
			return err
		default:
			l.count(func(s *Stats) { s.Failures++ })
			if failed == 0 {
				l.log.Warn("vectors could not be made; they are tried again", "cause", err)
			}
			wait(ctx, min(lastPause, firstPause<<min(failed, 6)))
			failed++
		}
		if now := time.Now(); now.Sub(told) >= tellEvery {
			told = now
			l.tell(written, began)
		}
	}
	if written > 0 {
		l.tell(written, began)
	}
	return nil
}

// batch makes and stores the vectors of some items. Where the server refuses a text it is found by halving: it costs no other its vector,
// and is left out for a while.
func (l *Layer) batch(ctx context.Context, items []item, sure func(context.Context) error) (written int, err error) {
	refusals := 0
	var try func([]item) error
	try = func(some []item) error {
		done, err := l.embedded(ctx, some, sure)
		if written += done; !errors.Is(err, embed.ErrRefused) {
			if done > 0 {
				refusals = 0
			}
			return err
		}
		if refusals++; refusals >= hopeless {
			return err
		}
		if len(some) == 1 {
			l.leaveOut(some[0].ID, err)
			return nil
		}
		half := len(some) / 2
		if err := try(some[:half]); err != nil {
			return err
		}
		return try(some[half:])
	}
	return written, try(items)
}

// leaveOut keeps an item from being sent for a while.
func (l *Layer) leaveOut(id string, why error) {
	if len(l.refused) >= mostRefused {
		clear(l.refused)
	}
	l.refused[id] = time.Now().Add(refusedFor)
	l.count(func(s *Stats) { s.Failures++ })
	l.log.Warn("an item has no vector: the embeddings server refuses its text; it is tried again in an hour", "id", id, "cause", why)
}

// embedded makes and stores the vectors of some items by one request.
func (l *Layer) embedded(ctx context.Context, items []item, sure func(context.Context) error) (written int, err error) {
	texts := make([]string, len(items))
	for i, one := range items {
		texts[i] = one.text()
	}
	vectors, err := l.embedder.Vectors(ctx, texts)
	if err != nil {
		return 0, err
	}
	if err := sure(ctx); err != nil {
		return 0, err
	}
	return l.write(ctx, items, vectors)
}

// tell logs how far the backfill is.
func (l *Layer) tell(written int, began time.Time) {
	stats := l.Stats()
	rate := math.Round(10*float64(written)/time.Since(began).Seconds()) / 10
	l.log.Info("vectors are filled in", "model", l.model, "written", written, "a_second", rate, "have_one", stats.Covered, "of", stats.Items)
}

// wait waits, but not beyond the end of ctx.
func wait(ctx context.Context, how time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(how):
	}
}
