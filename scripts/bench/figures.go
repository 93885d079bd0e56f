package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// table is a Markdown table.
type table struct {
	text strings.Builder
}

func newTable(heads ...string) *table {
	t := &table{}
	t.row(heads...)
	t.text.WriteString("|" + strings.Repeat("---|", len(heads)) + "\n")
	return t
}

func (t *table) row(cells ...string) {
	t.text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// goal adds a row of a goal, what was measured, and whether it was reached.
func (t *table) goal(goal, measured string, met bool) {
	word := "missed"
	if met {
		word = "met"
	}
	t.row(goal, measured, word)
}

func (t *table) String() string { return t.text.String() }

// figuresTitle begins a new file of figures.
const figuresTitle = `# Figures

Speed of agentlore on one machine, measured by ` + "`make bench`" + ` (scripts/bench), which writes what stands between
the markers. Each ratio comes from one run, in which short slices of both sides alternate.
`

// keepFigures puts a section's text between its markers in the file, at the end where there are none yet.
func keepFigures(path, section, text string) error {
	if path == "-" || path == "" {
		return nil
	}
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte(figuresTitle), nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(placeFigures(string(old), section, text)), 0o644)
}

// placeFigures returns the page with the section's text in its place.
func placeFigures(page, section, text string) string {
	open, end := "<!-- bench "+section+" -->", "<!-- /bench "+section+" -->"
	block := open + "\n" + strings.TrimSpace(text) + "\n" + end
	start := strings.Index(page, open)
	if stop := strings.Index(page, end); start >= 0 && stop > start {
		return page[:start] + block + page[stop+len(end):]
	}
	return strings.TrimRight(page, "\n") + "\n\n## " + sectionTitles[section] + "\n\n" + block + "\n"
}

// sectionTitles head the sections in the file of figures.
var sectionTitles = map[string]string{
	"import": "Import and size", "search": "Search", "submit": "Submits", "start": "Start of the service", "run": "make run from nothing",
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// rate returns documents a second.
func rate(docs int, took time.Duration) int {
	return int(float64(docs)/max(took.Seconds(), 1e-6) + 0.5)
}

// milliseconds writes a duration with a sensible number of digits, as milliseconds.
func milliseconds(d time.Duration) string {
	value := float64(d) / float64(time.Millisecond)
	if value < 100 {
		return fmt.Sprintf("%.2f ms", value)
	}
	return fmt.Sprintf("%.0f ms", value)
}

// megabytes writes a size in MiB; unknown where it is 0.
func megabytes(bytes int64) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
