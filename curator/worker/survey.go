package worker

import (
	"context"

	"agentlore/curator"
	"agentlore/lore"
)

// Survey says what the present rules make of the stored knowledge that agents earned.
type Survey struct {
	// Holding is how many active units hold.
	Holding int
	// Falling are the active units that don't, each with what it lacks.
	Falling []Falling
}

// Falling is a unit that the next pass withdraws.
type Falling struct {
	ID, Summary string
	Missing     []lore.Requirement
}

// surveyPage is how many units are judged at a time.
const surveyPage = 100

// Survey judges all active units that agents earned, as a pass would, and writes nothing. Errors: the store's.
func (w *Worker) Survey(ctx context.Context) (found Survey, err error) {
	p := &pass{Worker: w, ctx: ctx}
	if err := p.load(); err != nil {
		return found, err
	}
	if err := p.readLibrary(); err != nil {
		return found, err
	}
	if err := p.readStanding(true); err != nil {
		return found, err
	}
	for after := ""; ; {
		units, err := p.Store.EarnedUnits(ctx, after, surveyPage)
		if err != nil || len(units) == 0 {
			return found, err
		}
		after = units[len(units)-1].ID
		var patterns []string
		for _, unit := range units {
			patterns = append(patterns, unit.PatternID)
		}
		members, err := p.Store.MembersOf(ctx, some(patterns))
		if err != nil {
			return found, err
		}
		groups := make([][]string, len(units))
		for i, unit := range units {
			if groups[i] = members[unit.PatternID]; len(groups[i]) == 0 {
				groups[i] = unit.Evidence.SubmissionIDs
			}
		}
		c, err := p.readCases(groups, nil)
		if err != nil {
			return found, err
		}
		for i, unit := range units {
			reports := p.members(groups[i], c)
			if len(reports) == 0 {
				found.Falling = append(found.Falling, Falling{unit.ID, unit.Summary, []lore.Requirement{lore.RequireUnflagged}})
				continue
			}
			ruling := p.Rules.Promotion.Judge(p.caseOf(c, reports))
			if ruling.Unit != nil && ruling.Unit.Status == lore.UnitActive {
				found.Holding++
				continue
			}
			found.Falling = append(found.Falling, Falling{unit.ID, unit.Summary, ruling.Reports[curator.First(reports).ID].Missing})
		}
	}
}
