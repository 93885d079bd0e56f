package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"
)

const (
	// importStall is how long an import may store nothing before it is given up.
	importStall = time.Minute
	// importDone is how long an import that is through with all its lines may store nothing before no more is expected.
	importDone = time.Second
)

// runningImport is an `agentlore import` that reads what it is fed.
type runningImport struct {
	*process
	engine *engine
	index  string // alias of the submissions
	input  io.WriteCloser
	output *bytes.Buffer
	fed    int
	known  int // lines of what is fed that aren't stored: a recombined text may be one that is there already
	watch  func() int64
}

// startImport creates the prefix's indices and starts an import into them.
func (b *bench) startImport(ctx context.Context, prefix string) (*runningImport, error) {
	environment := []string{"AGENTLORE_INDEX_PREFIX=" + prefix}
	migrate, err := b.start("migrate", nil, nil, environment, b.Binary, "migrate")
	if err != nil {
		return nil, err
	}
	defer migrate.stop()
	if err := migrate.wait(ctx); err != nil {
		return nil, err
	}
	input, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	run := &runningImport{engine: b.engine, index: prefix + "-submissions", input: feed, output: &bytes.Buffer{}}
	run.process, err = b.start("import", input, run.output, environment, b.Binary, "import", "--collection", "submissions", "-")
	if err != nil {
		feed.Close()
		return nil, err
	}
	run.watch = run.watchMemory()
	return run, nil
}

// feed gives the import so many lines, waits until they are stored, and returns when they were.
func (r *runningImport) feed(ctx context.Context, from *lineReader, count int) (stored time.Time, err error) {
	if err := r.write(ctx, from, count); err != nil {
		return stored, err
	}
	return r.stored(ctx)
}

// write gives the import so many lines and returns when it has read them.
func (r *runningImport) write(ctx context.Context, from *lineReader, count int) error {
	lines, err := from.next(count)
	if err != nil {
		return err
	}
	if len(lines) < count {
		return errors.New("the corpus has too few lines: remove it with scripts/bench/run clean")
	}
	written := make(chan error, 1)
	go func() {
		_, err := r.input.Write(bytes.Join(lines, nil))
		written <- err
	}()
	select {
	case err = <-written:
	case <-r.ended:
		return r.failure("the import ended too early")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err != nil {
		return r.failure(err.Error())
	}
	r.fed += count
	return nil
}

// stored waits until everything that was fed is stored, and returns when it was. Where a text was there already, which is never
// stored, that shows by nothing more coming: the wait for that is no part of the import's time.
func (r *runningImport) stored(ctx context.Context) (at time.Time, err error) {
	last, moved := -1, time.Now()
	for {
		stats, err := r.engine.stats(ctx, r.index, "indexing")
		if err != nil {
			return at, err
		}
		if stats.Indexing.Total+r.known >= r.fed {
			return time.Now(), nil
		}
		if stats.Indexing.Total > last {
			last, moved = stats.Indexing.Total, time.Now()
		}
		if time.Since(moved) > importDone && r.handled() == r.fed {
			r.known = r.fed - stats.Indexing.Total
			return moved, nil
		}
		if time.Since(moved) > importStall {
			return at, r.failure(fmt.Sprintf("of %d lines %d are stored, and for %s none more", r.fed, last, importStall))
		}
		select {
		case <-r.ended:
			return at, r.failure("the import ended too early")
		case <-ctx.Done():
			return at, context.Cause(ctx)
		case <-time.After(lookAgainAfter(r.fed - r.known - stats.Indexing.Total)):
		}
	}
}

// lookAgainAfter returns when to look again for how many lines are stored while so many aren't. Each look costs the store, and bare
// _bulk isn't looked at: no import stores 5,000 a second, so its end is seen in time.
func lookAgainAfter(left int) time.Duration {
	return min(max(time.Duration(left)*time.Second/5000, 20*time.Millisecond), 500*time.Millisecond)
}

// handled returns how many lines the import says it is through with.
func (r *runningImport) handled() int {
	lines := progressPattern.FindAllStringSubmatch(r.logged(), -1)
	if len(lines) == 0 {
		return 0
	}
	count, _ := strconv.Atoi(lines[len(lines)-1][1])
	return count
}

var progressPattern = regexp.MustCompile(`(?m)^(\d+) lines, `)

var summaryPattern = regexp.MustCompile(`(\d+) stored, (\d+) known already, (\d+) refused`)

// finish ends the import's input and adds what is known then.
func (r *runningImport) finish(ctx context.Context, found importFigures) (importFigures, error) {
	found.resident = r.watch()
	r.input.Close()
	if err := r.wait(ctx); err != nil {
		return found, err
	}
	if parts := summaryPattern.FindStringSubmatch(r.output.String()); parts == nil || parts[1] != strconv.Itoa(r.fed-r.known) {
		return found, fmt.Errorf("not every line was stored: %.500s", r.output)
	}
	state := r.cmd.ProcessState
	found.perLine = (state.UserTime() + state.SystemTime()) / time.Duration(r.fed)
	if err := r.engine.call(ctx, http.MethodPost, "/"+r.index+"/_flush", nil, nil); err != nil {
		return found, err
	}
	if err := r.engine.settle(ctx, r.index); err != nil {
		return found, err
	}
	stats, err := r.engine.stats(ctx, r.index, "store,segments")
	found.bytes, found.segments = stats.Store.Bytes, stats.Segments.Count
	return found, err
}

// stop ends the import, whatever state it is in.
func (r *runningImport) stop() {
	r.watch()
	r.input.Close()
	r.process.stop()
}
