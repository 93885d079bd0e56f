package scrubber

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	g := newGen(3)
	for _, r := range newScrubber(f).rules {
		for _, example := range append(append([]string(nil), r.removed...), r.kept...) {
			text, _ := g.cut(example)
			f.Add(text)
		}
	}
	for _, s := range []string{"", Marker, Marker + Marker, "[SCRUBBED", "\xff", "\xed\xa0\x80", "a\u200bb", "\x1b[31m", "%25%32", `\\u0073`, "&#x73;&amp;#115;"} {
		f.Add(s)
	}
}

// What comes out is a fixed point, valid if the input was, and nothing is found in it.
func FuzzText(f *testing.F) {
	seeds(f)
	plain := newScrubber(f)
	literal := New(Config{Literal: true})
	f.Fuzz(func(t *testing.T, in string) {
		for _, s := range []*Scrubber{plain, literal} {
			out, hits := s.text(in) // not Text: a panic must show
			if (out != in) != (len(hits) > 0) && !strings.Contains(in, Marker) {
				t.Fatalf("changed %v, hits %v", out != in, hits)
			}
			if again, more := s.text(out); again != out || len(more) > 0 {
				t.Fatalf("not idempotent: %q -> %q -> %q %v", in, out, again, more)
			}
			if !s.Clean(out) {
				t.Fatalf("a rule matches the output %q", out)
			}
			if s.Clean(in) != (out == in) {
				t.Fatalf("Clean disagrees with Text on %q", in)
			}
			if utf8.ValidString(in) && !utf8.ValidString(out) {
				t.Fatalf("invalid UTF-8 from %q: %q", in, out)
			}
		}
	})
}

// A text laid out in another way gives up the same secret, and never damages what is around it.
func FuzzAround(f *testing.F) {
	f.Add("before ", " after", uint64(1))
	f.Add("a\u200b", "\u200db", uint64(2))
	f.Add("%20", "\\n", uint64(3))
	f.Add("(", "==", uint64(4))
	s := newScrubber(f)
	f.Fuzz(func(t *testing.T, before, after string, n uint64) {
		g := newGen(n)
		secrets := []string{g.seed(), "ED" + g.from(alphabets["HEX"], 64), "0x" + g.from(alphabets["hex"], 64), "agl-" + g.from(alphabets["b36"], 40), g.jwt(), g.from(alphabets["a"], 8) + "@" + g.from(alphabets["a"], 6) + ".com"}
		secret := secrets[n%uint64(len(secrets))]
		out, _ := s.text(before + " " + secret + " " + after)
		if strings.Contains(out, secret) {
			t.Fatalf("kept between %q and %q", before, after)
		}
	})
}

// A document is scrubbed to a fixed point, too, whatever is spread over its fields.
func FuzzDocument(f *testing.F) {
	g := newGen(5)
	f.Add("summary", "content", "a,b,c")
	f.Add(strings.Join(g.mnemonic(0, 12)[:6], " "), strings.Join(g.mnemonic(0, 12)[6:], " "), strings.Join(g.mnemonic(0, 12), ","))
	f.Add("0x"+g.from(alphabets["hex"], 30), g.from(alphabets["hex"], 34), "AGL-ABC,agl-abc")
	s := newScrubber(f)
	f.Fuzz(func(t *testing.T, summary, content, tags string) {
		in := note{Summary: summary, Content: content, Tags: strings.Split(tags, ",")}
		got, err := Scrub(context.Background(), s, in)
		if errors.Is(err, ErrTooLarge) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := Scrub(context.Background(), s, got.Value())
		if err != nil || again.Report().Changed {
			t.Fatalf("not a fixed point: %+v -> %+v, %v", got.Value(), again.Value(), err)
		}
	})
}
