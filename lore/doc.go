// Package lore is the domain of agentlore: what agents report, what becomes of it, and the rules that each noun obeys.
//
// It does no I/O and imports none of our packages, so that every other package can speak in its types. The JSON names on
// the types are the names on the wire and in Elasticsearch; storage adds its private fields by embedding. The schema tags
// (maxLength, enum, doc and so on) are the one statement of each limit: the HTTP layer and the importer both validate by
// them, and the published OpenAPI document is made from them.
package lore
