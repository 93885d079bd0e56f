package terms

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The words of a text are the same however it is walked through, and as the index's analyzer has them.
func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ words, joined []string }{
		"The oracle's price":         {[]string{"The", "oracle", "s", "price"}, []string{"The", "oracle's", "price"}},
		"std::vec Pool.sol. a:b:":    {[]string{"std", "vec", "Pool", "sol", "a", "b"}, []string{"std::vec", "Pool.sol", "a:b"}},
		"foo_bar() ...x.. 'quoted'":  {[]string{"foo_bar", "x", "quoted"}, []string{"foo_bar", "x", "quoted"}},
		"🔥.重入攻撃 🚀🚀":                  {[]string{"🔥", "重入攻撃", "🚀", "🚀"}, []string{"🔥", "重入攻撃", "🚀", "🚀"}},
		"not\xffvalid \x00 e\u0301a": {[]string{"not", "valid", "e\u0301a"}, []string{"not", "valid", "e\u0301a"}},
		" \u200b \ufeff, ":           {},
		"":                           {},
	} {
		var words, joined []string
		for at, word := range Words(text) {
			if words = append(words, word); text[at:at+len(word)] != word {
				t.Errorf("%q: %q is not at %d", text, word, at)
			}
		}
		for _, word := range JoinedWords(text) {
			joined = append(joined, word)
		}
		if diff := cmp.Diff(want.words, words); diff != "" {
			t.Errorf("words of %q: %s", text, diff)
		}
		if diff := cmp.Diff(want.joined, joined); diff != "" {
			t.Errorf("joined words of %q: %s", text, diff)
		}
	}
}

func termsOf(text string) (terms []string) {
	Each(text, func(term string) { terms = append(terms, term) })
	return terms
}

// Stored signatures hold these terms: another answer here makes stored texts harder to find.
func TestTerms(t *testing.T) {
	t.Parallel()
	address := "0x" + strings.Repeat("Ab12", 10)
	for text, want := range map[string]string{
		"The oracle's price is stale":          "oracl pric stal",
		"withdraws, withdrawing and withdrawn": "withdraw withdraw withdrawn",
		"latestRoundData() NFTVault ERC20":     "latest round data nft vault erc 20",
		"foo_bar Pool.sol a::b":                "foo bar pool sol",
		"sent to eip155:1:" + address:          "sent eip 155 " + strings.ToLower(address),
		"🔥 重入攻撃 Überlauf":                      "重入攻撃 überlauf",
		"of the and":                           "",
		"not\xffvalid \x00 UTF-8":              "valid utf",
		"x y 7":                                "",
		"AAAA_bbbb__CCCC":                      "aaaa bbbb cccc",
		"v1.2.30 2024-05-01":                   "30 2024 05 01",
		"ab\u0301 \u200b \ufeff \u202e":        "ab\u0301",
		"reentrancy reentrancies":              "reentrancy reentranci",
		"Hash collisions, classes; use cases.": "hash collision class use case",
		"don't":                                "don",
	} {
		if got := strings.Join(termsOf(text), " "); got != want {
			t.Errorf("%q has the terms %q, want %q", text, got, want)
		}
	}
}

// A signature holds the terms that count most, the summary's first, and no more than it has room for.
func TestSignature(t *testing.T) {
	t.Parallel()
	many := ""
	for i := range 300 {
		many += " word" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "x"
	}
	read := ReadSignature(Sign("oracle", "pause pause"+many, "vault"))
	type use struct {
		hash              Hash
		inText, inSummary int
	}
	var uses []use
	read.Each(func(hash Hash, frequency, inSummary int) { uses = append(uses, use{hash, frequency, inSummary}) })
	if want := []use{{HashOf("oracl"), 3, 1}, {HashOf("paus"), 2, 0}}; !slices.Equal(uses[:2], want) || len(uses) != 128 || read.Len() != 128 {
		t.Errorf("%d terms, Len says %d, the first are %v, want 128, %v", len(uses), read.Len(), uses[:2], want)
	}
	var first []uint16
	read.EachFirst(func(_ int, hash uint16) { first = append(first, hash) })
	if want := []uint16{HashOf("oracl").First(), 0, HashOf("paus").First(), HashOf("paus").First()}; !slices.Equal(first[:4], want) || len(first) != 128 {
		t.Errorf("%d first terms, beginning with %v, want 128, %v", len(first), first[:4], want)
	}
	if a, b := HashOf("liquidat"), HashOf("liquidity"); a.Root() != b.Root() || a == b {
		t.Error("two terms of one root have different roots, or are one")
	}
	ReadSignature(Sign(strings.Repeat("stale ", 100))).Each(func(_ Hash, frequency, inSummary int) {
		if frequency != 31 || inSummary != 7 {
			t.Errorf("a hundred times is stored as %d and %d", frequency, inSummary)
		}
	})
	if got := Sign("the of", "and"); got != nil {
		t.Errorf("a text without terms has the signature %x", got)
	}
}

// Of equally frequent terms the longer come first, and of those as long the text's first.
func TestOrderOfASignature(t *testing.T) {
	t.Parallel()
	var got, want []Hash
	text := "pools twice once twice vaulted vaulter vault oracle liquidator liquidate vaultez"
	ReadSignature(Sign("", text)).Each(func(hash Hash, _, _ int) { got = append(got, hash) })
	for _, term := range strings.Fields("vault twic liquidator liquidat vaulter vaultez oracl pool once") {
		want = append(want, HashOf(term))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What is read may be anything: a document is as its writer left it.
func FuzzSignature(f *testing.F) {
	f.Add("oracle", "price is stale", []byte{0, 1, 9, 1, 2, 3})
	f.Fuzz(func(t *testing.T, summary, text string, coded []byte) {
		for _, read := range []Signature{ReadSignature(Sign(summary, text)), ReadSignature(coded)} {
			uses := 0
			read.Each(func(Hash, int, int) { uses++ })
			read.EachFirst(func(place int, _ uint16) {
				if place >= len(coded)+maxFirst {
					t.Errorf("a first term at %d", place)
				}
			})
			if uses != read.Len() {
				t.Errorf("%d terms, Len says %d", uses, read.Len())
			}
		}
	})
}

func BenchmarkSign(b *testing.B) {
	text := strings.Repeat("The withdraw() function of NFTVault reads latestRoundData without a check, so that a stale price liquidates users. ", 12)
	for i := range 200 {
		text += " word" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "x"
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Sign("Stale price liquidates users", text)
	}
}
