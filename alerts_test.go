package agentlore_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// runbook is a section of docs/operations/alerts.md with what each one says.
var runbook = regexp.MustCompile(`(?s)^(SLO [a-z ]+|Agentlore\w+)\n\n(.+?)\n\n((?:    \S[^\n]*\n){2,})\n(.+)$`)

// Whoever is woken finds what the alert means, a command, what it answers, and what to do next. No runbook is left of an alert that went.
func TestEachAlertHasItsRunbook(t *testing.T) {
	text, err := os.ReadFile("deploy/prometheus/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Record, Alert       string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	var objectives, wanted []string
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if rule.Record == "agentlore:slo_budget:ratio" {
				objectives = append(objectives, rule.Labels["slo"])
			}
			if rule.Alert == "" {
				continue
			}
			if severity := rule.Labels["severity"]; severity != "page" && severity != "ticket" || rule.Annotations["summary"] == "" {
				t.Errorf("%s has the severity %q and the summary %q", rule.Alert, severity, rule.Annotations["summary"])
			}
			page, anchor, _ := strings.Cut(rule.Annotations["runbook_url"], "#")
			if page != "docs/operations/alerts.md" {
				t.Errorf("the runbook of %s is %s", rule.Alert, page)
			}
			for _, objective := range objectives {
				wanted = append(wanted, strings.ReplaceAll(anchor, "{{ $labels.slo }}", objective))
			}
		}
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	page, err := os.ReadFile("docs/operations/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for section := range strings.SplitSeq(string(page), "\n### ") {
		section, _, _ = strings.Cut(section, "\n## ")
		if !strings.HasPrefix(section, "SLO ") && !strings.HasPrefix(section, "Agentlore") {
			continue
		}
		title, _, _ := strings.Cut(section, "\n")
		if !runbook.MatchString(section) {
			t.Errorf("the runbook %q doesn't say what it means, a command with its answer, and what to do next", title)
		}
		written = append(written, anchors("### "+title)...)
	}
	slices.Sort(written)
	if len(wanted) < 10 || !slices.Equal(written, wanted) {
		t.Errorf("the alerts lead to\n%v\nthe runbooks are\n%v", wanted, written)
	}
}
