package reference_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agentlore/scrubber"
)

// A unit is scrubbed when it is imported. What the library says is public, so nothing of it may go: a slot that an answer tells to read, or
// the name of a function, would be missing there.
func TestNoUnitIsScrubbed(t *testing.T) {
	clean := scrubber.New(scrubber.Config{})
	for _, entry := range entries(t) {
		unit, err := scrubber.Scrub(t.Context(), clean, entry.KnowledgeUnit(time.Unix(0, 0)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(unit.Value())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), scrubber.Marker) || unit.Report().Changed {
			t.Errorf("%s: %v", entry.ID, unit.Report().Removed)
		}
	}
}
