package page

import (
	"fmt"
	"time"

	"agentlore/lore"
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

// newBars returns a chart. Link says where a value leads; nil: nowhere, as for kinds of
// secrets.
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
		} else {
			bar.Label = secretName(bar.Label)
		}
		if len(chart.Bars) < barsShown {
			chart.Bars = append(chart.Bars, bar)
		} else {
			chart.More = append(chart.More, bar)
		}
	}
	return chart
}

// columns is a chart of counts over time.
type columns struct {
	Title   string
	Text    string // what a reader who doesn't see it is told
	Columns []column
	First   string
	Middle  string
	Last    string
	Top     int64
	Half    string // half of Top
	Step    float64
}

// column is the count of one or several days. Lengths are in the drawing's own units.
type column struct {
	From, To string
	Count    int64
	X, Y     string
	Width    string
	Height   string
}

// The drawing of columns: its size in its own units, and how many columns it has at most.
const (
	drawingWidth  = 960
	drawingHeight = 200
	maxColumns    = 120
)

// byDay draws submissions by day; of long times several days are one column. It returns nil where there are none.
func byDay(counts []lore.FacetCount) *columns {
	counted := map[string]int64{}
	var first, last time.Time
	for _, day := range counts {
		at, err := time.Parse(time.DateOnly, day.Value)
		if err != nil {
			continue
		}
		counted[day.Value] = day.Count
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	if first.IsZero() {
		return nil
	}
	days := int(last.Sub(first).Hours()/24) + 1
	perColumn := (days + maxColumns - 1) / maxColumns
	chart := &columns{First: date(first), Last: date(last), Middle: date(first.AddDate(0, 0, days/2))}
	var total, best int64
	var bestColumn column
	for from := first; !from.After(last); from = from.AddDate(0, 0, perColumn) {
		c := column{From: date(from), To: date(from.AddDate(0, 0, perColumn-1))}
		for i := range perColumn {
			c.Count += counted[from.AddDate(0, 0, i).Format(time.DateOnly)]
		}
		if total += c.Count; c.Count > best {
			best, bestColumn = c.Count, c
		}
		chart.Columns = append(chart.Columns, c)
	}
	chart.Title = "Submissions a day"
	if perColumn > 1 {
		chart.Title = fmt.Sprintf("Submissions, %d days a column", perColumn)
	}
	chart.Text = fmt.Sprintf("%s from %s to %s: %s in all, most (%s) from %s.", chart.Title, chart.First, chart.Last, number(total), number(best), bestColumn.From)
	chart.scale(best)
	return chart
}

// roundUp returns the next number that is easily read on a scale, and easily halved.
func roundUp(n int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, step := range []int64{2, 4, 6, 8, 10} {
			if step*unit >= n {
				return step * unit
			}
		}
	}
}

// scale lays the columns out.
func (c *columns) scale(top int64) {
	top = roundUp(top)
	c.Top, c.Half = top, number(top/2)
	c.Step = float64(drawingWidth) / float64(len(c.Columns))
	gap := min(2, c.Step/4)
	for i := range c.Columns {
		height := float64(c.Columns[i].Count) / float64(max(top, 1)) * drawingHeight
		c.Columns[i].X, c.Columns[i].Width = decimal(float64(i)*c.Step), decimal(c.Step-gap)
		c.Columns[i].Y, c.Columns[i].Height = decimal(drawingHeight-height), decimal(height)
	}
}
