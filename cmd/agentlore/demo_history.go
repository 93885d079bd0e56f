package main

import (
	"context"
	"fmt"
	"time"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// demoEvent is a line of the demo's history: what an agent or the operator did after the reports were there. It names an agent's
// outcome, a suggestion and what the operator decided of it, or a decision on what agentlore itself flagged.
type demoEvent struct {
	At      *time.Time          `json:"at"` // absent: now
	Source  string              `json:"source"`
	On      string              `json:"on"` // ref of the report that it is about
	Outcome lore.Result         `json:"outcome"`
	Suggest lore.SuggestionKind `json:"suggest"`
	Summary string              `json:"summary"`
	Text    string              `json:"text"`
	Verdict lore.Verdict        `json:"verdict"`
	Why     string              `json:"why"`
}

// happen does what a line of the history says.
func (d *demoLoader) happen(ctx context.Context, event demoEvent) error {
	at, identity := time.Now(), d.sources[event.Source]
	if event.At != nil {
		at = *event.At
	}
	item := lore.Target{Collection: lore.Submissions, ID: d.reports[event.On]}
	if event.On != "" && item.ID == "" {
		return fmt.Errorf("no report has the ref %q", event.On)
	}
	switch {
	case event.Outcome != "":
		return d.use(ctx, event, item, identity, at)
	case event.Suggest != "":
		proposal := lore.Proposal{Kind: event.Suggest, Summary: event.Summary, Content: event.Text}
		if event.On != "" {
			proposal.Target = &item
		}
		return d.suggest(ctx, event, proposal, identity, at)
	default:
		return d.judgeFlag(ctx, event, item)
	}
}

// use reports how it went when an agent used the knowledge that was made of a report, or the report.
func (d *demoLoader) use(ctx context.Context, event demoEvent, item lore.Target, identity lore.Identity, at time.Time) error {
	report, err := d.store.submissions.Get(ctx, item.ID)
	if err != nil {
		return err
	}
	if report.KnowledgeUnitID != "" {
		item = lore.Target{Collection: lore.KnowledgeUnits, ID: report.KnowledgeUnitID}
	}
	clean, err := scrubber.Scrub(ctx, d.clean, lore.Trial{Item: lore.Item{Target: &item}, Result: event.Outcome, Note: event.Text})
	if err != nil {
		return err
	}
	_, _, _, err = index.NewOutcomes(d.store.client, d.store.accounts).Report(ctx, clean, identity, at)
	return err
}

// suggest stores an agent's suggestion, and what the operator decided of it.
func (d *demoLoader) suggest(ctx context.Context, event demoEvent, proposal lore.Proposal, identity lore.Identity, at time.Time) error {
	clean, err := scrubber.Scrub(ctx, d.clean, proposal)
	if err != nil {
		return err
	}
	suggestion, _, err := d.store.client.Suggest(ctx, clean, identity.SourceID, at)
	if err != nil || event.Verdict == "" {
		return err
	}
	object := suggestion.Target
	if event.Verdict == lore.VerdictAccept && event.Suggest == lore.SuggestAsset {
		if object, _, err = new(reviewAccept).addAsset(ctx, d.desk, suggestion); err != nil {
			return err
		}
	}
	subject := lore.Target{Collection: lore.Suggestions, ID: suggestion.ID}
	return d.record(ctx, lore.Decision{Subject: subject, Verdict: event.Verdict, Object: object, Why: event.Why})
}

// judgeFlag records what the operator decided of the flag that agentlore itself raised on an item for an injection.
func (d *demoLoader) judgeFlag(ctx context.Context, event demoEvent, item lore.Target) error {
	words, err := d.store.client.WordsOf(ctx, item)
	if err != nil {
		return err
	}
	flag := lore.Warning{Item: lore.Item{Target: &item}, Reason: lore.FlagInjection, Revision: words.Revision}.SafetyFlag(lore.RaisedByAgentlore, time.Time{})
	subject := lore.Target{Collection: lore.SafetyFlags, ID: flag.ID}
	return d.record(ctx, lore.Decision{Subject: subject, Verdict: event.Verdict, Object: &item, Why: event.Why})
}
