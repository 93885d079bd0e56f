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

// A stored text's strong words and addresses are set apart, and no address becomes a link or hides behind words.
func TestProseSetsApartWhatMarkdownMarks(t *testing.T) {
	for text, want := range map[string][]span{
		"2**3**4":                                                    {{"", "2"}, {"", "**3**"}, {"", "4"}},
		"the **whole** of `a**b**c`":                                 {{"", "the "}, {"strong", "whole"}, {"", " of "}, {"code", "a**b**c"}},
		"[safe](https://evil.example/a/b) now":                       {{"", "safe"}, {"", " "}, {"address", "https://evil.example/a/b"}, {"", " now"}},
		"at https://x.example/[SCRUBBED]/y":                          {{"", "at "}, {"address", "https://x.example/"}, {"scrubbed", "[SCRUBBED]"}, {"", "/y"}},
		"[x](javascript:alert(1)) 2**3 ** 4":                         {{"", "[x](javascript:alert(1)) 2**3 ** 4"}},
		"[the [SCRUBBED]](https://x.example) and **key [SCRUBBED]**": {{"", "[the "}, {"scrubbed", "[SCRUBBED]"}, {"", "]("}, {"address", "https://x.example"}, {"", ") and "}, {"strong", "key "}, {"scrubbed", "[SCRUBBED]"}},
	} {
		if got := inline(text); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", text, cmp.Diff(want, got))
		}
	}
}
