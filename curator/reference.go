package curator

import (
	"slices"
	"time"

	"agentlore/lore"
)

// For how many owners with standing the library itself counts: its facts were looked up once, or by a second reader
// too.
const (
	readOnce  = 1
	readTwice = 3
)

// ReferenceConfidence returns the confidence of a unit of the reference library of which agents said so: 0.8 where
// two readers looked its facts up and nobody said anything, 0.67 where one did.
func ReferenceConfidence(entry lore.Reference, o lore.Outcomes) float64 {
	readers := readOnce
	if entry.CheckedAgain != "" {
		readers = readTwice
	}
	return hundredths(Confidence(o.Worked, readers, o.Failed, o.Unsafe))
}

// JudgeReference returns a case's unit, one of the reference library, as outcomes, flags and operators' decisions
// make it. Its words are the library's, and no reports belong to it. What was said of its fix holds while the fix is
// equal. Votes never withdraw it: they dispute it, and an operator decides. What an operator withdrew lacks an
// approval.
func (r PromotionRules) JudgeReference(c Case) lore.KnowledgeUnit {
	u := *c.Unit
	words := lore.WordsOf(u.Summary, u.Content, u.Resolution)
	j := &judgement{Case: c, rules: r, unitID: u.ID}
	decision := c.decided()[u.ID]
	j.latest = j.latestOutcomes(slices.DeleteFunc(slices.Clone(c.Outcomes), func(o lore.Outcome) bool {
		return o.Unbound || o.Target.ID != u.ID || o.FixKey != "" && o.FixKey != words.FixKey
	}))
	j.flags = c.flagsNow(map[string]wording{u.ID: {words: words, revisedAt: u.RevisedAt}})
	confirmed, blocked := c.warnings(r, j.flags)
	u.Revision, u.Outcomes, u.Warnings, u.Missing = words.Revision, j.count(j.latest), j.warningsOn(true, u.ID), nil
	u.Confidence = ReferenceConfidence(*u.Reference, u.Outcomes)
	u.FixEvidence = nil
	if u.Outcomes != (lore.Outcomes{}) {
		u.FixEvidence = &lore.FixEvidence{ConfirmedBy: u.Outcomes.Worked, Worked: u.Outcomes.Worked, Failed: u.Outcomes.Failed, Unsafe: u.Outcomes.Unsafe}
	}
	u.Rank = j.rank(j.countVotes().trusted(), u.Confidence)
	u.LastConfirmedAt = j.lastConfirmed(Principal{}, u.CreatedAt)
	u.AsksFor = AsksFor(u.Resolution)
	approvedAt := time.Time{}
	if decision.Verdict == lore.VerdictApprove && (decision.FixKey == "" || decision.FixKey == words.FixKey) {
		approvedAt = decision.At
	}
	u.Disputed = j.disputes(approvedAt) || blocked[u.ID] && !confirmed[u.ID]
	if decision.Verdict == lore.VerdictWithdraw {
		u.Missing = append(u.Missing, lore.RequireApproval)
	}
	if confirmed[u.ID] {
		u.Missing = append(u.Missing, lore.RequireUnflagged)
	}
	u.Tier = lore.TierValidated
	if u.Outcomes.Worked >= r.CanonicalOwners {
		u.Tier = lore.TierCanonical
	}
	switch {
	case decision.Verdict == lore.VerdictWithdraw && u.SupersededBy != "" && u.Reference.RemovedAt == nil: // by the unit that the operator named
		u.Status, u.Missing = lore.UnitSuperseded, nil
	case len(u.Missing) > 0 || u.Reference.RemovedAt != nil:
		u.Status = lore.UnitWithdrawn
	default:
		u.Status, u.SupersededBy = lore.UnitActive, ""
	}
	return u
}

// disputes reports whether enough owners with standing say that a library entry does harm or fails. An operator's
// approval ends what was said before it, and as many confirmations newer than the last finding of harm outweigh that.
func (j *judgement) disputes(approvedAt time.Time) bool {
	var unsafe, failed, worked, newer int
	var lastUnsafe time.Time
	for _, o := range j.latest {
		if o.Result == lore.ResultUnsafe && o.At.After(lastUnsafe) {
			lastUnsafe = o.At
		}
	}
	for _, o := range j.latest {
		if !j.Principal(o.SourceID).Standing() || !o.At.After(approvedAt) {
			continue
		}
		switch o.Result {
		case lore.ResultUnsafe:
			unsafe++
		case lore.ResultFailed:
			failed++
		case lore.ResultWorked:
			worked++
			if o.At.After(lastUnsafe) {
				newer++
			}
		}
	}
	return unsafe >= j.rules.DisputingUnsafe && newer < 2*unsafe || failed-worked >= j.rules.DisputingFailed
}
