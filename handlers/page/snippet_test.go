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
		if got := snippetSpans(snippet); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", snippet, cmp.Diff(want, got))
		}
	}
}

// A stored text's code and what was removed are set apart; all else stays as it was written, and nothing becomes a link.
func TestProseSetsCodeApart(t *testing.T) {
	for text, want := range map[string][]span{
		"the **whole** of `a**b**c`":        {{"", "the **whole** of "}, {"code", "a**b**c"}},
		"[safe](https://evil.example) now":  {{"", "[safe](https://evil.example) now"}},
		"at https://x.example/[SCRUBBED]/y": {{"", "at https://x.example/"}, {"scrubbed", "[SCRUBBED]"}, {"", "/y"}},
		"`key [SCRUBBED]` an `open":         {{"code", "key "}, {"scrubbed", "[SCRUBBED]"}, {"", " an `open"}},
	} {
		if got := inline(text); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", text, cmp.Diff(want, got))
		}
	}
}
