package main

import (
	"fmt"
	"slices"
	"time"
)

// latencies are the times of requests of one side.
type latencies struct {
	all      []time.Duration
	failures int
	first    string // the first failure, in words
}

func (l *latencies) add(more latencies) {
	l.all = append(l.all, more.all...)
	if l.failures == 0 {
		l.first = more.first
	}
	l.failures += more.failures
}

// fail counts a request that got no good answer.
func (l *latencies) fail(why string) {
	if l.failures++; l.failures == 1 {
		l.first = why
	}
}

// err says that requests failed, if any did: times of half the requests are no figure.
func (l *latencies) err(side string) error {
	if l.failures > 0 {
		return fmt.Errorf("%s: %d of %d requests failed; the first: %s", side, l.failures, l.failures+len(l.all), l.first)
	}
	if len(l.all) == 0 {
		return fmt.Errorf("%s: no requests were sent", side)
	}
	return nil
}

// quantile returns the smallest time that at least this share of the requests stays within.
func (l *latencies) quantile(share float64) time.Duration {
	if len(l.all) == 0 {
		return 0
	}
	slices.Sort(l.all)
	at := int(share*float64(len(l.all))+0.999999) - 1
	return l.all[min(max(at, 0), len(l.all)-1)]
}

// String lists p50, p90, p99 and the longest, in milliseconds.
func (l *latencies) String() string {
	text := ""
	for i, share := range []float64{0.50, 0.90, 0.99, 1} {
		if i > 0 {
			text += " / "
		}
		text += fmt.Sprintf("%.1f", float64(l.quantile(share))/float64(time.Millisecond))
	}
	return text
}

// ratio returns how much longer a takes than b.
func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, time.Microsecond)) }

// above says by which factor, and by how much, a is longer than b.
func above(a, b time.Duration) string {
	return fmt.Sprintf("%.2f x, %+.2f ms", ratio(a, b), float64(a-b)/float64(time.Millisecond))
}
