package curator

import (
	"fmt"
	"testing"

	"agentlore/lore"
)

// What belongs to one project ties no two of its reports: its names count as its words do, however rare they are elsewhere.
func TestNamesOfOneProjectTellLittle(t *testing.T) {
	t.Parallel()
	var frequencies Frequencies
	profile := func(project, title string) *Profile {
		p := NewProfile(lore.Observation{Summary: title}, project, "")
		frequencies.Add(p)
		return p
	}
	var here *Profile
	for i := range 300 {
		here = profile("audits/okapi", fmt.Sprintf("OkapiController fails in case number%c%c", 'a'+i%26, 'a'+i/26))
	}
	for i := range 2000 {
		profile(fmt.Sprintf("audits/%d", i%40), fmt.Sprintf("Vault%c%c pays rewards twice", 'a'+i%26, 'a'+i/26%26))
	}
	of := func(project uint32, word string) float64 { return frequencies.rarity(project, termID(name, word)) }
	known, unknown := of(here.project, "okapicontroller"), of(0, "okapicontroller")
	if known > 0.5 || unknown < 1.5 {
		t.Errorf("the name's rarity is %.2f among the project's reports and %.2f among all", known, unknown)
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	for want, report := range map[string]lore.Submission{
		"audits/vault-2024": {Ref: "audits/Vault-2024/17/a"},
		"okapi/core":        {Ref: "inc-17", Content: "See https://github.com/Okapi/core.git and https://github.com/gnu/farm/blob/main/a.sol"},
		"":                  {Ref: "a/b", Content: "github is down"},
	} {
		if got := Project(lore.Report{Submission: report}); got != want {
			t.Errorf("%+v is about %q, want %q", report, got, want)
		}
	}
}
