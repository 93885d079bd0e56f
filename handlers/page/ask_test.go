package page

import (
	"slices"
	"testing"
)

// A fix shows its steps as a list: by their numbers from 1, and not where a number ends a sentence.
func TestSteps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"1. Look it up. 2. Send it again.":    {"Look it up.", "Send it again."},
		"1. Take version 3. 2. Build.":        {"Take version 3.", "Build."},
		"Look it up.":                         {"Look it up."},
		"Use solc 0.8.20 or 2. later":         {"Use solc 0.8.20 or 2. later"},
		"1. One. 3. Three.":                   {"One. 3. Three."},
		"":                                    nil,
		"1. Run `a 1. b`.\n2. Then:\n3. End.": {"Run `a 1. b`.", "Then:", "End."},
	} {
		if got := steps(text); !slices.Equal(got, want) {
			t.Errorf("%q has the steps %q, want %q", text, got, want)
		}
	}
}
