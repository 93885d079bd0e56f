package lore_test

import (
	"encoding/json"
	"testing"

	"agentlore/lore"
)

func TestRatingTakesAnySpellingOfAWholeNumber(t *testing.T) {
	for text, want := range map[string]lore.Rating{`7`: 7, `7.0`: 7, `7e0`: 7, `0.1e2`: 10} {
		var rating lore.Rating
		if err := json.Unmarshal([]byte(text), &rating); err != nil || rating != want {
			t.Errorf("%s: %d, %v; want %d", text, rating, err, want)
		}
	}
	for _, text := range []string{`7.5`, `"7"`, `[7]`, `true`, `1e300`} {
		var rating lore.Rating
		if err := json.Unmarshal([]byte(text), &rating); err == nil {
			t.Errorf("%s is taken for %d", text, rating)
		}
	}
}
