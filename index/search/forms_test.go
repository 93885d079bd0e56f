package search

import (
	"testing"

	"agentlore/lore"
)

// A question uses other forms of a word than the reports do. In a small corpus most forms of a word are not there, and one that is
// not is no typing error.
func TestOtherFormsOfAWordAreFound(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t,
		observed("Deposit reverted for the second caller", "It reverts when the vault is paused."),
		observed("Anyone minted shares", "The mint has no access control."),
		observed("Block builders prefer mining rewards", "Nothing else."),
	)
	for q, want := range map[string]string{
		"reverting": "Deposit reverted for the second caller",
		"minting":   "Anyone minted shares",
	} {
		if found := summaries(find(t, searcher, lore.SearchQuery{Text: q})); len(found) == 0 || found[0] != want {
			t.Errorf("%q finds %q, want %q first", q, found, want)
		}
	}
}
