package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// searched is one set of questions put to one store.
type searched struct {
	set             string
	size            int
	service, direct *side
	passed          *side         // counted and passed on, by who does nothing else
	trips           float64       // requests to Elasticsearch a question
	work            time.Duration // processor time of the service a question
	met             disturbance
}

// storeUnderLoad is a store with its service.
type storeUnderLoad struct {
	asked   int // submissions that it was built for
	size    int // submissions in it
	service *service
	before  int64 // resident memory at rest, in bytes
	watch   func() int64
}

// measureSearch puts sets of questions to the service and to Elasticsearch, in every size.
func (b *bench) measureSearch(ctx context.Context) (string, error) {
	sets, err := b.querySets(questionsFor(b.Rate, b.Duration))
	if err != nil {
		return "", err
	}
	recordings := map[int][][][]recorded{}
	for _, size := range b.sizes() {
		if err := b.ensureStore(ctx, size); err != nil {
			return "", err
		}
		if recordings[size], err = b.recordSearches(ctx, size, sets); err != nil {
			return "", err
		}
	}
	var stores []*storeUnderLoad
	for _, size := range b.sizes() {
		serving, err := b.serve(ctx, fmt.Sprintf("serve-%d", size), b.prefixOf(size), b.ElasticsearchURL)
		if err != nil {
			return "", err
		}
		defer serving.stop()
		stores = append(stores, &storeUnderLoad{asked: size, size: b.held[size], service: serving, before: serving.resident(), watch: serving.watchMemory()})
	}
	if err := b.warmUp(ctx, stores, sets); err != nil {
		return "", err
	}
	var all []searched
	for number, set := range sets {
		say("   %s: %d questions a side at %d/s", set.name, len(set.queries), b.Rate)
		found, err := b.askAll(ctx, stores, set, number, recordings)
		if err != nil {
			return "", fmt.Errorf("%s: %w", set.name, err)
		}
		all = append(all, found...)
	}
	report := searchTables(all, stores)
	return fmt.Sprintf("%d searches a second in an open loop, read limiter on, curator off, %d different questions a set, after each of them once and %s at least, one after the other; times in ms. "+
		"Elasticsearch gets the very requests that the service sends for the same questions, in sequence where there are two; so it does from who only counts and passes on, "+
		"a proxy that counts the caller as the service does and answers with the first 8 KiB. "+
		"Taken by the host: of the processors' time, while the rounds ran that count; above %.1f %% a round is asked again on all sides, the worst first.\n\n%s",
		b.Rate, len(sets[0].queries), b.WarmUp, 100*calm, report), nil
}

// warmUp asks the questions one after the other, of all stores in turns: in its first minutes Elasticsearch's machine code is
// still in the making, by threads that take the processors from what is measured. Each is asked at least once, so that the service
// knows the words that it knew when its requests were recorded.
func (b *bench) warmUp(ctx context.Context, stores []*storeUnderLoad, sets []querySet) error {
	say("   warming up for %s", b.WarmUp)
	once := len(sets) * len(sets[0].queries)
	for number, end := 0, time.Now().Add(b.WarmUp); number < once || time.Now().Before(end); number++ {
		queries := sets[number%len(sets)].queries
		for _, store := range stores {
			if _, err := store.service.search(ctx, queries[number/len(sets)%len(queries)]); err != nil {
				return fmt.Errorf("warm up: %w", err)
			}
		}
	}
	return nil
}

// recordSearches asks every question through a recorder, and returns what the service sent for each of each set the second
// time, when it knew the words, as it does while it is measured. That also warms the store for both sides.
func (b *bench) recordSearches(ctx context.Context, size int, sets []querySet) (recordings [][][]recorded, err error) {
	say("   recording what the service asks of %s submissions", thousands(size))
	recorder, err := b.engine.record(b.prefixOf(size))
	if err != nil {
		return nil, err
	}
	defer recorder.close()
	serving, err := b.serve(ctx, "serve-recorded", b.prefixOf(size), recorder.url)
	if err != nil {
		return nil, err
	}
	defer serving.stop()
	if err := serving.checkMapping(); err != nil {
		return nil, err
	}
	for _, set := range sets {
		for _, query := range set.queries {
			if _, err := serving.search(ctx, query); err != nil {
				return nil, fmt.Errorf("%s: %w", set.name, err)
			}
		}
		var questions [][]recorded
		for _, query := range set.queries {
			recorder.take()
			if _, err := serving.search(ctx, query); err != nil {
				return nil, fmt.Errorf("%s: %w", set.name, err)
			}
			sent := recorder.take()
			if len(sent) == 0 {
				return nil, errors.New("the service answered a search without asking Elasticsearch: there is nothing to compare it with")
			}
			questions = append(questions, sent)
		}
		recordings = append(recordings, questions)
	}
	return recordings, nil
}

// askAll puts one set to all stores, by their services and directly, in turns.
func (b *bench) askAll(ctx context.Context, stores []*storeUnderLoad, set querySet, number int, recordings map[int][][][]recorded) ([]searched, error) {
	var sides [][]*side
	var all []searched
	for _, store := range stores {
		questions := recordings[store.asked][number]
		direct := newReplay(b.engine.url.Scheme+"://"+b.engine.url.Host, questions)
		passing, err := b.pass(newReplay(direct.base, questions))
		if err != nil {
			return nil, err
		}
		defer passing.close()
		one := searched{
			set: set.name, size: store.size,
			service: newSide("the service", newTransport(), func(question int) string { return store.service.searchURL(set.queries[question]) }),
			direct:  newSide("Elasticsearch directly", direct, func(int) string { return direct.base }),
			passed:  newSide("who only counts and passes on", newTransport(), func(int) string { return passing.url }),
		}
		for _, sent := range questions {
			one.trips += float64(len(sent)) / float64(len(questions))
		}
		all = append(all, one)
		sides = append(sides, []*side{one.service, one.direct, one.passed})
	}
	worked := make([]time.Duration, len(stores))
	for i, store := range stores {
		worked[i] = -store.service.processorTime()
	}
	met, err := alternate(ctx, b.Rate, b.Duration, sides, stolenTime)
	if err != nil {
		return nil, err
	}
	for i, store := range stores {
		all[i].met = met
		all[i].work = (worked[i] + store.service.processorTime()) / time.Duration(met.asked)
	}
	return all, nil
}

// goalSize is from how many submissions on the design's times are held against a search: it gives them for a million, of which
// a corpus has a few less, as two of its texts may be the same.
const goalSize = 990_000

// searchTables shows what was measured, and what of it reaches the goals.
func searchTables(all []searched, stores []*storeUnderLoad) string {
	report := newTable("questions", "submissions", "service p50 / p90 / p99 / max", "Elasticsearch directly", "p50", "p99", "who only counts and passes on, p50", "requests each", "service's CPU each", "taken by the host")
	verdicts := newTable("goal", "measured", "")
	for _, one := range all {
		half, most := one.service.took.quantile(0.5), one.service.took.quantile(0.99)
		halfDirect, mostDirect := one.direct.took.quantile(0.5), one.direct.took.quantile(0.99)
		report.row(one.set, thousands(one.size), one.service.took.String(), one.direct.took.String(), above(half, halfDirect),
			fmt.Sprintf("%.2f x", ratio(most, mostDirect)), above(one.passed.took.quantile(0.5), halfDirect),
			fmt.Sprintf("%.2f", one.trips), milliseconds(one.work), one.met.String())
		name := fmt.Sprintf("%s, %s: ", one.set, thousands(one.size))
		verdicts.goal(name+"p50 <= 1.10 x or + 400 us", above(half, halfDirect),
			ratio(half, halfDirect) <= 1.10 || half-halfDirect <= 400*time.Microsecond)
		verdicts.goal(name+"p99 <= 1.25 x", fmt.Sprintf("%.2f x", ratio(most, mostDirect)), ratio(most, mostDirect) <= 1.25)
		if one.set == setClean && one.size >= goalSize {
			verdicts.goal(name+"p50 <= 8 ms", milliseconds(half), half <= 8*time.Millisecond)
			verdicts.goal(name+"p99 <= 40 ms", milliseconds(most), most <= 40*time.Millisecond)
		}
		if one.set == setMistyped && one.size >= goalSize {
			verdicts.goal(name+"p50 <= 20 ms", milliseconds(half), half <= 20*time.Millisecond)
		}
		if base := slices.IndexFunc(all, func(other searched) bool { return other.set == one.set }); all[base].size < one.size {
			growth := ratio(half, all[base].service.took.quantile(0.5))
			verdicts.goal(fmt.Sprintf("%s: from %s to %s at most 3 x (p50)", one.set, thousands(all[base].size), thousands(one.size)),
				fmt.Sprintf("%.2f x", growth), growth <= 3)
		}
	}
	memory := newTable("service's resident memory", "at start", "largest under load", "after")
	for _, store := range stores {
		most := store.watch()
		memory.row(thousands(store.size)+" submissions", megabytes(store.before), megabytes(most), megabytes(store.service.resident()))
		verdicts.goal(fmt.Sprintf("memory, %s: <= 100 MiB resident under search load", thousands(store.size)), megabytes(most), most <= 100<<20)
	}
	return report.String() + "\n" + memory.String() + "\n" + verdicts.String()
}
