package lore_test

import (
	"strings"
	"testing"

	"agentlore/lore"
)

func TestARawReportIsTakenApart(t *testing.T) {
	for name, c := range map[string]struct {
		report                       lore.RawReport
		summary, content, resolution string
	}{
		"a sentence, then a fix": {
			lore.RawReport{Content: "The relayer of v2.1 drops messages. It happens daily.\n\nFix: restart it with --resync."},
			"The relayer of v2.1 drops messages", "The relayer of v2.1 drops messages. It happens daily.", "restart it with --resync.",
		},
		"headings": {
			lore.RawReport{Content: "# Stuck withdrawals\n\nThey wait for ever.\n\n## Solution\n\nClaim them by hand.\n\n## Notes\n\nSeen twice."},
			"Stuck withdrawals", "# Stuck withdrawals\n\nThey wait for ever.\n\n## Notes\n\nSeen twice.", "Claim them by hand.",
		},
		"a summary of one's own": {lore.RawReport{Summary: "Mine", Content: "text"}, "Mine", "text", ""},
		"nothing but a fix":      {lore.RawReport{Content: "Solution: none is known"}, "Solution: none is known", "Solution: none is known", ""},
		"a word that isn't one":  {lore.RawReport{Content: "Nothing helped. A fix for this was promised."}, "Nothing helped. A fix for this was promised", "Nothing helped. A fix for this was promised.", ""},
		"only marks":             {lore.RawReport{Content: "###"}, "###", "###", ""},
	} {
		o := c.report.Observation()
		for range 2 { // the scrubber normalises again where it finds more
			o.Normalise()
		}
		if o.Summary != c.summary || o.Content != c.content || o.Resolution != c.resolution {
			t.Errorf("%s:\nsummary    %q\ncontent    %q\nresolution %q", name, o.Summary, o.Content, o.Resolution)
		}
	}
	long := lore.RawReport{Content: strings.Repeat("words without an end ", 200)}.Observation()
	long.Normalise()
	if n := len([]rune(long.Summary)); n > lore.MaxSummaryLength {
		t.Errorf("a summary of %d characters", n)
	}
	if faults := (lore.RawReport{Content: " \n"}).Check(); len(faults) != 1 || faults[0].Code != "blank" {
		t.Errorf("a blank content: %v", faults)
	}
}
