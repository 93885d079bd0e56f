package page

import (
	"agentlore/lore"
	"slices"
)

// bars is a chart of counts by name. Its labels and numbers are text, so it needs no other form.
type bars struct {
	Title, Note string
	Bars        []barRow
	More        []barRow // beyond the first few
}

type barRow struct {
	Label string
	Href  string
	Count int64
	Width string // in per cent of the longest
}

// barsShown is how many bars a chart shows at once.
const barsShown = 10

// newBars returns a chart. Link says where a value leads; nil: nowhere.
func newBars(title, note string, counts []lore.FacetCount, link func(string) string) bars {
	chart := bars{Title: title, Note: note}
	var top int64 = 1
	for _, counted := range counts {
		top = max(top, counted.Count)
	}
	for _, counted := range counts {
		bar := barRow{Label: counted.Value, Count: counted.Count, Width: percentOf(float64(counted.Count) / float64(top))}
		if link != nil {
			bar.Href = link(counted.Value)
		}
		if len(chart.Bars) < barsShown {
			chart.Bars = append(chart.Bars, bar)
		} else {
			chart.More = append(chart.More, bar)
		}
	}
	return chart
}

// byMonth returns counts by day as counts by month, the latest first.
func byMonth(days []lore.FacetCount) []lore.FacetCount {
	var months []lore.FacetCount
	for _, day := range slices.Backward(days) {
		month := day.Value[:min(len(day.Value), len("2006-01"))]
		if last := len(months) - 1; last >= 0 && months[last].Value == month {
			months[last].Count += day.Count
		} else {
			months = append(months, lore.FacetCount{Value: month, Count: day.Count})
		}
	}
	return months
}
