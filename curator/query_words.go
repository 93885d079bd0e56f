package curator

import (
	"cmp"
	"slices"
	"strings"

	"agentlore/lore"
)

// What a report is looked up by. Twenty-four words find what all of them find but for the last ranks, at a third of the
// store's time; a word that stands more often than three times says no more than at three.
const (
	queryWords      = 24
	queryWordRepeat = 3
	titleCounts     = 3 // a word of the title counts as often as three of the text, as in the store's merged field
)

// QueryWords returns the words by which a report's candidates are looked up in a keyword index, weightiest first: those
// that are rare among all reports and frequent in this one. A word stands there as often as it counts. Names in code
// are given whole and by their parts. The result is empty where the report has no words.
func QueryWords(o lore.Observation, f *Frequencies) string {
	type word struct {
		text   string
		kind   byte
		count  int
		weight float64
	}
	found := map[uint32]*word{}
	add := func(kind byte, spelling, text string, count int) {
		id := termID(kind, spelling)
		if found[id] == nil {
			found[id] = &word{text: text, kind: kind}
		}
		found[id].count += count
	}
	plain := func(text string, count int) {
		if len(text) > 1 && !fillers[text] && (text[0] < '0' || text[0] > '9') {
			add(kindWord, stem(text), text, count)
		}
	}
	for i, text := range []string{o.Summary, o.Content, o.Resolution} {
		count := 1
		if i == 0 {
			count = titleCounts
		}
		text = withoutLinks(withoutMachineValues(text))
		eachWord(text, func(spelt string, _ bool) {
			if !isName(spelt) {
				plain(strings.ToLower(spelt), count)
				return
			}
			name := strings.Trim(spelt, "_")
			add(kindName, strings.ToLower(name), name, count)
			eachNamePart(spelt, func(part string) { plain(part, count) })
		})
	}
	words := make([]*word, 0, len(found))
	for id, w := range found {
		w.count = min(w.count, queryWordRepeat)
		w.weight = float64(w.count) * f.rarity(id)
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b *word) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.text, b.text), cmp.Compare(a.kind, b.kind))
	})
	var query strings.Builder
	for _, w := range words[:min(queryWords, len(words))] {
		for range w.count {
			query.WriteString(w.text)
			query.WriteByte(' ')
		}
	}
	return strings.TrimSpace(query.String())
}
