// Command patterns learns when two reports are of one thing from labelled audit contests, and judges patterns on contests
// that the weights have not seen: B-cubed precision, recall and F1. Run it from the repository's root; labelled reports are looked
// for where AGENTLORE_DATA says, or in ../shared/data.
//
//	go run ./scripts/patterns evaluate   prints the table, one contest left out at a time; two minutes of one core
//	go run ./scripts/patterns families   prints how much of each known family the library's kinds gather, and titles of each to be read
//	go run ./scripts/patterns train      writes curator/similarity_weights.json, learned from all contests, or all but the one named behind it
//	go run ./scripts/patterns score FILE prints the same figures of the patterns in an export of submissions; of one contest where it is named
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scripts/labelled"
)

const weightsFile = "curator/similarity_weights.json"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "patterns:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || !slices.Contains([]string{"train", "evaluate", "families", "score"}, args[0]) || args[0] == "score" && len(args) < 2 {
		return fmt.Errorf("usage: go run ./scripts/patterns evaluate|families|train [CONTEST]|score FILE [CONTEST]")
	}
	args = append(args, "", "")
	data := cmp.Or(os.Getenv("AGENTLORE_DATA"), "../shared/data")
	if err := readKinds(); err != nil {
		return err
	}
	if args[0] == "families" {
		return families(data)
	}
	reports, err := load(filepath.Join(data, "patterns"))
	if err != nil {
		return err
	}
	if args[0] == "score" {
		return scoreExport(reports, args[1], args[2])
	}
	all := prepare(reports)
	if args[0] == "evaluate" {
		return all.evaluate()
	}
	weights, err := encode(learn(all.samples(args[1])))
	if err != nil {
		return err
	}
	return os.WriteFile(weightsFile, weights, 0o644)
}

// projectOf returns the project that an imported report is about.
func projectOf(ref string) string {
	return curator.Project(lore.Report{Submission: lore.Submission{Ref: ref}})
}

// report is a labelled report.
type report struct {
	id, group, contest string
	ref                string
	observation        lore.Observation
	profile            *curator.Profile
}

// load reads reports.jsonl.gz and labels.tsv. A report without a group gets one of its own.
func load(folder string) ([]report, error) {
	table, err := os.ReadFile(filepath.Join(folder, "labels.tsv"))
	if err != nil {
		return nil, err
	}
	labels := map[string][]string{}
	for line := range strings.Lines(string(table)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("labels.tsv: %d fields instead of 3", len(fields))
		}
		labels[fields[0]] = fields
	}
	type line struct {
		lore.Observation
		Ref string `json:"ref"`
	}
	lines, err := labelled.Read[line](filepath.Join(folder, "reports.jsonl.gz"))
	var reports []report
	for _, line := range lines {
		label := labels[line.Ref]
		if label == nil {
			return nil, fmt.Errorf("%s has no label", line.Ref)
		}
		// A ref tells the group: an id made of it must not break ties by it.
		reports = append(reports, report{
			id: lore.DerivedID(line.Ref), group: cmp.Or(label[1], "alone "+line.Ref), contest: label[2], ref: line.Ref,
			observation: line.Observation, profile: curator.NewProfile(line.Observation, projectOf(line.Ref), kindOf(line.Summary)),
		})
	}
	return reports, err
}

// contests returns the contests of reports, in order.
func contests(reports []report) []string {
	var names []string
	for _, r := range reports {
		names = append(names, r.contest)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
