package worker

import "agentlore/lore"

// rememberedGroups bounds of how many reports it is remembered, about 10 MB; a forgotten group is judged again.
const rememberedGroups = 250_000

// groupMemory remembers of which group each report was when it was judged last, by this worker and under its lease. A group that is
// what it was needs no judging, since what others say of it and how owners count is settled for itself; whoever doesn't remember
// judges it and comes to the same. The zero value is ready to use.
type groupMemory struct {
	of    map[[16]byte]judgedGroup
	count uint32
}

// judgedGroup stands for a group: no two that were judged have the same number.
type judgedGroup struct{ number, size uint32 }

// remember notes that a group is judged.
func (m *groupMemory) remember(group []string) {
	if m.of == nil || len(m.of)+len(group) > rememberedGroups {
		m.of = map[[16]byte]judgedGroup{}
	}
	m.count++
	for _, id := range group {
		if key, err := lore.IDBytes(id); err == nil {
			m.of[key] = judgedGroup{m.count, uint32(len(group))}
		}
	}
}

// has reports whether each of a group's reports was judged last in just this group.
func (m *groupMemory) has(group []string) bool {
	var first judgedGroup
	for i, id := range group {
		key, err := lore.IDBytes(id)
		judged, there := m.of[key]
		if i == 0 {
			first = judged
		}
		if err != nil || !there || judged != first || int(judged.size) != len(group) {
			return false
		}
	}
	return true
}

// forget makes the groups of reports be judged when they are met next.
func (m *groupMemory) forget(ids []string) {
	for _, id := range ids {
		if key, err := lore.IDBytes(id); err == nil {
			delete(m.of, key)
		}
	}
}
