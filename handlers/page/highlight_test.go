package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A snippet is read as words: no signs of Markdown, no address that fills the line, and the marks of what matched.
func TestSnippetsAreReadable(t *testing.T) {
	for snippet, want := range map[string][]span{
		"…of the **oracle**. ## Impact Users lose":         {{"", "…of the "}, {"mark", "oracle"}, {"", ". Impact Users lose"}},
		"calls [`getPrice()`](https://x.example/a/b#L4) a": {{"", "calls getPrice() a"}},
		"cut [in the](https://x.example/blob/main/":        {{"", "cut in the"}},
		"see https://x.example/blob/6d7a/**Oracle**.sol#L4 and https://x.example/a": {
			{"", "see x.example/…/Oracle.sol#L4 and x.example/a"},
		},
		"the [SCRUBBED](key) in a[i](x) is # 1": {{"", "the "}, {"scrubbed", "[SCRUBBED]"}, {"", "(key) in a[i](x) is # 1"}},
	} {
		if got, _ := snippetSpans(snippet); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", snippet, cmp.Diff(want, got))
		}
	}
}
