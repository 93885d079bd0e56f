package main

import (
	"time"

	"agentlore/lore"
)

// oneOfEach returns a whole item of every collection that agents don't write to themselves, with every field filled.
func oneOfEach() map[lore.Collection]any {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	outcomes := lore.Outcomes{Worked: 5, Failed: 1}
	return map[lore.Collection]any{
		lore.KnowledgeUnits: lore.KnowledgeUnit{
			ID: lore.NewID(), Summary: "USDT needs a zero allowance first", Content: "content", Resolution: "approve(0)", Category: lore.CategoryFailure,
			Ecosystem: []string{"ethereum"}, Tags: []string{"usdt"}, Entities: []string{"ERC-20"}, Tier: lore.TierCanonical, Confidence: 0.9,
			ScoreParts: map[string]float64{"specificity": 3.5}, Outcomes: outcomes, Status: lore.UnitActive, SupersededBy: lore.NewID(),
			Evidence:  lore.Evidence{SubmissionIDs: []string{lore.NewID()}, Submissions: 7, Sources: 6, Owners: 5},
			PatternID: lore.NewID(), FirstSeenAt: at, LastSeenAt: at, PromotedAt: at, CreatedAt: at, LastConfirmedAt: &at,
		},
		lore.Patterns: lore.Pattern{
			ID: lore.NewID(), Summary: "approvals revert", Category: lore.CategoryFailure, Ecosystem: []string{"ethereum"}, Tags: []string{"usdt"},
			Entities: []string{"ERC-20"}, Tier: lore.TierCorroborated, Reports: 5, Sources: 4, Owners: 3, ExampleIDs: []string{lore.NewID()},
			Resolution: "approve(0)", Status: lore.PatternEstablished, OverCorrelating: true, FirstSeenAt: at, LastSeenAt: at, CreatedAt: at,
		},
		lore.Families: lore.Family{
			ID: lore.NewID(), Summary: "approvals that revert", Content: "content", Resolution: "approve(0)", Category: lore.CategoryFailure,
			Ecosystem: []string{"ethereum"}, KnowledgeUnitID: lore.NewID(), Reports: 9, Sources: 8, Owners: 7, Patterns: 2, Projects: 3,
			Months: []lore.MonthReports{{Month: "2026-01", Reports: 9}}, FirstSeenAt: at, LastSeenAt: at, CreatedAt: at,
		},
		lore.Assets: lore.Asset{
			ID: lore.NewID(), Name: "Ethereum", Type: "chain", Ecosystem: []string{"ethereum"}, Description: "A chain", URL: "https://ethereum.org",
			Tags: []string{"eip155:1"}, Addresses: []string{}, Entities: []string{"eip155:1"}, Status: lore.AssetActive, Origin: "test",
			Summary: "Ethereum: A chain", CreatedAt: at,
		},
		lore.Suggestions: lore.Suggestion{
			ID: lore.NewID(), SourceID: lore.NewID(), Kind: lore.SuggestMerge, Target: &lore.Target{Collection: lore.Patterns, ID: lore.NewID()},
			Summary: "merge these", Content: "they are one", Status: lore.SuggestionOpen, CreatedAt: at,
		},
		lore.Questions: lore.OpenQuestion{
			ID: lore.NewID(), Text: "Why does approve revert", Ecosystem: "ethereum", Askers: 2, Status: lore.QuestionAnswered,
			AnsweredBy: &lore.Target{Collection: lore.KnowledgeUnits, ID: lore.NewID()}, CreatedAt: at, AskedAt: time.Now().UTC().Truncate(time.Millisecond), AnsweredAt: &at,
		},
		lore.SafetyFlags: lore.SafetyFlag{
			ID: lore.NewID(), Target: lore.Target{Collection: lore.Submissions, ID: lore.NewID()}, Reason: lore.FlagInjection, Severity: lore.SeverityHigh,
			RaisedBy: lore.RaisedByAgentlore, Note: "instructs its reader", Status: lore.FlagOpen, CreatedAt: at,
		},
	}
}
