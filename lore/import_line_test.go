package lore_test

import (
	"testing"
	"time"

	"agentlore/lore"
)

// The id of an imported observation decides what a second import stores again.
func TestImportID(t *testing.T) {
	const source = "00000000-0000-7000-8000-000000000001"
	line := lore.Observation{Summary: "s", Category: lore.CategoryGeneral, Ref: "r1"}
	same := line
	same.Summary = "another text of the same origin"
	if line.ImportID(source) != same.ImportID(source) {
		t.Error("a ref doesn't decide alone")
	}
	if line.ImportID(source) == line.ImportID("00000000-0000-7000-8000-000000000002") {
		t.Error("a ref is unique a source, not over all")
	}
	line.Ref, same.Ref = "", ""
	if line.ImportID(source) == same.ImportID(source) {
		t.Error("without a ref two texts have one id")
	}
	// Two refs that became equal because the scrubber took something out are still two lines.
	line.Ref, same.Ref = "by [SCRUBBED]", "by [SCRUBBED]"
	if line.ImportID(source) == same.ImportID(source) {
		t.Error("two scrubbed refs make one id of two texts")
	}
	if once, again := line.ImportID(source), line.ImportID(source); !lore.ValidID(once) || once != again {
		t.Error("an id that is no id, or another each time")
	}
}

func TestSubmissionLine(t *testing.T) {
	early := time.Date(1969, 12, 31, 23, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		line lore.SubmissionLine
		want string // pointer of the one fault
	}{
		"good":           {lore.SubmissionLine{Source: "s", Summary: "x"}, ""},
		"blank source":   {lore.SubmissionLine{Source: "  ", Summary: "x"}, "/source"},
		"before 1970":    {lore.SubmissionLine{Source: "s", Summary: "x", CreatedAt: &early}, "/created_at"},
		"NUL in a ref":   {lore.SubmissionLine{Source: "s", Summary: "x", Ref: "a\x00"}, "/ref"},
		"blank summary":  {lore.SubmissionLine{Source: "s", Summary: " \t"}, "/summary"},
		"NUL in a tag":   {lore.SubmissionLine{Source: "s", Summary: "x", Tags: []string{"a", "\x00"}}, "/tags/1"},
		"control source": {lore.SubmissionLine{Source: "s\n", Summary: "x"}, "/source"},
	} {
		faults := tc.line.Check()
		if tc.want == "" && len(faults) > 0 || tc.want != "" && (len(faults) != 1 || faults[0].Pointer != tc.want) {
			t.Errorf("%s: %+v, want a fault at %q", name, faults, tc.want)
		}
	}
	if got := (lore.SubmissionLine{Source: "s", Summary: "x"}).Observation().Category; got != lore.CategoryGeneral {
		t.Errorf("a line without a category is %q, want general", got)
	}
}
