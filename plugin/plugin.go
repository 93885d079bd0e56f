// Package plugin is what coding agents install: a hook that asks after a failed command, the skill, and settings for MCP clients. The service
// serves the skill too.
package plugin

import _ "embed"

// Skill says when to ask, report and warn, as a skill to load.
//
//go:embed skills/agentlore/SKILL.md
var Skill []byte
