// Package index is the only one that knows Elasticsearch. It keeps every collection there and nowhere else.
//
// Files: client and errors (one helper checks every answer, since esapi reports no error on 4xx and 5xx), migrate
// (indices and aliases), bulk (group-committed writes), one file a collection, query (pure functions that build query
// bodies). Package index/search searches, index/curation is what the curator and operators read and write.
//
// Every method returns a *lore.Problem for what a caller should be told (not_found, store_unavailable and so on) and any
// other error for what is our own fault. A store that can't answer is always store_unavailable, never an empty answer.
package index
