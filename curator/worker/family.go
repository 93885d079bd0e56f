package worker

import (
	"cmp"
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// familyPage is how many families' reports are read at a time.
const familyPage = 100

// manyFamilies is how many touched families are counted one by one; where there are more, nearly all are titles of single reports, and
// Elasticsearch tells which aren't.
const manyFamilies = 1000

// assign says to which family each report of a group belongs, and returns that of its pattern. A family that isn't the library's must be
// there first: until then a report only has its key.
func (p *pass) assign(reports []lore.Report, c *cases) (ofPattern string) {
	if p.library == nil {
		return ""
	}
	of, family := curator.Memberships(reports, p.library.Kind, c.decisions)
	for i := range reports {
		r, m := &reports[i], of[reports[i].ID]
		_, library := p.library.Core(m.Key)
		stored := m.Key != "" && r.FamilyID == m.Key
		r.FamilyKey, r.FamilyID, r.FamilyWhy = m.Key, "", ""
		if library || stored {
			r.FamilyID, r.FamilyWhy = m.Key, m.Why
			if m.Key == family {
				ofPattern = family
			}
		}
	}
	return ofPattern
}

// families counts the families anew whose reports were judged. Those of words that came to be or ended are written into their reports,
// and the patterns of these judged anew.
func (p *pass) families() error {
	if p.library == nil {
		return nil
	}
	if err := p.readStanding(false); err != nil {
		return err
	}
	ids, err := p.familiesToCount()
	if err != nil {
		return err
	}
	p.tell(phaseFamily, 0, len(ids))
	var turned []string // patterns whose reports got another family
	var ended []lore.Change
	for done := 0; done < len(ids); done += familyPage {
		made, patterns, err := p.countFamilies(ids[done:min(len(ids), done+familyPage)])
		if err != nil {
			return err
		}
		ended, made.last = append(ended, made.last...), nil
		if err := p.write(made); err != nil {
			return err
		}
		turned = append(turned, patterns...)
		p.tell(phaseFamily, done, len(ids))
	}
	if len(turned)+len(ended) == 0 {
		return nil
	}
	if err := p.Store.Refresh(p.ctx); err != nil {
		return err
	}
	turned = distinct(turned)
	for done := 0; done < len(turned); done += settlePage {
		if err := p.settleItems(turned[done:min(len(turned), done+settlePage)]); err != nil {
			return err
		}
	}
	return p.write(changes{last: ended}) // last: a worker that goes on after a kill finds by them which patterns are to be judged
}

// familiesToCount returns the ids of the families that may have changed, in order.
func (p *pass) familiesToCount() ([]string, error) {
	var ids []string
	if !p.allFamilies && len(p.touched) <= manyFamilies {
		return some(slices.Collect(maps.Keys(p.touched))), nil
	}
	err := p.Store.EachFamilyKey(p.ctx, func(id string, reports int) {
		if _, library := p.library.Core(id); library || reports >= p.Rules.Promotion.EstablishedOwners {
			ids = append(ids, id)
		}
	})
	if err != nil {
		return nil, err
	}
	err = p.Store.EachFamily(p.ctx, func(id string) { ids = append(ids, id) })
	return some(ids), err
}

// countFamilies returns what changes of families and of the reports of those that came to be or ended, and the patterns of these.
func (p *pass) countFamilies(ids []string) (made changes, turned []string, err error) {
	members, err := p.Store.FamilyMembers(p.ctx, ids)
	if err != nil {
		return made, nil, err
	}
	stored, err := p.Store.Families(p.ctx, ids)
	if err != nil {
		return made, nil, err
	}
	var sources []string
	for _, of := range members {
		for _, m := range of {
			sources = append(sources, m.SourceID)
		}
	}
	if err := p.readAccounts(distinct(sources)); err != nil {
		return made, nil, err
	}
	units, err := p.coreUnits(ids)
	if err != nil {
		return made, nil, err
	}
	for _, id := range ids {
		var before *lore.Family
		old, there := stored[id]
		if there {
			before = &old
		}
		core := p.core(id, units)
		var family *lore.Family
		if !p.guard(func() {
			family, err = p.Rules.Promotion.Family(id, core, members[id], p.principal, p.titled, before, p.now)
		}, lore.Target{Collection: lore.Families, ID: id}) {
			continue
		}
		switch {
		case err != nil:
			return made, nil, err
		case family != nil:
			made.first = append(made.first, making(lore.Families, id, old, there, family)...)
		case there:
			made.last = append(made.last, lore.Change{Target: lore.Target{Collection: lore.Families, ID: id}, Delete: true})
		}
		if core != nil {
			made.first = append(made.first, evidenceOf(family, core, units)...)
			continue
		}
		for _, m := range members[id] {
			change := lore.Change{Target: lore.Target{Collection: lore.Submissions, ID: m.ID}}
			switch {
			case family != nil && m.FamilyID != id:
				change.Set = map[string]any{"family_id": id, "family_why": curator.WhyWords}
			case family == nil && m.FamilyID == id:
				change.Drop = []string{"family_id", "family_why"}
			case p.resumed: // it may have been killed before the pattern was judged
				turned = append(turned, m.PatternID)
				continue
			default:
				continue
			}
			made.others, turned = append(made.others, change), append(turned, m.PatternID)
		}
	}
	return made, some(turned), nil
}

// coreUnits returns the stored units that are cores of families.
func (p *pass) coreUnits(ids []string) (map[string]lore.KnowledgeUnit, error) {
	var units []string
	for _, id := range ids {
		if core, found := p.library.Core(id); found {
			units = append(units, core.UnitID)
		}
	}
	return p.Store.Units(p.ctx, some(units))
}

// core returns what a family of the library has its words from; nil for any other. Where agents or an operator brought the unit down,
// its title is all that is left of it. A library that isn't imported has no unit to lead to.
func (p *pass) core(id string, units map[string]lore.KnowledgeUnit) *curator.FamilyCore {
	core, found := p.library.Core(id)
	if !found {
		return nil
	}
	unit, stored := units[core.UnitID]
	if stored && unit.Status != lore.UnitActive {
		core.Cause, core.Fix = "", ""
	}
	if !stored {
		core.UnitID = ""
	}
	return &core
}

// titled returns what a family of words says, by the title of one of its reports.
func (p *pass) titled(member lore.FamilyMember) (curator.FamilyCore, error) {
	reports, err := p.Store.Reports(p.ctx, []string{member.ID})
	report := reports[member.ID]
	return curator.FamilyCore{Title: p.library.Title(report.Summary), Category: cmp.Or(report.Category, lore.CategoryGeneral)}, err
}

// evidenceOf returns the change of a core's unit that makes a family's reports its evidence.
func evidenceOf(family *lore.Family, core *curator.FamilyCore, units map[string]lore.KnowledgeUnit) []lore.Change {
	unit, there := units[core.UnitID]
	if !there {
		return nil
	}
	evidence := lore.Evidence{SubmissionIDs: []string{}}
	if family != nil {
		evidence.Submissions, evidence.Sources, evidence.Owners = family.Reports, family.Sources, family.Owners
	}
	before := unit.Evidence
	if before.Submissions == evidence.Submissions && before.Sources == evidence.Sources && before.Owners == evidence.Owners {
		return nil
	}
	return []lore.Change{{Target: lore.Target{Collection: lore.KnowledgeUnits, ID: unit.ID}, Set: map[string]any{"evidence": fields(evidence)}}}
}
