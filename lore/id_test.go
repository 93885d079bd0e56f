package lore_test

import (
	"strings"
	"testing"
	"time"

	"agentlore/lore"
)

func TestIDs(t *testing.T) {
	if a, b := lore.NewID(), lore.NewID(); a >= b || a[14] != '7' {
		t.Errorf("%s, then %s: want version 7, in order of time", a, b)
	}
	if lore.DerivedID("ab", "c") == lore.DerivedID("a", "bc") || lore.DerivedID("a") == lore.DerivedID("a", "") {
		t.Error("other parts make the same id")
	}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	first, next := lore.DatedID(day, "x"), lore.DatedID(day.Add(24*time.Hour), "x")
	if first >= next || first[14] != '8' || first == lore.DatedID(day, "y") || !strings.HasPrefix(lore.DatedID(day, "y"), first[:12]) {
		t.Errorf("%s and %s: want version 8, in order of the day", first, next)
	}
	for id, want := range map[string]bool{
		lore.NewID(): true, lore.DerivedID("x"): true, first: true, "": false, "x": false, strings.ToUpper(lore.DerivedID("x")): false,
		"{" + lore.NewID() + "}": false, "urn:uuid:" + lore.NewID(): false, strings.ReplaceAll(lore.NewID(), "-", ""): false,
	} {
		if lore.ValidID(id) != want {
			t.Errorf("ValidID(%q) is %v", id, !want)
		}
	}
}
