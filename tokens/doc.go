// Package tokens makes agents' tokens and says whose they are: minting, hashing, and verification through two caches in
// front of the accounts index.
//
// A token is looked up in this process (at most a second old), then in Redis (at most a minute old), then in the accounts
// index, which alone decides. What may be wrong, and for how long, when a token is revoked:
//
//   - The revoking process refuses the token at once, the others within a second, since Revoke leaves a tombstone in Redis
//     that they meet as soon as their own entry is too old.
//   - Without Redis the others read the accounts index, so it is a second as well.
//   - If the revoking process alone can't reach Redis, the others may go on for EntryTTL; Revoke says so by a
//     *RevocationError. What an outage of Redis does beyond that is in the comment of package cache.
//
// Ages are counted from the moment before a look-up began, so that a slow look-up can't stretch them.
//
// Redis is trusted: whoever can write to it can make tokens valid for a minute. It holds hashes of tokens, never tokens, and
// what the index says of their bearer. Neither is ever logged.
package tokens
