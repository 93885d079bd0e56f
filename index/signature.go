package index

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentlore/lore"
)

// A signature is what a search compares results by, without reading their text: the terms that an item uses most, hashed.
// Every searchable document has one, made here whenever the document is written. A term takes three bytes, 20 bits of hash
// and 4 bits of how often it stands in the text. Of 3,200 terms of fifty results one in 300 meets another's hash.
const (
	// signatureTerms is how many terms a signature holds at most. Measured on labelled queries: 32 gain two thirds of what
	// 64 do, 128 gain less than 64.
	signatureTerms = 64
	// signatureField is the stored field.
	signatureField = "signature"
	termBytes      = 3
	frequencyBits  = 4
	maxFrequency   = 1<<frequencyBits - 1
	// A word of the summary counts as in the merged field.
	signatureSummary = 3
)

// signatureText is what of a document its signature is made of.
type signatureText struct {
	Summary     string   `json:"summary"`
	Content     string   `json:"content"`
	Resolution  string   `json:"resolution"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Signature   *string  `json:"signature"` // of an earlier writing
}

// encodeDocument returns a document as it is stored: of a searchable collection, with its signature.
func encodeDocument(alias string, document any) ([]byte, error) {
	body, err := json.Marshal(document)
	if err != nil || !searchableAlias(alias) {
		return body, err
	}
	var text signatureText
	if err := json.Unmarshal(body, &text); err != nil {
		return nil, fmt.Errorf("read what to sign: %w", err)
	}
	if text.Signature != nil {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(body, &fields); err != nil {
			return nil, err
		}
		delete(fields, signatureField)
		if body, err = json.Marshal(fields); err != nil {
			return nil, err
		}
	}
	signature := signatureOf(text)
	if len(signature) == 0 {
		return body, nil
	}
	whole := bytes.NewBuffer(bytes.TrimSuffix(body, []byte("}")))
	fmt.Fprintf(whole, `,%q:%q}`, signatureField, base64.StdEncoding.EncodeToString(signature))
	return whole.Bytes(), nil
}

// signed returns the fields that a change sets, with the signature of their text where they have one. A change that sets
// a summary sets all of the text.
func signed(collection lore.Collection, set map[string]any) (map[string]any, error) {
	if _, has := set["summary"]; !has || !searchableAlias("-"+string(collection)) {
		return set, nil
	}
	body, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	var text signatureText
	if err := json.Unmarshal(body, &text); err != nil {
		return nil, fmt.Errorf("read what to sign: %w", err)
	}
	set = maps.Clone(set)
	set[signatureField] = base64.StdEncoding.EncodeToString(signatureOf(text))
	return set, nil
}

// searchableAlias reports whether an alias is that of a collection that searches read.
func searchableAlias(alias string) bool {
	return slices.ContainsFunc(lore.SearchTypes(), func(searchable lore.SearchType) bool {
		return strings.HasSuffix(alias, "-"+string(searchable.Collection))
	})
}

// signatureOf returns the signature of a text, the most frequent terms first; of equally frequent ones the longer, which
// says more.
func signatureOf(text signatureText) []byte {
	counts := map[string]int{}
	addTerms(counts, text.Summary, signatureSummary)
	for _, part := range append([]string{text.Content, text.Resolution, text.Description}, text.Tags...) {
		addTerms(counts, part, 1)
	}
	type counted struct {
		term  string
		count int
	}
	terms := make([]counted, 0, len(counts))
	for term, count := range counts {
		terms = append(terms, counted{term, count})
	}
	slices.SortFunc(terms, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(len(b.term), len(a.term)), cmp.Compare(a.term, b.term))
	})
	terms = terms[:min(len(terms), signatureTerms)]
	signature := make([]byte, 0, termBytes*len(terms))
	for _, t := range terms {
		coded := hashTerm(t.term)<<frequencyBits | uint32(min(t.count, maxFrequency))
		signature = append(signature, byte(coded>>16), byte(coded>>8), byte(coded))
	}
	return signature
}

// hashTerm returns 20 bits.
func hashTerm(term string) uint32 {
	hash := fnv.New32a()
	hash.Write([]byte(term))
	sum := hash.Sum32()
	return (sum ^ sum>>20) & (1<<20 - 1)
}

// addTerms counts the terms of a text: the parts of its words, without endings. An encoded value is one term.
func addTerms(counts map[string]int, text string, weight int) {
	for from, to := nextToken(text, 0); from < len(text); from, to = nextToken(text, to) {
		word := text[from:to]
		if isWhole(word) {
			counts[strings.ToLower(word)] += weight
			continue
		}
		for start, end := nextPart(word, 0); start < len(word); start, end = nextPart(word, end) {
			part := strings.ToLower(word[start:end])
			if utf8.RuneCountInString(part) > 1 && !stopWords[part] {
				counts[withoutEnding(part)] += weight
			}
		}
	}
}

// nextPart returns where the next part of a word begins and ends: letters of one case, after a capital perhaps, or digits.
func nextPart(word string, from int) (start, end int) {
	kind, length := 0, 0
	start = len(word)
	for i, r := range word[from:] {
		at := from + i
		next := kindOfRune(r)
		switch {
		case kind == 0 && next == 0:
			continue
		case kind == 0:
			start = at
		case next == kind, kind == upper && next == lower && length == 1:
		case kind == upper && next == lower: // the last capital of several begins the next part: NFTVault
			_, size := utf8.DecodeLastRuneInString(word[start:at])
			return start, at - size
		default:
			return start, at
		}
		kind = next
		length++
	}
	return start, len(word)
}

// Kinds of runes within a word; 0 joins two parts.
const (
	lower = iota + 1
	upper
	digit
)

func kindOfRune(r rune) int {
	switch {
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return 0
}

// withoutEnding takes the commonest English endings off, without a dictionary: here a wrong stem only makes two texts a
// little more or less alike.
func withoutEnding(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if stem, has := strings.CutSuffix(word, ending); has && len(stem) >= 4 {
			return stem
		}
	}
	if stem, has := strings.CutSuffix(word, "e"); has && len(stem) >= 4 {
		return stem
	}
	return word
}
