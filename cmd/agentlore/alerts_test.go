package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

var (
	// metricName is a name in rules and dashboards; what the rules record has a colon in its name.
	metricName = regexp.MustCompile(`\b(?:agentlore|process|go)_[a-z0-9_]+`)
	// selected is a metric with what its labels must be.
	labelled   = regexp.MustCompile(`(agentlore_[a-z0-9_]+)\{([^}]*)\}`)
	labelMatch = regexp.MustCompile(`(\w+)(=~|!=|!~|=)\\?"([^"\\]*)\\?"`)
)

// An alert on a metric, a label or a route that is renamed would be silent for ever.
func TestRulesAndDashboardsAskForWhatIsThere(t *testing.T) {
	t.Parallel()
	server := newEmbeddings(t)
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix, "--curate=true", "--embeddings-url="+server.URL+"/v1/embeddings", "--embeddings-model=test-model")
	me := s.register(t, "watched")
	s.submit(t, me, observation("the relayer drops messages after a reorganisation"))
	s.get(t, "/search/all?q=relayer").want(t, 200)
	s.get(t, "/ask?q=relayer").want(t, 200)
	s.get(t, "/health").want(t, 200)
	enginetest.Eventually(t, "a process curates", func() bool { return metric(t, s, "agentlore_curator_lease") == "1" })
	if age := metric(t, s, "agentlore_backup_age_seconds"); age != "" {
		t.Errorf("a store without a backup shows the age %s", age)
	}
	folder := snapshotFolder(t, enginetest.ElasticsearchURL(t), prefix)
	if status, _, stderr := run(t, documented(t, "backup", prefix, folder)...); status != 0 {
		t.Fatal(stderr)
	}
	enginetest.Within(t, 30*time.Second, "it is shown how old the backup is", func() bool {
		age, err := strconv.ParseFloat(metric(t, s, "agentlore_backup_age_seconds"), 64)
		return err == nil && age < 60
	})
	shown := strings.Split(s.metrics(t), "\n")
	has := func(name, label string) bool {
		return slices.ContainsFunc(shown, func(line string) bool {
			return (strings.HasPrefix(line, name+"{") || strings.HasPrefix(line, name+" ")) && strings.Contains(line, label)
		})
	}
	for _, file := range []string{"../../deploy/prometheus/rules.yml", "../../deploy/grafana/agentlore.json"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		names := metricName.FindAllString(string(content), -1)
		if len(names) < 20 {
			t.Errorf("%s asks for %d metrics: are these all?", file, len(names))
		}
		for _, name := range names {
			if !has(name, "") {
				t.Errorf("%s asks for %s, which the service doesn't show", file, name)
			}
		}
		for _, found := range labelled.FindAllStringSubmatch(string(content), -1) {
			for _, wanted := range labelMatch.FindAllStringSubmatch(found[2], -1) {
				label, values := wanted[1], strings.Split(wanted[3], "|")
				switch label {
				case "code": // there is none yet
					if values[0] != string(lore.CodeInternal) {
						t.Errorf("%s asks for the code %s", file, values[0])
					}
					continue
				case "status", "method":
					if !has(found[1], label+`="`) {
						t.Errorf("%s asks for %s by %s, which it hasn't", file, found[1], label)
					}
					continue
				}
				for _, value := range values {
					if pair := label + `="` + value + `"`; !has(found[1], pair) {
						t.Errorf("%s asks for %s with %s, which the service doesn't show", file, found[1], pair)
					}
				}
			}
		}
	}
}
