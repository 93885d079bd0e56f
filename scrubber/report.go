package scrubber

import (
	"cmp"
	"slices"
)

// Marker replaces each removed span. It is never matched by a rule.
const Marker = "[SCRUBBED]"

// Hit says how many spans of one kind were removed from a text. Count is at least 1.
type Hit struct {
	Kind  Kind
	Count int
}

// Item is one line of a report: how many secrets of one type were removed from one field.
// Field is a fixed name given by the Document ("summary", "tags[2]"), never text of the submitter.
type Item struct {
	Field string `json:"field"`
	Type  Kind   `json:"type"`
	Count int    `json:"count"`
	Note  string `json:"note,omitempty"`
}

// Report tells a submitter what was removed. It holds no value, prefix, length, offset or hash.
// Removed is never nil and is sorted by field and type, so equal input gives an equal report.
type Report struct {
	Changed bool   `json:"changed"`
	Removed []Item `json:"removed"`
	Message string `json:"message,omitempty"`
}

const removedMessage = "Secrets or personal data were replaced by " + Marker + " before storage. The originals were not kept. Rotate any real key."

// Counts sums the report by kind, for the statistics that are stored. It is empty, not nil, when nothing was removed.
func (r Report) Counts() map[string]int {
	counts := make(map[string]int, len(r.Removed))
	for _, item := range r.Removed {
		counts[string(item.Type)] += item.Count
	}
	return counts
}

func newReport(items []Item) Report {
	if items == nil {
		items = []Item{}
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(compareField(a.Field, b.Field), cmp.Compare(a.Type, b.Type))
	})
	report := Report{Changed: len(items) > 0, Removed: items}
	if report.Changed {
		report.Message = removedMessage
	}
	return report
}

// compareField orders tags[2] before tags[10].
func compareField(a, b string) int {
	return cmp.Or(cmp.Compare(listName(a), listName(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func listName(field string) string {
	for i := range len(field) {
		if field[i] == '[' {
			return field[:i]
		}
	}
	return field
}
