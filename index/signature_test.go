package index

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// termsOf returns the terms that a text's signature is made of.
func signatureTermsOf(text string) []string {
	terms := []string{}
	eachTerm(text, func(term string) { terms = append(terms, term) })
	slices.Sort(terms)
	return slices.Compact(terms)
}

func TestTermsOfASignature(t *testing.T) {
	t.Parallel()
	address := "0x" + strings.Repeat("Ab12", 10)
	for text, want := range map[string][]string{
		"The oracle's price is stale":          {"oracl", "pric", "stal"},
		"withdraws, withdrawing and withdrawn": {"withdraw", "withdrawn"},
		"latestRoundData() NFTVault ERC20":     {"20", "data", "erc", "latest", "nft", "round", "vault"},
		"foo_bar Pool.sol a::b":                {"bar", "foo", "pool", "sol"},
		"sent to " + address:                   {strings.ToLower(address), "sent"},
		"🔥 重入攻撃 Überlauf":                      {"überlauf", "重入攻撃"},
		"of the and":                           {},
		"not\xffvalid \x00 UTF-8":              {"utf", "valid"},
		"x y 7":                                {},
		"AAAA_bbbb__CCCC":                      {"aaaa", "bbbb", "cccc"},
		"v1.2.30 2024-05-01":                   {"01", "05", "2024", "30"},
		strings.Repeat("ab ", 3) + "\u0301":    {"ab"},
		"\u200b \ufeff \u202e":                 {},
		"reentrancy reentrancies":              {"reentranci", "reentrancy"},
		"Hash collisions, classes; use cases.": {"case", "class", "collision", "hash", "use"},
		"don't":                                {"don"},
	} {
		if diff := cmp.Diff(want, signatureTermsOf(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
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
	read := readSignature(signatureOf(signatureText{Summary: "oracle", Content: "pause pause" + many, Tags: []string{"vault"}}))
	if len(read.terms) != signatureTerms*termBytes || len(read.opening) != signatureOpening*openingBytes {
		t.Fatalf("%d bytes of terms, %d of the first ones", len(read.terms), len(read.opening))
	}
	if want := signatureSummary + 2 + 300 + 1; read.words != want {
		t.Errorf("%d words, want %d", read.words, want)
	}
	type counted struct {
		hash         uint32
		all, summary int
	}
	var terms []counted
	read.each(func(hash uint32, all, summary int) { terms = append(terms, counted{hash, all, summary}) })
	for i, want := range []counted{{hashTerm("oracl"), 3, 1}, {hashTerm("paus"), 2, 0}} {
		if terms[i] != want {
			t.Errorf("term %d is %v, want %v", i, terms[i], want)
		}
	}
	var opening []uint16
	read.eachOpening(func(_ int, hash uint16) { opening = append(opening, hash) })
	first := func(term string) uint16 { return hashOpening(hashTerm(term)) }
	if want := []uint16{first("oracl"), endOfPart, first("paus"), first("paus")}; !slices.Equal(opening[:4], want) {
		t.Errorf("the text begins with %v, want %v", opening[:4], want)
	}
	if hashTerm("liquidat")>>restBits != hashTerm("liquidity")>>restBits || hashTerm("liquidat") == hashTerm("liquidity") {
		t.Error("two terms of one root have different roots, or are one")
	}
	often := readSignature(signatureOf(signatureText{Summary: strings.Repeat("stale ", 100)}))
	often.each(func(_ uint32, all, summary int) {
		if all != maxFrequency || summary != maxSummary {
			t.Errorf("a hundred times is stored as %d and %d", all, summary)
		}
	})
	if got := signatureOf(signatureText{Summary: "the of"}); len(got) != 0 {
		t.Errorf("no terms have the signature %x", got)
	}
}

// Only searchable documents are signed, and one that is written again has the signature of its present text.
func TestEncodedDocument(t *testing.T) {
	t.Parallel()
	read := func(alias string, document any) map[string]any {
		t.Helper()
		body, err := encodeDocument(alias, document)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(body), `"signature"`) > 1 {
			t.Errorf("two signatures: %s", body)
		}
		var fields map[string]any
		if err := json.Unmarshal(body, &fields); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return fields
	}
	first := read("p-submissions", observed("oracle is stale", "price"))
	if want := base64.StdEncoding.EncodeToString(signatureOf(signatureText{Summary: "oracle is stale", Content: "price"})); first["signature"] != want {
		t.Errorf("signature %v, want %s", first["signature"], want)
	}
	first["summary"] = "vault is paused"
	second := read("p-submissions", first)
	if want := base64.StdEncoding.EncodeToString(signatureOf(signatureText{Summary: "vault is paused", Content: "price"})); second["signature"] != want || second["content"] != "price" {
		t.Errorf("signature %v, want %s", second["signature"], want)
	}
	if other := read("p-sources", map[string]string{"summary": "oracle"}); other["signature"] != nil {
		t.Errorf("a source has the signature %v", other["signature"])
	}
	if empty := read("p-assets", map[string]string{}); len(empty) != 0 {
		t.Errorf("nothing becomes %v", empty)
	}
}

// Of equally frequent terms the longer come first, and of those as long the alphabet's first.
func TestOrderOfASignature(t *testing.T) {
	t.Parallel()
	text := signatureText{Content: "pools twice once twice vaulted vaulter vault oracle liquidator liquidate vaultez"}
	var got []uint32
	readSignature(signatureOf(text)).each(func(hash uint32, _, _ int) { got = append(got, hash) })
	var want []uint32
	for _, term := range []string{"vault", "twic", "liquidator", "liquidat", "vaulter", "vaultez", "oracl", "once", "pool"} {
		want = append(want, hashTerm(term))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
