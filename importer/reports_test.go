package importer

import (
	"testing"

	"agentlore/lore"
)

// A report that can't be written as JSON is refused, and stops no import.
func TestALineThatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	read := func([]byte) (lore.SubmissionLine, error) { return lore.SubmissionLine{}, nil }
	err := checkLine(&Importer{ReadSubmission: read}, lore.SubmissionLine{Source: "s", Summary: "\xff"})
	if err == nil || !isRefusal(err) {
		t.Errorf("it is %v", err)
	}
}
