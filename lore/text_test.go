package lore_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentlore/lore"
)

func TestNormalise(t *testing.T) {
	for in, want := range map[string]string{
		" Ethereum ": "ethereum", "[SCRUBBED]": "[SCRUBBED]", "A [SCRUBBED] B": "a [SCRUBBED] b", "[scrubbed]": "[scrubbed]", "": "", " ": "",
	} {
		if got := lore.NormaliseWord(in); got != want {
			t.Errorf("NormaliseWord(%q) is %q, want %q", in, got, want)
		}
	}
	tags := []string{"Gas", " gas", "", "RPC", "  ", "gas"}
	given := lore.Observation{Summary: " s ", Tags: tags}
	given.Normalise()
	if !slices.Equal(given.Tags, []string{"gas", "rpc"}) || given.Summary != "s" || tags[0] != "Gas" {
		t.Errorf("normalised to %+v; the caller's list is %v", given, tags)
	}
	none := lore.Observation{}
	if none.Normalise(); none.Tags == nil {
		t.Error("no tags are null and not an empty list")
	}
}

func TestCutAtWord(t *testing.T) {
	for _, tc := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 10, "short"}, {"exactly ten", 11, "exactly ten"}, {"one two three", 10, "one two…"}, {"onelongword", 5, "onel…"},
		{"äöü äöü äöü", 9, "äöü äöü…"}, {"a, b, c, d", 8, "a, b…"},
	} {
		got := lore.CutAtWord(tc.text, tc.limit)
		if got != tc.want || utf8.RuneCountInString(got) > tc.limit || !utf8.ValidString(got) {
			t.Errorf("CutAtWord(%q, %d) is %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}

// What is the same report has the same fingerprint, and nothing else has.
func TestFingerprint(t *testing.T) {
	score := lore.Rating(7)
	base := lore.Observation{Summary: "s", Category: lore.CategoryGeneral, Content: "c", Resolution: "r", Tags: []string{"a", "b"}, Ecosystem: "e", Usefulness: &score}
	if once, again := base.Fingerprint(), base.Fingerprint(); once != again {
		t.Fatal("a fingerprint changes")
	}
	other := lore.Rating(8)
	for name, change := range map[string]func(*lore.Observation){
		"summary": func(o *lore.Observation) { o.Summary = "S" }, "category": func(o *lore.Observation) { o.Category = lore.CategoryMarket },
		"content": func(o *lore.Observation) { o.Content = "" }, "resolution": func(o *lore.Observation) { o.Resolution = "c" },
		"tags": func(o *lore.Observation) { o.Tags = []string{"ab"} }, "ecosystem": func(o *lore.Observation) { o.Ecosystem = "" },
		"usefulness": func(o *lore.Observation) { o.Usefulness = &other }, "no usefulness": func(o *lore.Observation) { o.Usefulness = nil },
		"moved words": func(o *lore.Observation) { o.Content, o.Resolution = "cr", "" },
	} {
		changed := base
		if change(&changed); changed.Fingerprint() == base.Fingerprint() {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
}

func TestAsset(t *testing.T) {
	entry := lore.CatalogEntry{Name: " Name ", Type: "DEX", Ecosystem: lore.StringList{"B", "a", "b "}, Addresses: []string{" x", "x", ""}, Description: strings.Repeat("word ", 150)}
	if faults := entry.Check(); len(faults) > 0 {
		t.Fatalf("%+v", faults)
	}
	entry.Normalise()
	if entry.Name != "Name" || entry.Type != "dex" || !slices.Equal(entry.Ecosystem, []string{"b", "a"}) || !slices.Equal(entry.Addresses, []string{"x"}) {
		t.Errorf("normalised to %+v", entry)
	}
	turned := entry
	turned.Ecosystem, turned.Name = lore.StringList{"a", "b"}, "NAME"
	if entry.AssetID() != turned.AssetID() {
		t.Error("the order of ecosystems, or the case of the name, makes another asset")
	}
	if summary := entry.Asset(entryTime).Summary; utf8.RuneCountInString(summary) > lore.MaxSummaryLength || !strings.HasPrefix(summary, "Name: word") || !strings.HasSuffix(summary, "word…") {
		t.Errorf("the summary is %q", summary)
	}
	for _, kind := range []string{"two words", "-x", "x-", "ä", "a/b", "x--y"} {
		if faults := (lore.CatalogEntry{Name: "n", Type: kind}).Check(); len(faults) != 1 || faults[0].Pointer != "/type" {
			t.Errorf("type %q: %+v", kind, faults)
		}
	}
}
