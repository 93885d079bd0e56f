package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentlore/curator"
	"agentlore/lore"
)

// report is a labelled report.
type report struct {
	id, ref, group, contest string
	observation             lore.Observation
	profile                 *curator.Profile
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
	file, err := os.Open(filepath.Join(folder, "reports.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<22)
	var reports []report
	for lines.Scan() {
		var line struct {
			lore.Observation
			Ref string `json:"ref"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, err
		}
		label := labels[line.Ref]
		if label == nil {
			return nil, fmt.Errorf("%s has no label", line.Ref)
		}
		// A ref tells the group: an id made of it must not break ties by it.
		one := report{id: lore.DerivedID(line.Ref), ref: line.Ref, group: label[1], contest: label[2], observation: line.Observation, profile: curator.NewProfile(line.Observation)}
		if one.group == "" {
			one.group = "alone " + line.Ref
		}
		reports = append(reports, one)
	}
	return reports, lines.Err()
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
