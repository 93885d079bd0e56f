package index

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"agentlore/lore"
)

// A signature is what a search compares results by, without reading their text: the terms that an item uses most and its
// first terms in their order, hashed. Every searchable document has one, made here whenever the
// document is written:
//
//	2 bytes  the length of the text in words, those of the summary counted signatureSummary times
//	1 byte   the number of terms
//	4 bytes  a term: 16 bits of hash of its root, 8 of the rest, 5 of how often it stands in the text, 3 in the summary
//	2 bytes  one of the first terms, in their order: 16 bits of hash; 0 where a part of the text ends
//
// Of 5,100 terms of forty results one in 3,300 meets another's hash.
const (
	// signatureTerms is how many terms a signature holds at most. 128 of 50 results find more than 64 (web3-dups 0.377 to
	// 0.374, when that was tried).
	signatureTerms = 128
	// signatureOpening is how many of the first terms a signature holds at most, the summary's before all.
	signatureOpening = 128
	// signatureField is the field, of the source alone: a search reads it with the document.
	signatureField = "signature"
	headerBytes    = 3
	termBytes      = 4
	openingBytes   = 2
	frequencyBits  = 5
	maxFrequency   = 1<<frequencyBits - 1
	summaryBits    = 3
	maxSummary     = 1<<summaryBits - 1
	// A word of the summary counts as in the merged field.
	signatureSummary = 3
	// rootLength is how many letters of a term are its root. Roots find what endings keep apart: liquidator and liquidity.
	rootLength = 5
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

// signable is a document that says itself what its signature is made of: to read that back from its JSON takes long.
type signable interface{ signatureText() signatureText }

// encodeDocument returns a document as it is stored: of a searchable collection, with its signature.
func encodeDocument(alias string, document any) ([]byte, error) {
	body, err := json.Marshal(document)
	if err != nil || !searchableAlias(alias) {
		return body, err
	}
	var text signatureText
	if known, says := document.(signable); says {
		text = known.signatureText()
	} else if err := json.Unmarshal(body, &text); err != nil {
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
	whole := append(bytes.TrimSuffix(body, []byte("}")), `,"`+signatureField+`":"`...)
	return append(base64.StdEncoding.AppendEncode(whole, signature), `"}`...), nil
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
// says more. A text without terms has none.
func signatureOf(text signatureText) []byte {
	made := signatureMakers.Get().(*signatureMaker)
	defer made.release()
	made.add(text.Summary, true)
	made.add(text.Content, false)
	made.add(text.Resolution, false)
	made.add(text.Description, false)
	for _, tag := range text.Tags {
		made.add(tag, false)
	}
	if len(made.counts) == 0 {
		return nil
	}
	terms := made.ranked()
	terms = terms[:min(len(terms), signatureTerms)]
	coded := make([]byte, 0, headerBytes+termBytes*len(terms)+openingBytes*len(made.opening))
	coded = binary.BigEndian.AppendUint16(coded, uint16(min(made.words, math.MaxUint16)))
	coded = append(coded, byte(len(terms)))
	for _, ranked := range terms {
		t := &made.counts[ranked.place]
		frequencies := uint32(min(t.all, maxFrequency))<<summaryBits | uint32(min(t.summary, maxSummary))
		coded = binary.BigEndian.AppendUint32(coded, t.coded<<(frequencyBits+summaryBits)|frequencies)
	}
	for _, hash := range made.opening {
		coded = binary.BigEndian.AppendUint16(coded, hash)
	}
	return coded
}

// signature is a signature that can be read.
type signature struct {
	words   int    // length of the text
	terms   []byte // termBytes each
	opening []byte // openingBytes each
}

// readSignature reads a signature; of one that is cut short, what is there.
func readSignature(coded []byte) signature {
	if len(coded) < headerBytes {
		return signature{}
	}
	terms := min(int(coded[2])*termBytes, (len(coded)-headerBytes)/termBytes*termBytes)
	return signature{int(binary.BigEndian.Uint16(coded)), coded[headerBytes:][:terms], coded[headerBytes+terms:]}
}

// each calls a function for each term: its hash, how often it stands in the text, the summary counted signatureSummary
// times, and how often in the summary.
func (s signature) each(term func(hash uint32, frequency, summary int)) {
	for rest := s.terms; len(rest) >= termBytes; rest = rest[termBytes:] {
		coded := binary.BigEndian.Uint32(rest)
		term(coded>>(frequencyBits+summaryBits), int(coded>>summaryBits&maxFrequency), int(coded&maxSummary))
	}
}

// eachOpening calls a function for each of the first terms, in their order: its place and its hash, endOfPart between two parts.
func (s signature) eachOpening(term func(place int, hash uint16)) {
	for place := range len(s.opening) / openingBytes {
		term(place, binary.BigEndian.Uint16(s.opening[place*openingBytes:]))
	}
}
