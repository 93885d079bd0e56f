package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"agentlore/lore"
	"agentlore/matcher"
	"agentlore/reference"
	"agentlore/scripts/labelled"
)

// kinds are those of the library.
var kinds *matcher.Kinds

func readKinds() error {
	entries, err := reference.Entries()
	units := make([]lore.KnowledgeUnit, len(entries))
	for i, entry := range entries {
		units[i] = entry.KnowledgeUnit(time.Time{})
	}
	kinds = matcher.NewKinds(units)
	return err
}

// kindOf returns the entry whose kind a title is; empty: none.
func kindOf(title string) string {
	if kind, found := kinds.Of(title); found {
		return kind.Entry
	}
	return ""
}

// titlesShown is how many titles of a family are printed, to be read.
const titlesShown = 50

// families prints which share of the reports that each expression of families.tsv finds is of one kind, and titles of that kind.
func families(data string) error {
	rows, err := labelled.Read[lore.Observation](filepath.Join(data, "observations.jsonl.gz"))
	if err != nil {
		return err
	}
	table, err := os.ReadFile(filepath.Join(data, "patterns", "families.tsv"))
	if err != nil {
		return err
	}
	of, members := make([]string, len(rows)), map[string][]int{}
	for i, row := range rows {
		of[i] = kindOf(row.Summary)
		members[of[i]] = append(members[of[i]], i)
	}
	fmt.Printf("%d of %d reports are of a kind\n\n| family | reports | largest kind | share |\n|---|---|---|---|\n", len(rows)-len(members[""]), len(rows))
	sum, count, largest := 0.0, 0.0, []string{}
	for line := range strings.Lines(string(table)) {
		name, expression, found := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		matches, err := regexp.Compile("(?i)" + expression)
		if err != nil {
			return err
		}
		all, in, best := 0, map[string]int{}, ""
		for i, row := range rows {
			if matches.MatchString(row.Summary) {
				all++
				if in[of[i]]++; of[i] != "" && (in[of[i]] > in[best] || best == "") {
					best = of[i]
				}
			}
		}
		share := float64(in[best]) / float64(max(1, all))
		sum, count, largest = sum+share, count+1, append(largest, best)
		fmt.Printf("| %s | %d | %s | %.2f |\n", name, all, best, share)
	}
	fmt.Printf("| mean | | | %.3f |\n", sum/count)
	for _, kind := range largest {
		fmt.Printf("\n%s, %d reports:\n", kind, len(members[kind]))
		for k := range min(titlesShown, len(members[kind])) {
			fmt.Println("  ", rows[members[kind][k*len(members[kind])/min(titlesShown, len(members[kind]))]].Summary)
		}
	}
	return nil
}
