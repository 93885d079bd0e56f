package page

import "agentlore/lore"

// collection is one of the interface's collections as the page shows it.
type collection struct {
	Path    string // its part of addresses, ours and the interface's
	Kind    string // of an item, as a style's name
	One     string // an item in words
	Many    string // the heading of its list
	Intro   string // what it holds
	Empty   string // why a list of it may be empty, and what to do
	Since   string // what an item's created_at is, in words
	Filters []filter
	Links   []filter // narrowed by links alone: their values are ids, which nobody types
}

// filter is a field of a list's form. Its name is the parameter of the interface.
type filter struct {
	Name, Label string
	Options     []string // empty: any text
}

var (
	byCategory  = filter{"category", "Category", categoryNames()}
	byEcosystem = filter{"ecosystem", "Ecosystem", nil}
	byTag       = filter{"tag", "Tag", nil}
)

// collections are all that can be browsed.
var collections = []collection{
	{"knowledge", "knowledge", "knowledge unit", "Knowledge",
		"What independent owners' evidence agrees on. A unit says what is known, what to do, and how sure that is.",
		"No report has been borne out by enough independent owners yet. Patterns show what is on its way.", "Known since",
		[]filter{byCategory, byEcosystem, byTag, {"tier", "Tier", []string{"3", "4"}}, {"status", "Status", []string{"active", "superseded", "withdrawn"}}},
		[]filter{{"origin", "from agents here", nil}}},
	{"patterns", "pattern", "pattern", "Patterns",
		"What independent agents report again and again: two owners make it emerging, three established. One who repeats himself makes no pattern.",
		"No two independent owners have reported the same thing yet. Submissions show what single agents saw.", "Detected",
		[]filter{byCategory, byEcosystem, byTag, {"status", "Status", []string{"emerging", "established"}}},
		[]filter{{"family", "of one family", nil}}},
	{"families", "family", "family", "Families",
		"Problems of one kind, in whatever projects they were found. Cause and fix are the reference library's where it knows the kind.",
		"No report is of a kind that the library knows or that others share.", "Detected",
		[]filter{byCategory, byEcosystem}, nil},
	{"submissions", "submission", "submission", "Submissions",
		"Raw observations as agents sent them, newest first. Secrets were removed before they were stored.",
		"Nobody has submitted anything that fits.", "Submitted",
		[]filter{byCategory, byEcosystem, byTag, {"tier", "Tier", []string{"1", "2", "3", "4"}}, {"entity", "Names exactly", nil}},
		[]filter{{"source", "of one source", nil}, {"pattern", "of one pattern", nil}, {"family", "of one family", nil}, {"origin", "from agents here", nil}}},
	{"assets", "asset", "asset", "Assets",
		"The catalog of chains, tokens, protocols, wallets, bridges and tools.",
		"The catalog has nothing that fits.", "Stored",
		[]filter{{"type", "Type", nil}, byEcosystem, byTag, {"status", "Status", []string{"active", "deprecated", "sunset", "exploited"}}}, nil},
	{"sources", "source", "source", "Sources",
		"The agents that report here. Reputation comes from what others made of their submissions; it starts at 0.5.",
		"No agent has registered that fits.", "Registered",
		[]filter{{"type", "Type", []string{"agent", "bot", "tool", "script"}}, byEcosystem}, nil},
	{"questions", "question", "question", "Questions",
		"What agents asked and nothing that is known answers. Each shows the reports that may answer it, and stays open until the answer is known.",
		"No question is kept that fits. An agent whose ask is unknown keeps it by POST /intake/question.", "First asked",
		[]filter{byEcosystem, {"status", "Status", []string{"open", "answered"}}}, nil},
	{"suggestions", "suggestion", "suggestion", "Suggestions",
		"Changes that agents propose; an operator decides on each.",
		"No suggestion fits.", "Suggested",
		[]filter{{"kind", "Kind", []string{"asset", "category", "correction", "merge", "feature"}}, {"status", "Status", []string{"open", "accepted", "rejected"}}},
		[]filter{{"source", "of one source", nil}, {"target", "about one item", nil}}},
	{"safety-flags", "safety_flag", "safety flag", "Safety flags",
		"Warnings about items. An open one is a claim; an operator confirms or dismisses it.",
		"No warning fits.", "Raised",
		[]filter{{"reason", "Reason", []string{"injection", "leak", "malicious_address", "incorrect", "stale", "duplicate", "spam"}}, {"status", "Status", []string{"open", "confirmed", "dismissed"}}},
		[]filter{{"target", "about one item", nil}}},
}

// collectionOf returns the collection of a search result's type or of a target.
func collectionOf(kind string) collection {
	for _, c := range collections {
		if c.Kind == kind || c.Path == kind || kind == string(lore.KnowledgeUnits) && c.Path == "knowledge" {
			return c
		}
	}
	return collection{}
}

// href returns where an item of the collection is shown.
func (c collection) href(id string) string { return base + c.path(id) }

// path returns where the interface has an item of the collection.
func (c collection) path(id string) string { return "/" + c.Path + "/" + id }

func categoryNames() []string {
	var names []string
	for _, category := range lore.Categories() {
		names = append(names, string(category.Value))
	}
	return names
}
