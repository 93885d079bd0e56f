package main

// What analysts get. Field names are checked against the mappings by this package's tests, and every panel's query is run.

var views = []view{
	{"sources", "agentlore: sources", []string{"sources"}},
	{"submissions", "agentlore: submissions", []string{"submissions"}},
	{"knowledge-units", "agentlore: knowledge units", []string{"knowledge-units"}},
	{"patterns", "agentlore: patterns", []string{"patterns"}},
	{"assets", "agentlore: assets", []string{"assets"}},
	{"suggestions", "agentlore: suggestions", []string{"suggestions"}},
	{"safety-flags", "agentlore: safety flags", []string{"safety-flags"}},
	{"searchlog", "agentlore: searches", []string{"searchlog"}},
	{"everything", "agentlore: everything", []string{"sources", "submissions", "knowledge-units", "patterns", "assets", "suggestions", "safety-flags"}},
}

var searches = []search{
	{"observations", "Observations", "Raw observations, newest first", "submissions", "", []string{"summary", "category", "ecosystem", "tier", "tags"}},
	{"security", "Security observations", "What was reported as a risk or an attack", "submissions", "category: security", []string{"summary", "ecosystem", "entities", "tier"}},
	{"knowledge", "Knowledge in force", "Validated knowledge that is active", "knowledge-units", "status: active", []string{"summary", "category", "ecosystem", "tier", "confidence", "evidence.owners"}},
	{"established", "Established patterns", "What three or more owners reported", "patterns", "status: established", []string{"summary", "category", "ecosystem", "report_count", "owner_count", "last_seen_at"}},
	{"unsafe", "Reported to do harm", "Observations that somebody found unsafe", "submissions", "outcomes.unsafe > 0", []string{"summary", "category", "outcomes.unsafe", "outcomes.failed", "outcomes.worked", "source_id"}},
	{"flags", "Open safety flags", "Warnings that nobody has decided on", "safety-flags", "status: open", []string{"reason", "severity", "target.collection", "target.id", "raised_by", "note"}},
	{"unanswered", "Searches without an answer", "What was asked and not found", "searchlog", "found: false", []string{"q", "type", "category", "ecosystem", "corrected", "took_ms"}},
}

var (
	records     = value{operation: "count", label: "Reports"}
	overTime    = group{field: "created_at", label: "Time", time: true}
	byCategory  = group{field: "category", label: "Category", size: 10}
	byEcosystem = group{field: "ecosystem", label: "Ecosystem", size: 15}
)

var boards = []board{
	{"breaks", "What breaks where", "Failures and security observations by chain, over time, and what they name", "now-5y", []panel{
		{lens: &lens{"breaks-count", "Failures and security reports", "submissions", numeral, "(category: failure or category: security)", nil, []value{records}}, wide: 8, high: 8},
		{lens: &lens{"breaks-time", "Over time, by category", "submissions", bars, "(category: failure or category: security)", []group{overTime, byCategory}, []value{records}}, wide: 40, high: 8},
		{lens: &lens{"breaks-ecosystem", "By ecosystem", "submissions", across, "(category: failure or category: security)", []group{byEcosystem, byCategory}, []value{records}}, wide: 24, high: 14},
		{lens: &lens{"breaks-entities", "What they name most", "submissions", table, "(category: failure or category: security)", []group{{field: "entities", label: "Named", size: 20}}, []value{records, {"unique_count", "source_id", "Sources", ""}}}, wide: 24, high: 14},
		{lens: &lens{"breaks-tags", "Tags", "submissions", table, "(category: failure or category: security)", []group{{field: "tags", label: "Tag", size: 20}}, []value{records}}, wide: 16, high: 14},
		{search: "security", wide: 32, high: 14},
	}},
	{"new", "New this week", "What came in during the last seven days", "now-7d", []panel{
		{lens: &lens{"new-count", "Observations", "submissions", numeral, "", nil, []value{records}}, wide: 8, high: 8},
		{lens: &lens{"new-sources", "Sources that reported", "submissions", numeral, "", nil, []value{{"unique_count", "source_id", "Sources", ""}}}, wide: 8, high: 8},
		{lens: &lens{"new-time", "By day and category", "submissions", bars, "", []group{overTime, byCategory}, []value{records}}, wide: 32, high: 8},
		{lens: &lens{"new-ecosystem", "By ecosystem", "submissions", pie, "", []group{byEcosystem}, []value{records}}, wide: 16, high: 14},
		{search: "observations", wide: 48, high: 16},
	}},
	{"patterns", "Patterns and their spread", "What independent agents report again and again", "now-5y", []panel{
		{lens: &lens{"patterns-status", "By status", "patterns", pie, "", []group{{field: "status", label: "Status", size: 5}}, []value{{"count", "", "Patterns", ""}}}, wide: 12, high: 12},
		{lens: &lens{"patterns-category", "Patterns and reports by category", "patterns", table, "", []group{byCategory}, []value{{"count", "", "Patterns", ""}, {"sum", "report_count", "Reports", ""}, {"max", "owner_count", "Most owners", ""}}}, wide: 20, high: 12},
		{lens: &lens{"patterns-ecosystem", "Reports by ecosystem", "patterns", across, "", []group{byEcosystem}, []value{{"sum", "report_count", "Reports", ""}}}, wide: 16, high: 12},
		{lens: &lens{"patterns-time", "When they were detected", "patterns", bars, "", []group{overTime, {field: "status", label: "Status", size: 5}}, []value{{"count", "", "Patterns", ""}}}, wide: 24, high: 10},
		{lens: &lens{"patterns-broad", "Too broad to say much", "patterns", numeral, "over_correlating: true", nil, []value{{"count", "", "Patterns", ""}}}, wide: 8, high: 10},
		{lens: &lens{"patterns-knowledge", "Knowledge grown from patterns, by tier", "knowledge-units", table, "status: active and pattern_id: *", []group{{field: "tier", label: "Tier", size: 4}}, []value{{"count", "", "Units", ""}, {"average", "confidence", "Confidence", ""}}}, wide: 16, high: 10},
		{search: "established", wide: 48, high: 14},
	}},
	{"trust", "Trust", "Outcomes that others reported, tiers, and the reputation of sources", "now-5y", []panel{
		{lens: &lens{"trust-outcomes", "Outcomes by category", "submissions", table, "", []group{byCategory}, []value{{"sum", "outcomes.worked", "Worked", ""}, {"sum", "outcomes.failed", "Failed", ""}, {"sum", "outcomes.unsafe", "Unsafe", ""}}}, wide: 24, high: 12},
		{lens: &lens{"trust-tiers", "Observations by tier", "submissions", table, "", []group{{field: "tier", label: "Tier", size: 4}}, []value{records, {"count", "", "With a pattern", "pattern_id: *"}, {"average", "score", "Score", ""}}}, wide: 24, high: 12},
		{lens: &lens{"trust-reputation", "Sources by type", "sources", table, "", []group{{field: "type", label: "Type", size: 5}}, []value{{"count", "", "Sources", ""}, {"average", "reputation", "Reputation", ""}, {"count", "", "Revoked", "revoked_at: *"}}}, wide: 16, high: 12},
		{lens: &lens{"trust-confidence", "Confidence of knowledge in force, by category", "knowledge-units", across, "status: active", []group{byCategory}, []value{{"average", "confidence", "Confidence", ""}}}, wide: 16, high: 12},
		{lens: &lens{"trust-flags", "Safety flags by reason and status", "safety-flags", bars, "", []group{{field: "reason", label: "Reason", size: 10}, {field: "status", label: "Status", size: 3}}, []value{{"count", "", "Flags", ""}}}, wide: 16, high: 12},
		{search: "unsafe", wide: 24, high: 14},
		{search: "flags", wide: 24, high: 14},
	}},
	{"scrubbing", "What the scrubber removes", "Secrets and personal data that were removed before anything was stored", "now-5y", []panel{
		{lens: &lens{"scrubbing-items", "Observations with something removed", "submissions", numeral, "scrubbed_total > 0", nil, []value{records}}, wide: 12, high: 8},
		{lens: &lens{"scrubbing-total", "Removed in all", "submissions", numeral, "", nil, []value{{"sum", "scrubbed_total", "Removed", ""}}}, wide: 12, high: 8},
		{lens: &lens{"scrubbing-time", "Over time", "submissions", bars, "scrubbed_total > 0", []group{overTime, {field: "scrubbed_kinds", label: "Kind", size: 10}}, []value{records}}, wide: 24, high: 8},
		{lens: &lens{"scrubbing-kinds", "By kind", "submissions", across, "", []group{{field: "scrubbed_kinds", label: "Kind", size: 20}}, []value{records}}, wide: 24, high: 12},
		{lens: &lens{"scrubbing-sources", "Sources that leak most", "submissions", table, "scrubbed_total > 0", []group{{field: "source_id", label: "Source", size: 15}}, []value{{"sum", "scrubbed_total", "Removed", ""}, records}}, wide: 24, high: 12},
	}},
	{"assets", "Assets", "The catalog of chains, tokens, protocols and tools", "now-5y", []panel{
		{lens: &lens{"assets-type", "By type", "assets", across, "", []group{{field: "type", label: "Type", size: 20}}, []value{{"count", "", "Assets", ""}}}, wide: 24, high: 14},
		{lens: &lens{"assets-ecosystem", "By ecosystem", "assets", across, "", []group{byEcosystem}, []value{{"count", "", "Assets", ""}}}, wide: 24, high: 14},
		{lens: &lens{"assets-origin", "Where they come from", "assets", table, "", []group{{field: "origin", label: "Catalog", size: 20}}, []value{{"count", "", "Assets", ""}, {"count", "", "With an address", "addresses: *"}, {"count", "", "With a site", "url: *"}}}, wide: 24, high: 12},
		{lens: &lens{"assets-suggested", "Suggestions by kind and status", "suggestions", table, "", []group{{field: "kind", label: "Kind", size: 5}, {field: "status", label: "Status", size: 3}}, []value{{"count", "", "Suggestions", ""}}}, wide: 24, high: 12},
	}},
	{"search", "How search is used", "What is asked, what answers, and how fast", "now-30d", []panel{
		{lens: &lens{"search-count", "Searches", "searchlog", numeral, "", nil, []value{{"count", "", "Searches", ""}}}, wide: 8, high: 8},
		{lens: &lens{"search-unanswered", "Without an answer", "searchlog", numeral, "found: false", nil, []value{{"count", "", "Searches", ""}}}, wide: 8, high: 8},
		{lens: &lens{"search-time", "Over time", "searchlog", bars, "", []group{overTime}, []value{{"count", "", "Found", "found: true"}, {"count", "", "Nothing found", "found: false"}}}, wide: 32, high: 8},
		{lens: &lens{"search-layers", "What found the results", "searchlog", pie, "", []group{{field: "layers", label: "Layer", size: 5}}, []value{{"count", "", "Searches", ""}}}, wide: 16, high: 12},
		{lens: &lens{"search-speed", "Time a search takes, in ms", "searchlog", lines, "", []group{overTime}, []value{{"median", "took_ms", "Median", ""}, {"max", "took_ms", "Longest", ""}}}, wide: 32, high: 12},
		{lens: &lens{"search-words", "Asked most", "searchlog", table, "q: *", []group{{field: "q.whole", label: "Question", size: 20}}, []value{{"count", "", "Times", ""}, {"average", "total", "Results", ""}}}, wide: 24, high: 14},
		{search: "unanswered", wide: 24, high: 14},
	}},
}
