package curator

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"agentlore/lore"
)

// Kind is what a title says of the kind of its problem.
type Kind struct {
	// Entry is the id of the library's entry that it is a case of; empty: of none.
	Entry string
	// Why is what of the library's words the title says.
	Why string
	// Words are the title's words, in any order the same; they are its kind where it has no entry. Fewer than three tell no kind.
	Words []string
}

// FamilyCore is what a family has its words from.
type FamilyCore struct {
	Title, Cause, Fix string
	Category          lore.Category
	Ecosystem         []string
	UnitID            string // the library's unit; empty: its members' own title
}

// FamilyID returns the id of the family of an entry of the library.
func FamilyID(entry string) string { return lore.DerivedID("family", entry) }

// leastKindWords is how many different words a title needs to be a kind by itself: "missing check" is none.
const leastKindWords = 3

// Key returns the id of the family that a report of the kind belongs to, if there is one; empty: to none.
func (k Kind) Key() string {
	if k.Entry != "" {
		return FamilyID(k.Entry)
	}
	words := slices.Clone(k.Words)
	slices.Sort(words)
	if words = slices.Compact(words); len(words) < leastKindWords {
		return ""
	}
	return lore.DerivedID("family of words", strings.Join(words, " "))
}

// Membership is to which family a report belongs, and why.
type Membership struct {
	Key string
	Why string
	// sure: the family is one of the library's, or an operator's word.
	sure bool
}

// Why a report belongs to a family, where its own title doesn't say so.
const (
	whyPattern  = "its pattern belongs to the family"
	whyOperator = "an operator put it there"
	// WhyWords is for a kind that the library doesn't have.
	WhyWords = "others of its title say the same"
)

// Memberships returns to which family each report of a group belongs, and the group's own family, empty where no more than half of them
// agree on one. A report of no kind of the library belongs where its group does. An operator's latest word on a report and a family wins.
func Memberships(
	group []lore.Report, kind func(title string) Kind, decisions map[string][]lore.Decision,
) (of map[string]Membership, family string) {
	of = map[string]Membership{}
	apart := map[string]map[string]bool{}
	for _, report := range group {
		k := kind(report.Summary)
		m := Membership{k.Key(), k.Why, k.Entry != ""}
		if !m.sure {
			m.Why = WhyWords
		}
		joined, split := decidedFamilies(decisions[report.ID])
		apart[report.ID] = split
		if split[m.Key] {
			m = Membership{}
		}
		if joined != "" {
			m = Membership{joined, whyOperator, true}
		}
		of[report.ID] = m
	}
	family = majority(of, func(m Membership) bool { return m.sure })
	for id, m := range of {
		if family != "" && !m.sure && !apart[id][family] {
			of[id] = Membership{family, whyPattern, true}
		}
	}
	if family == "" {
		family = majority(of, func(m Membership) bool { return m.Key != "" })
	}
	return of, family
}

// majority returns the family that more than half of a group's reports have memberships of that count; empty: none.
func majority(of map[string]Membership, counts func(Membership) bool) (family string) {
	votes := map[string]int{}
	for _, m := range of {
		if counts(m) {
			votes[m.Key]++
		}
		if 2*votes[m.Key] > len(of) {
			family = m.Key
		}
	}
	return family
}

// decidedFamilies returns the family that an operator put a report into, and those that it was taken out of; the latest decision on each counts.
func decidedFamilies(decisions []lore.Decision) (joined string, apart map[string]bool) {
	decisions = slices.SortedFunc(slices.Values(decisions), func(a, b lore.Decision) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	apart = map[string]bool{}
	for _, decision := range decisions {
		if decision.Object == nil || decision.Object.Collection != lore.Families {
			continue
		}
		switch id := decision.Object.ID; decision.Verdict {
		case lore.VerdictMerge:
			joined = id
			delete(apart, id)
		case lore.VerdictSplit:
			if apart[id] = true; joined == id {
				joined = ""
			}
		}
	}
	return joined, apart
}

// Family returns the family that reports make, or nil. A family of the library needs one report that counts. Any other needs as many
// independent owners as an established pattern, among them one with standing, and two projects where the reports name any. So newcomers
// alone put no word into a family. core is nil where the family isn't the library's; then titled returns the words of a member with
// standing. stored is what the family was before, or nil.
func (r PromotionRules) Family(
	id string, core *FamilyCore, members []lore.FamilyMember, principal func(string) Principal,
	titled func(lore.FamilyMember) (FamilyCore, error), stored *lore.Family, now time.Time,
) (*lore.Family, error) {
	members = slices.DeleteFunc(slices.Clone(members), func(m lore.FamilyMember) bool { return m.Void || !principal(m.SourceID).counts() })
	if len(members) == 0 {
		return nil, nil
	}
	slices.SortFunc(members, func(a, b lore.FamilyMember) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	principals, sources, patterns, projects := map[string]Principal{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, m := range members {
		by := principal(m.SourceID)
		principals[by.ID], sources[m.SourceID] = by, true
		if m.PatternID != "" {
			patterns[m.PatternID] = true
		}
		if m.Project != "" {
			projects[m.Project] = true
		}
	}
	standing, newcomers := independent(principals)
	if core == nil {
		if standing == 0 || standing+newcomers < r.EstablishedOwners || len(projects) == 1 {
			return nil, nil
		}
		speaker := members[slices.IndexFunc(members, func(m lore.FamilyMember) bool { return principal(m.SourceID).Standing() })]
		own, err := titled(speaker)
		if err != nil {
			return nil, err
		}
		core = &own
	}
	f := &lore.Family{
		ID: id, Summary: core.Title, Content: core.Cause, Resolution: core.Fix, Category: core.Category, Ecosystem: core.Ecosystem,
		KnowledgeUnitID: core.UnitID, Reports: len(members), Sources: len(sources), Owners: standing + newcomers, Patterns: len(patterns),
		Projects: len(projects), Months: byMonth(members), FirstSeenAt: members[0].CreatedAt, LastSeenAt: members[len(members)-1].CreatedAt, CreatedAt: now,
	}
	if f.Ecosystem == nil {
		f.Ecosystem = []string{}
	}
	if stored != nil {
		f.CreatedAt = stored.CreatedAt
	}
	return f, nil
}

// byMonth counts reports, which are in order of time, by month.
func byMonth(members []lore.FamilyMember) (months []lore.MonthReports) {
	for _, m := range members {
		month := m.CreatedAt.UTC().Format("2006-01")
		if last := len(months) - 1; last < 0 || months[last].Month != month {
			months = append(months, lore.MonthReports{Month: month})
		}
		months[len(months)-1].Reports++
	}
	return months[max(0, len(months)-lore.MaxFamilyMonths):]
}
