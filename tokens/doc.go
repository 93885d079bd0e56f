// Package tokens makes agents' tokens and says whose they are: minting, hashing, and verification through two short caches in
// front of the accounts index, which alone decides.
//
// What is known of a token is believed for half a second in Redis and for another half in a process. So a token that is revoked,
// replaced or banned is refused everywhere within a second, whoever changed the account and whatever state Redis is in: nobody has
// to be told. A token in use costs the store one read by id a second at most, over all replicas.
//
// Ages are counted from the moment before a look-up began, so that a slow look-up can't stretch them. What Redis holds says when it
// was read: a Redis that was halted may carry out a write late. Clocks of replicas that differ add their difference, then only.
//
// Redis is trusted: whoever can write to it can make tokens valid for as long as it is. It holds hashes of tokens, never tokens, and
// what the index says of their bearer. Neither is ever logged.
package tokens
