package cache

import "sync/atomic"

// Stats counts since Open.
type Stats struct {
	Served         uint64 // calls that Redis answered
	Failures       uint64 // calls that failed or took too long
	Refused        uint64 // calls that were not tried, since the breaker was open or there is no Redis
	Outages        uint64 // times that the breaker opened
	CountedLocally uint64 // rate limit decisions made in process
}

type counts struct {
	served, refused, outages, countedLocally atomic.Uint64
}

// Stats returns the counts, each exact, together only nearly of one moment.
func (r *Redis) Stats() Stats {
	return Stats{
		Served:         r.counts.served.Load(),
		Failures:       r.failures.Load(),
		Refused:        r.counts.refused.Load(),
		Outages:        r.counts.outages.Load(),
		CountedLocally: r.counts.countedLocally.Load(),
	}
}
