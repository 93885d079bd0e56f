package reference_test

import (
	"regexp"
	"testing"
)

var (
	// canHarm are the words of a fix that can move money twice, change who may, or lose data.
	canHarm = regexp.MustCompile(`(?i)\b(sign(ed)? (it |them |the \w+ )?(again|anew)|re-?sign|re-?sends?\b|send (it |them |the \w+ )?(again|anew)` +
		`|re-?submit|re-?broadcast|rescue|drain|unlimited|resync|truncate|unsafe-reset|renounce|transferOwnership` +
		`|(withdraw|transfer) (it|them|the|all|everything)\b|delete (it|the (data|database|datadir|folder|directory|db))\b)` +
		`|--force\b|--no-verify\b`)
	// saysBefore are the words by which a fix says what to look at before, or when not to.
	saysBefore = regexp.MustCompile(`(?i)\b(first|before|checks?|look (it|them|the|up|whether|at|for)|looks? up|compare|confirm\w*|verif\w+|simulate` +
		`|make sure|only (if|when|where|after|once)|until|unless|never|do not|don't|must not|back ?up|cop(y|ies)|test (it|on)` +
		`|same (nonce|sequence|signature))\b`)
)

// An agent does what a fix says without asking. One that signs again, moves funds or deletes data says what to look at before. The test reads
// words alone: whether it is the right thing to look at is for the readers of an entry.
func TestAFixThatCanDoHarmSaysWhatToCheck(t *testing.T) {
	t.Parallel()
	found := 0
	for _, entry := range entries(t) {
		harm := canHarm.FindString(entry.Fix)
		if harm == "" {
			continue
		}
		if found++; !saysBefore.MatchString(entry.Fix) {
			t.Errorf("%s says %q, and not what to check before: %s", entry.ID, harm, entry.Fix)
		}
	}
	if found < 100 {
		t.Errorf("%d fixes can do harm, want 100 and more: the words are none that fixes have", found)
	}
}
