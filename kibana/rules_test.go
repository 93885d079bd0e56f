package kibana

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"
)

const rulesFile = "rules.ndjson"

// rule is an alert rule as Kibana's API takes it, with the id before it. Kibana refuses a member that it doesn't know: the body's are those
// of alerting/common/routes/rule/apis/create/schemas/v1.ts, at elastic/kibana 08d79f4a0b2b18c45e3ca7e2a9cb30803c686242, and the parameters'
// those of response-ops/rule_params/es_query/v1.ts, at 0bb03096ed9040a89ea2ab8924101792955aa04d. That the id of a rule must be a UUID, and
// that one in use is answered with 409, is in the documentation of 8.14 and in create_rule_route.ts at 025b403c8fa99d4d52b2f058914d68458ec25ac3.
type rule struct {
	ID         string                    `json:"id"`
	Name       string                    `json:"name"`
	Tags       []string                  `json:"tags"`
	RuleTypeID string                    `json:"rule_type_id"`
	Consumer   string                    `json:"consumer"`
	Schedule   struct{ Interval string } `json:"schedule"`
	Params     struct {
		SearchType          string `json:"searchType"`
		SearchConfiguration struct {
			Index  string `json:"index"`
			Query  query  `json:"query"`
			Filter []any  `json:"filter"`
		} `json:"searchConfiguration"`
		TimeWindowSize             int    `json:"timeWindowSize"`
		TimeWindowUnit             string `json:"timeWindowUnit"`
		ThresholdComparator        string `json:"thresholdComparator"`
		Threshold                  []int  `json:"threshold"`
		Size                       int    `json:"size"`
		ExcludeHitsFromPreviousRun bool   `json:"excludeHitsFromPreviousRun"`
		AggType                    string `json:"aggType"`
		GroupBy                    string `json:"groupBy"`
		TermField                  string `json:"termField"`
		TermSize                   int    `json:"termSize"`
	} `json:"params"`
}

func mustReadRules(t *testing.T) (rules []rule) {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		var one rule
		if err := decoder.Decode(&one); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		rules = append(rules, one)
	}
	return rules
}

// asked returns what the rule asks in one of its windows. (Its time is that of its data view: fetch_search_source_query.ts at
// 027ff216065546db312b553bd5287a4012b22f12.)
func (r rule) asked(t *testing.T, objects map[string]object) asked {
	t.Helper()
	view := objects[r.Params.SearchConfiguration.Index]
	if view.Type != "index-pattern" {
		t.Fatalf("%s watches no data view", r.Name)
	}
	one := asked{
		name: r.Name, collections: view.collections(), kql: r.Params.SearchConfiguration.Query.Query,
		from: fmt.Sprintf("now-%d%s", r.Params.TimeWindowSize, r.Params.TimeWindowUnit), rule: true,
	}
	for _, term := range termsOf(one.kql) {
		one.fields = append(one.fields, term.field)
	}
	if r.Params.TermField != "" {
		group := column{OperationType: "terms", SourceField: r.Params.TermField, IsBucketed: true}
		group.Params.Size = r.Params.TermSize
		one.fields, one.layer = append(one.fields, r.Params.TermField), layer{[]string{"group"}, map[string]column{"group": group}}
	}
	return one
}

var uuid4 = regexp.MustCompile(`^\{"id":"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}","name":"`)

// Each rule is one that Kibana takes: its place in the line is where scripts/compose/kibana.sh cuts, and it looks back further than to its
// last look.
func TestRules(t *testing.T) {
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if !uuid4.Match(line) {
			t.Errorf("no id in its place: %.80s", line)
		}
	}
	minutes := map[byte]int{'m': 1, 'h': 60, 'd': 24 * 60}
	seen := map[string]bool{}
	for _, r := range mustReadRules(t) {
		var number int
		var unit byte
		_, err := fmt.Sscanf(r.Schedule.Interval, "%d%c", &number, &unit)
		p := r.Params
		switch window := p.TimeWindowSize * minutes[p.TimeWindowUnit[0]]; {
		case err != nil, seen[r.ID], r.RuleTypeID != ".es-query", r.Consumer != "stackAlerts", p.SearchType != "searchSource",
			p.SearchConfiguration.Query.Language != "kuery", p.ThresholdComparator != ">", len(p.Threshold) != 1, p.AggType != "count",
			(p.GroupBy == "top") != (p.TermField != "" && p.TermSize > 0), number*minutes[unit] > window:
			t.Errorf("%s: %+v, %v", r.Name, r, err)
		case p.ExcludeHitsFromPreviousRun:
			t.Errorf("%s passes by what the curator describes after a later report", r.Name)
		}
		seen[r.ID] = true
	}
}
