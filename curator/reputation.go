package curator

import "agentlore/lore"

// ReputationOf returns the reputation of a source, 0..1, from what owners with standing other than its own said last of all of its
// submissions together, and from the safety flags on them that an operator confirmed.
func ReputationOf(source string, said Case, principal func(sourceID string) Principal) float64 {
	said.Principal = principal
	items := map[string]string{}
	for _, outcome := range said.Outcomes {
		items[outcome.Target.ID] = source
	}
	counts := said.count(said.latestOutcomes(items))
	confirmed := 0
	for _, flag := range said.Flags {
		if flag.Status == lore.FlagConfirmed {
			confirmed++
		}
	}
	return Reputation(counts.Worked, counts.Failed, counts.Unsafe, confirmed)
}
