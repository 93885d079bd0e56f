// Package docs holds the documents for authors of agents, which the service serves with what it says of itself.
package docs

import "embed"

// Agents are the documents that an author of agents needs.
//
//go:embed agents.md api.md
var Agents embed.FS
