package main

import (
	"time"

	"agentlore/curator/worker"
)

// watchCurator shows who curates and how far it is. Of several replicas the one with the lease tells; the others have zeros.
func (w *watch) watchCurator(curation *curation) {
	gauge := func(name, help string, read func(worker.Stats) float64) {
		w.metrics.Gauge(name, help, nil, func() float64 {
			if !curation.Curating() {
				return 0
			}
			return read(curation.Stats())
		})
	}
	gauge("agentlore_curator_lease", "1 while this process holds the curator's lease; over all processes the sum is 1.",
		func(worker.Stats) float64 { return 1 })
	gauge("agentlore_curator_lag_seconds", "How long ago came what the curator hasn't looked at yet, at most: rises while a pass goes on or fails.",
		func(s worker.Stats) float64 { return time.Since(s.CaughtUpAt).Seconds() })
	gauge("agentlore_curator_waiting_reports", "Reports that are not compared yet.",
		func(s worker.Stats) float64 { return float64(s.Waiting) })
	gauge("agentlore_curator_pass_seconds", "How long the last completed pass took.",
		func(s worker.Stats) float64 { return s.LastPass.Seconds() })
	for name, one := range map[string]struct {
		help string
		read func(worker.Stats) int64
	}{
		"agentlore_curator_passes_total":         {"Passes that were completed by this process since it has the lease.", func(s worker.Stats) int64 { return s.Passes }},
		"agentlore_curator_failures_total":       {"Passes that stopped at an error; each goes on where it stopped.", func(s worker.Stats) int64 { return s.Failures }},
		"agentlore_curator_reports_total":        {"Reports that were compared.", func(s worker.Stats) int64 { return s.Reports }},
		"agentlore_curator_items_changed_total":  {"Submissions, patterns, units and flags that were written.", func(s worker.Stats) int64 { return s.Written }},
		"agentlore_curator_pairs_compared_total": {"Pairs of reports that were compared.", func(s worker.Stats) int64 { return s.Comparisons }},
	} {
		w.metrics.Counter(name, one.help, nil, func() float64 { return float64(one.read(curation.Stats())) })
	}
}
