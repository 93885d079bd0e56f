package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// table is the table of docs/search.md, with what it was measured on.
type table struct {
	o     options
	about string
	rows  []string
	folds []string
}

func newTable(o options) *table {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	commit := "unknown"
	if out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	queries, holds := "all queries", "submissions only"
	if o.queries > 0 {
		queries = fmt.Sprintf("at most %d queries each", o.queries)
	}
	if o.mixed {
		holds = fmt.Sprintf("beside 19,540 assets, %d patterns and %d knowledge units", others, others)
	}
	return &table{o: o, about: fmt.Sprintf("%s, commit %s, %s, %d shard(s), %s.", time.Now().Format(time.DateOnly), commit, queries, o.shards, holds)}
}

// add adds a collection and returns its row.
func (t *table) add(j judgement) string {
	stock := "-"
	if mean, there := j.mean["stock"]; there {
		stock = fmt.Sprintf("%.3f", mean)
	}
	verdict := ""
	if j.mean[""] < goals[j.name] {
		verdict = " (missed)"
	}
	row := fmt.Sprintf("| %s | %d | %s | %.4f | %.2f%s | %.1f %% | %s | %s | %s | %s |", j.name, j.queries, stock, j.mean[""], goals[j.name], verdict, 100*j.hit,
		kept(j.mean[""], j.mean, "typo"), share(j, "typo"), share(j, "cut"), share(j, "cut-all"))
	t.rows = append(t.rows, row)
	if t.o.folds > 1 {
		parts := []string{}
		for fold := range t.o.folds {
			sum, count := 0.0, 0
			for i := fold; i < len(j.gains); i += t.o.folds {
				sum, count = sum+j.gains[i], count+1
			}
			parts = append(parts, fmt.Sprintf("%.3f", sum/float64(max(count, 1))))
		}
		t.folds = append(t.folds, fmt.Sprintf("%s %s", j.name, strings.Join(parts, ", ")))
	}
	return row
}

// kept returns how much of the mean a change leaves.
func kept(whole float64, mean map[string]float64, mode string) string {
	part, there := mean[mode]
	if !there || whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*part/whole)
}

// share returns how many of the queries that hit still do.
func share(j judgement, mode string) string {
	if _, there := j.mean[mode]; !there {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*j.kept[mode])
}

func (t *table) String() string {
	text := t.about + "\n\n" +
		"| collection | queries | stock multi_match | nDCG@10 | goal | hit@10 | nDCG kept with typos | found with typos | with one word cut | with every long word cut |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n" + strings.Join(t.rows, "\n") + "\n"
	if len(t.folds) > 0 {
		text += "\nBy folds of the queries: " + strings.Join(t.folds, "; ") + ".\n"
	}
	return text
}

// keep puts the table between its markers in a page: each kind of store has its own.
func keep(path, text string) error {
	if path == "-" || path == "" {
		return nil
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page := string(old)
	kind := "plain"
	if _, rest, _ := strings.Cut(text, "shard(s), "); strings.HasPrefix(rest, "beside") {
		kind = "mixed"
	}
	open, end := "<!-- relevance "+kind+" -->", "<!-- /relevance "+kind+" -->"
	start, stop := strings.Index(page, open), strings.Index(page, end)
	if start < 0 || stop < start {
		return fmt.Errorf("%s has no markers %s and %s", path, open, end)
	}
	return os.WriteFile(path, []byte(page[:start]+open+"\n"+strings.TrimSpace(text)+"\n"+page[stop:]), 0o644)
}
