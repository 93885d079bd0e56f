package main

import (
	"context"
	"fmt"
	"time"
)

const (
	// importSlice is how many documents one side takes before it is the other's turn: some eight seconds' work, so that the moments at
	// its beginning and end, when there is less to do than could be done, count for little, and what else changes a machine's pace from
	// minute to minute changes both sides alike.
	importSlice = 20_000
	// importUnmeasured lines go first: the importer starts and finds its connections.
	importUnmeasured = 100
	// importWarmUpTimes is how many times as long as searches imports warm up: after a minute a tenth of Elasticsearch's work for an import
	// is still to compile itself, after three a twentieth.
	importWarmUpTimes = 3
	// warmUpSlice is how many documents are imported between two looks at the time while Elasticsearch warms up.
	warmUpSlice = 20_000
	// bulkLoadBytes and bulkLoadAtOnce are the shape of the bare _bulk that an import is compared with: the size that
	// Elasticsearch's guide calls reasonable, and as many requests at once as the importer sends.
	bulkLoadBytes  = 5 << 20
	bulkLoadAtOnce = 2
)

// importFigures is what an import gave.
type importFigures struct {
	docs     int           // measured
	took     time.Duration // by the importer
	bulkTook time.Duration // by bare _bulk; 0 where there was no comparison
	storeCPU time.Duration // processor time of Elasticsearch for the import, merges and all; 0 where there was no comparison
	bulkCPU  time.Duration // the same for bare _bulk
	perLine  time.Duration // processor time of the importer
	resident int64         // its largest, in bytes
	bytes    int64         // of the index
	segments int
}

// measureImport builds the stores that searches are measured in, and compares the base's import with bare _bulk.
func (b *bench) measureImport(ctx context.Context) (string, error) {
	report := newTable("import", "documents", "import, docs/s", "bare _bulk, docs/s", "ratio", "CPU a document: importer", "Elasticsearch, import", "Elasticsearch, _bulk", "resident", "index", "built in")
	verdicts := newTable("goal", "measured", "")
	if err := b.warmImports(ctx); err != nil {
		return "", err
	}
	for _, size := range b.sizes() {
		if b.Reuse && size != b.Base {
			continue // what it took to build was told by the run that built it
		}
		found, err := b.build(ctx, size, size == b.Base)
		if err != nil {
			return "", err
		}
		bare, ratio, storeCPU, bulkCPU := "-", "-", "-", "-"
		if found.bulkTook > 0 {
			share := found.bulkTook.Seconds() / found.took.Seconds()
			bare, ratio = thousands(rate(found.docs, found.bulkTook)), fmt.Sprintf("%.0f %%", 100*share)
			storeCPU, bulkCPU = milliseconds(found.storeCPU/time.Duration(found.docs)), milliseconds(found.bulkCPU/time.Duration(found.docs))
			verdicts.goal("import >= 70 % of the rate of bare _bulk", ratio, share >= 0.70)
		}
		report.row(thousands(size), thousands(found.docs), thousands(rate(found.docs, found.took)), bare, ratio,
			milliseconds(found.perLine), storeCPU, bulkCPU, megabytes(found.resident), fmt.Sprintf("%s in %d segments", megabytes(found.bytes), found.segments),
			found.took.Round(100*time.Millisecond).String())
	}
	note := "After " + b.importsWarmUp().String() + " of imports, slices of the import and of bare _bulk (bodies of 5 MB, two at once) alternate, with the documents that the import stored, into an index of the same settings and mapping. " +
		"A store that is not compared is built by the same import as a bulk load: no refresh before its end, translog written every 5 s, merges without a brake, and those that are due at the end waited for."
	return note + "\n\n" + report.String() + "\n" + verdicts.String(), nil
}

// warmImports imports into a store that nobody needs, again and again: in its first minutes Elasticsearch compiles what it runs all
// day, by threads that take the processors from what is measured.
func (b *bench) warmImports(ctx context.Context) error {
	say("   warming up for %s", b.importsWarmUp())
	prefix := b.Prefix + "_warm"
	defer b.engine.drop(context.WithoutCancel(ctx), prefix+"-*")
	for began := time.Now(); time.Since(began) < b.importsWarmUp(); {
		if _, err := b.importInto(ctx, prefix, min(b.Base, warmUpSlice), false); err != nil {
			return fmt.Errorf("warm up: %w", err)
		}
	}
	return nil
}

// build imports the corpus's first so many lines into a new store, and compares if asked to. It notes how many submissions the store
// holds: a few less, where texts are the same.
func (b *bench) build(ctx context.Context, size int, compare bool) (found importFigures, err error) {
	if found, err = b.importInto(ctx, b.prefixOf(size), size, compare); err != nil {
		return found, err
	}
	b.held[size], err = b.engine.count(ctx, b.prefixOf(size)+"-submissions")
	return found, err
}

// importInto imports the corpus's first so many lines into new indices of a prefix: as a bulk load, or, where it is compared, in turns
// with bare _bulk of the same documents into an index of its own.
func (b *bench) importInto(ctx context.Context, prefix string, size int, compare bool) (found importFigures, err error) {
	say("   importing %s submissions", thousands(size))
	path, err := b.corpus(ctx)
	if err != nil {
		return found, err
	}
	lines, err := openLines(path)
	if err != nil {
		return found, err
	}
	defer lines.Close()
	if err := b.engine.drop(ctx, prefix+"-*"); err != nil {
		return found, err
	}
	run, err := b.startImport(ctx, prefix)
	if err != nil {
		return found, err
	}
	defer run.stop()
	if _, err := run.feed(ctx, lines, importUnmeasured); err != nil {
		return found, err
	}
	copied := b.Prefix + "_bulk"
	if compare {
		if err := b.engine.copyIndex(ctx, run.index, copied); err != nil {
			return found, err
		}
		defer b.engine.drop(context.WithoutCancel(ctx), copied)
	}
	if !compare {
		found.docs = size - run.fed
		if found.took, err = b.load(ctx, run, lines, size-run.fed); err != nil {
			return found, err
		}
		return run.finish(ctx, found)
	}
	for run.fed < size {
		first, count := run.fed, min(importSlice, size-run.fed)
		storeCPU, err := b.engine.worked(ctx, run.index, copied, func() error {
			began := time.Now()
			ended, err := run.feed(ctx, lines, count)
			found.took += ended.Sub(began)
			return err
		})
		if err != nil {
			return found, err
		}
		found.docs, found.storeCPU = found.docs+count, found.storeCPU+storeCPU
		documents, err := b.engine.readBack(ctx, run.index, first, first+count, run.known)
		if err != nil {
			return found, err
		}
		bodies := bulkBodies(documents, len(documents), bulkLoadBytes)
		bulkCPU, err := b.engine.worked(ctx, run.index, copied, func() error {
			took, _, err := b.engine.bulk(ctx, copied, bodies, bulkLoadAtOnce)
			found.bulkTook += took
			return err
		})
		if err != nil {
			return found, err
		}
		found.bulkCPU += bulkCPU
		say("   %s: import %s/s, _bulk %s/s so far", thousands(run.fed), thousands(rate(found.docs, found.took)), thousands(rate(found.docs, found.bulkTook)))
	}
	return run.finish(ctx, found)
}

// loadSlice is how many lines of a bulk load are held at once.
const loadSlice = 10_000

// load imports lines as one loads a large store for the first time: nobody searches yet, so nothing is made searchable
// before the end, and what a crash would lose of the last seconds is imported again. Segments are what Elasticsearch's own
// merges make of them, without the brake that spares searches; those that are due at the end are waited for, as they would
// be done by the next day.
func (b *bench) load(ctx context.Context, run *runningImport, lines *lineReader, count int) (took time.Duration, err error) {
	if err := b.engine.settings(ctx, run.index, `{"index":{"refresh_interval":"-1","merge.scheduler.auto_throttle":false,"translog":{"durability":"async","flush_threshold_size":"2gb"}}}`); err != nil {
		return 0, err
	}
	began := time.Now()
	for told := began; count > 0; {
		slice := min(loadSlice, count)
		if err := run.write(ctx, lines, slice); err != nil {
			return 0, err
		}
		if count -= slice; time.Since(told) > time.Minute {
			told = time.Now()
			say("   %s lines, %s/s", thousands(run.fed), thousands(rate(run.fed, time.Since(began))))
		}
	}
	ended, err := run.stored(ctx)
	if err != nil {
		return 0, err
	}
	took = ended.Sub(began)
	if err := b.engine.mergeDue(ctx, run.index); err != nil {
		return 0, err
	}
	return took, b.engine.settings(ctx, run.index, `{"index":{"refresh_interval":"1s","merge.scheduler.auto_throttle":null,"translog":{"durability":"request","flush_threshold_size":null}}}`)
}

// ensureStore builds the store with so many submissions unless an earlier run has left it. With --reuse it takes what is
// there, however many that is, and the figures say how many.
func (b *bench) ensureStore(ctx context.Context, size int) error {
	if _, built := b.held[size]; built {
		return nil
	}
	count, err := b.engine.count(ctx, b.prefixOf(size)+"-submissions")
	if err != nil {
		return err
	}
	if count == size || b.Reuse && count > 0 {
		b.held[size] = count
		return nil
	}
	_, err = b.build(ctx, size, false)
	return err
}
