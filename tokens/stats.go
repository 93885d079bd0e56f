package tokens

import "sync/atomic"

// Stats counts verifications since New.
type Stats struct {
	Malformed uint64     // refused by their form, without a look-up
	Process   LayerStats // a hit is also a token known to be unknown; this layer can't fail
	Redis     LayerStats // a hit is also a tombstone; failures include look-ups that an open breaker refused
	Accounts  LayerStats // a miss is an unknown or revoked token
	Shared    uint64     // verifications that waited for another's look-up
	Revoked   uint64     // revocations
	Unspread  uint64     // revocations that Redis could not be told of
}

// LayerStats counts look-ups in one layer.
type LayerStats struct{ Hits, Misses, Failures uint64 }

type counts struct {
	malformed, shared, revoked, unspread atomic.Uint64
	process, redis, accounts             layerCounts
}

type layerCounts struct{ hits, misses, failures atomic.Uint64 }

func (c *layerCounts) stats() LayerStats {
	return LayerStats{Hits: c.hits.Load(), Misses: c.misses.Load(), Failures: c.failures.Load()}
}

// Stats returns the counts, each exact, together only nearly of one moment.
func (v *Verifier) Stats() Stats {
	return Stats{
		Malformed: v.counts.malformed.Load(),
		Process:   v.counts.process.stats(),
		Redis:     v.counts.redis.stats(),
		Accounts:  v.counts.accounts.stats(),
		Shared:    v.counts.shared.Load(),
		Revoked:   v.counts.revoked.Load(),
		Unspread:  v.counts.unspread.Load(),
	}
}
