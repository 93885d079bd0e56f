// Package cache is Redis as agentlore uses it: a place for what may vanish at any moment. Rate counters and copies of token
// look-ups live here, each with a time to live; every record is in Elasticsearch. So no failure of Redis fails a request: a
// call that can't be served returns ErrUnavailable, at once or after a short deadline, and the caller goes on without it.
//
// # Outages
//
// After a failed call the breaker is open: calls return ErrUnavailable without touching the network. A goroutine then
// tries Redis about once a second, one probe at a time, so that no request ever pays for finding out. While all is well it
// sends a PING at the same pace, so that a process without traffic notices an outage too and State is never older than that.
//
// # Epochs
//
// An entry is a copy of something that may be revoked, and Bury (a tombstone) is how its revocation reaches the other
// processes. A revocation that could not be written must not be undone by an entry that outlived the outage. So one key holds
// the epoch, a random value. An entry carries the epoch that its writer read before it read the original, and a
// reader trusts it only while that is the current one. Lookup reads epoch, tombstone and entry in one MGET.
//
// A process replaces the epoch, and trusts nothing before that has succeeded,
//   - when Redis answers again after any call of its own failed. Any call, not only a revocation: the process that could
//     not write its tombstone may have ended since (the token command does), while the others saw the same outage;
//   - on its first connection: it doesn't know what went before, and may be the successor of a process that failed to revoke;
//   - on the first connection to another Redis process (told by run_id), since a restart from an old snapshot or a
//     fail-over may have lost tombstones and kept entries, and the driver may reconnect without any call failing. Where INFO
//     isn't permitted, every new connection counts as one to another process.
//
// What follows:
//   - Revoker and others lose Redis, it returns with its data: the first of them to reach it replaces the epoch; no
//     surviving entry is trusted by anybody after that.
//   - Redis is flushed, or restarts empty: epoch, entries and tombstones are gone. The first reader sets a new epoch. It is
//     random, not a counter, so that it can't come back to an old value: a fill that was under way when Redis was flushed
//     carries an epoch that will never be current again.
//   - A write that timed out stays in the buffers of a stopped Redis and is carried out when it goes on. Its writer saw a
//     failure and replaces the epoch after that. A late new epoch or tombstone does no harm.
//   - A slow fill, begun before a revocation and written after it, meets the tombstone: tombstone and entry are two keys, so
//     no fill can overwrite a tombstone, and the tombstone outlives every entry that was begun before it. A fill with SET NX on
//     one shared key would do that too, but it would also leave an entry of an old epoch in the way until it expires.
//
// What remains: if the revoker alone loses Redis, the others go on trusting the entry until the revoker reaches Redis
// again (it tries every second and then replaces the epoch) or the entry expires. Reading doesn't prolong an
// entry, and a refill comes from the original, which says revoked. So the bound is the entry's time to live, counted from the
// revocation. The same bound holds for an outage that only a revoker saw which then ended, and was not started again. When
// Redis returns to all, an old entry can be trusted between that moment and the first new epoch: about a second.
//
// A new epoch costs one read of the original for each entry in use. A process causes at most one about every second.
package cache
