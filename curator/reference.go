package curator

import "agentlore/lore"

const (
	// referencePrior is for how many owners with standing the library itself counts: its facts were looked up, and an operator
	// imported them. Four failures, or two findings of harm, without a success bring a unit below referenceFloor.
	referencePrior = 3
	// referenceFloor is the confidence below which a unit of the library is withdrawn: more speaks against it than for it.
	referenceFloor = 0.5
)

// ReferenceConfidence is the confidence of a unit of the reference library that agents have said nothing of.
var ReferenceConfidence = referenceConfidence(lore.Outcomes{})

func referenceConfidence(o lore.Outcomes) float64 {
	return hundredths(Confidence(o.Worked, referencePrior, o.Failed, o.Unsafe))
}

// JudgeReference returns a case's unit, one of the reference library, as outcomes, flags and operators' decisions make it. Its words are
// the library's, and no reports belong to it. What an operator withdrew lacks an approval.
func (r PromotionRules) JudgeReference(c Case) lore.KnowledgeUnit {
	u := *c.Unit
	j := judgement{Case: c, rules: r, latest: c.latestOutcomes(map[string]string{u.ID: ""})}
	_, blocked := c.warnings(r)
	verdict := c.standing()[u.ID]
	u.Outcomes, u.Warnings, u.Missing = j.count(j.latest), j.warningsOn(u.ID), nil
	u.Confidence = referenceConfidence(u.Outcomes)
	u.Rank = j.rank(j.countVotes().trusted(), u.Confidence)
	u.LastConfirmedAt = j.lastConfirmed(Principal{}, u.CreatedAt)
	if verdict == lore.VerdictWithdraw {
		u.Missing = append(u.Missing, lore.RequireApproval)
	}
	if blocked[u.ID] {
		u.Missing = append(u.Missing, lore.RequireUnflagged)
	}
	if u.Confidence < referenceFloor && (verdict != lore.VerdictApprove || u.Outcomes.Unsafe > 0) {
		u.Missing = append(u.Missing, lore.RequireConfidence)
	}
	u.Tier = lore.TierValidated
	if u.Outcomes.Worked >= r.CanonicalOwners {
		u.Tier = lore.TierCanonical
	}
	switch {
	case verdict == lore.VerdictWithdraw && u.SupersededBy != "" && u.Reference.RemovedAt == nil: // by the unit that the operator named
		u.Status, u.Missing = lore.UnitSuperseded, nil
	case len(u.Missing) > 0 || u.Reference.RemovedAt != nil:
		u.Status = lore.UnitWithdrawn
	default:
		u.Status, u.SupersededBy = lore.UnitActive, ""
	}
	return u
}
