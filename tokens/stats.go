package tokens

import "sync/atomic"

// Stats counts verifications since New.
type Stats struct {
	Malformed uint64     // refused by their form, without a look-up
	Process   LayerStats // a hit is also a token known to be refused; this layer can't fail
	Redis     LayerStats // failures include look-ups that an open breaker refused
	Accounts  LayerStats // a miss is an unknown, revoked or banned token
}

// LayerStats counts look-ups in one layer.
type LayerStats struct{ Hits, Misses, Failures uint64 }

type counts struct {
	malformed                atomic.Uint64
	process, redis, accounts layerCounts
}

type layerCounts struct{ hits, misses, failures atomic.Uint64 }

// count counts a look-up that found nothing.
func (c *layerCounts) count(err error) {
	if err != nil {
		c.failures.Add(1)
	} else {
		c.misses.Add(1)
	}
}

func (c *layerCounts) stats() LayerStats {
	return LayerStats{Hits: c.hits.Load(), Misses: c.misses.Load(), Failures: c.failures.Load()}
}

// Stats returns the counts, each exact, together only nearly of one moment.
func (v *Verifier) Stats() Stats {
	return Stats{
		Malformed: v.counts.malformed.Load(), Process: v.counts.process.stats(), Redis: v.counts.redis.stats(), Accounts: v.counts.accounts.stats(),
	}
}
