// Package cache is Redis as agentlore uses it: a place for what may vanish at any moment. Rate counters and copies of token
// look-ups live here, each with a time to live; every record is in Elasticsearch. So no failure of Redis fails a request: a
// call that can't be served returns ErrUnavailable, at once or after a short deadline, and the caller goes on without it.
//
// After a failed call the breaker is open: calls return ErrUnavailable without touching the network. A goroutine then
// tries Redis about once a second, one probe at a time, so that no request ever pays for finding out. While all is well it
// sends a PING at the same pace, so that a process without traffic notices an outage too and State is never older than that.
package cache
