package terms

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// A signature is what texts are compared by without reading them: the terms that a text uses most and its first terms in their
// order, hashed. It is stored beside the text:
//
//	2 bytes  the length of the text in terms, those of the summary counted summaryWeight times
//	1 byte   the number of terms
//	4 bytes  a term: 24 bits of hash, 5 of how often it stands in the text, 3 in the summary
//	2 bytes  one of the first terms, in their order: 16 bits of hash; 0 where a part of the text ends
const (
	// maxTerms is how many terms a signature holds. With 128, nDCG@10 of a search's order is 0.377 (web3-dups), with 64 0.374.
	maxTerms = 128
	// maxFirst is how many of the first terms a signature holds, the summary's before all.
	maxFirst      = 128
	headerBytes   = 3
	termBytes     = 4
	firstBytes    = 2
	frequencyBits = 5
	maxFrequency  = 1<<frequencyBits - 1
	summaryBits   = 3
	maxSummary    = 1<<summaryBits - 1
	summaryWeight = 3 // as in the merged field of the index
	endOfPart     = 0 // what stands on both sides of it isn't side by side
)

// RootLength is how many letters of a term are its root. Roots find what endings keep apart: liquidator and liquidity.
const RootLength = 5

// Hash stands for a term in a signature: 16 bits of its root, then 8 of the whole term. Of 5,100 terms of forty texts one in 3,300
// meets another's hash.
type Hash uint32

const (
	rootBits = 16
	restBits = 8
)

// HashOf returns the hash of a term.
func HashOf(term string) Hash {
	root, letters := term, 0
	for i := range term {
		if letters == RootLength {
			root = term[:i]
			break
		}
		letters++
	}
	return Hash(Checksum(root)&(1<<rootBits-1)<<restBits | Checksum(term)>>8&(1<<restBits-1))
}

// Root returns the part of the hash that all terms of a root share.
func (h Hash) Root() uint16 { return uint16(h >> restBits) }

// First returns what stands for the term among the first ones.
func (h Hash) First() uint16 {
	const spread = 0x9e3779b1 // Knuth's multiplicative hashing
	return max(uint16(uint32(h)*spread>>16), endOfPart+1)
}

// Checksum returns FNV-1a of a text, folded so that its lower bits depend on all of it.
func Checksum(text string) uint32 {
	sum := uint32(2166136261)
	for i := range len(text) {
		sum = (sum ^ uint32(text[i])) * 16777619
	}
	return sum ^ sum>>16
}

// Sign returns the signature of a text: a summary and further parts. Its terms are the most frequent ones; of equally frequent
// ones the longer, which say more; of those the text's first. It is nil for a text without terms.
func Sign(summary string, parts ...string) []byte {
	s := signer{counts: make([]termCount, 0, usualTerms), places: make(map[string]int, usualTerms), first: make([]uint16, 0, maxFirst)}
	s.add(summary, true)
	for _, part := range parts {
		s.add(part, false)
	}
	if len(s.counts) == 0 {
		return nil
	}
	slices.SortStableFunc(s.counts, func(a, b termCount) int {
		return cmp.Or(cmp.Compare(b.frequency, a.frequency), cmp.Compare(len(b.term), len(a.term)))
	})
	terms := s.counts[:min(len(s.counts), maxTerms)]
	coded := make([]byte, 0, headerBytes+termBytes*len(terms)+firstBytes*len(s.first))
	coded = binary.BigEndian.AppendUint16(coded, uint16(min(s.length, math.MaxUint16)))
	coded = append(coded, byte(len(terms)))
	for _, t := range terms {
		frequencies := uint32(min(t.frequency, maxFrequency))<<summaryBits | uint32(min(t.inSummary, maxSummary))
		coded = binary.BigEndian.AppendUint32(coded, uint32(t.hash)<<(frequencyBits+summaryBits)|frequencies)
	}
	for _, hash := range s.first {
		coded = binary.BigEndian.AppendUint16(coded, hash)
	}
	return coded
}

// usualTerms is up to how many terms a text of usual length has.
const usualTerms = 256

// signer counts the terms of a text.
type signer struct {
	counts []termCount
	places map[string]int // of each term in counts
	length int
	first  []uint16
}

// termCount is how often a term stands in a text, and in its summary.
type termCount struct {
	term                 string
	hash                 Hash
	frequency, inSummary int
}

// add counts the terms of a part of the text.
func (s *signer) add(text string, summary bool) {
	addFirst := func(hash uint16) {
		if len(s.first) < maxFirst {
			s.first = append(s.first, hash)
		}
	}
	if len(s.first) > 0 {
		addFirst(endOfPart)
	}
	Each(text, func(term string) {
		place, known := s.places[term]
		if !known {
			place = len(s.counts)
			s.places[term] = place
			s.counts = append(s.counts, termCount{term: term, hash: HashOf(term)})
		}
		count, weight := &s.counts[place], 1
		if summary {
			count.inSummary++
			weight = summaryWeight
		}
		count.frequency += weight
		s.length += weight
		addFirst(count.hash.First())
	})
}

// Signature is a signature that can be read.
type Signature struct {
	terms []byte // termBytes each
	first []byte // firstBytes each
}

// ReadSignature reads a signature; of one that is cut short, what is there.
func ReadSignature(coded []byte) Signature {
	if len(coded) < headerBytes {
		return Signature{}
	}
	terms := min(int(coded[2])*termBytes, (len(coded)-headerBytes)/termBytes*termBytes)
	return Signature{coded[headerBytes:][:terms], coded[headerBytes+terms:]}
}

// Len returns the number of terms, at most 128.
func (s Signature) Len() int { return len(s.terms) / termBytes }

// Each calls a function for each term: its hash, how often it stands in the text (up to 31, those of the summary counted three
// times), and how often in the summary (up to 7).
func (s Signature) Each(visit func(hash Hash, frequency, inSummary int)) {
	for rest := s.terms; len(rest) >= termBytes; rest = rest[termBytes:] {
		coded := binary.BigEndian.Uint32(rest)
		visit(Hash(coded>>(frequencyBits+summaryBits)), int(coded>>summaryBits&maxFrequency), int(coded&maxSummary))
	}
}

// EachFirst calls a function for each of the text's first terms, 128 at most, in their order: its place, and its Hash's First; 0
// stands between two parts of the text.
func (s Signature) EachFirst(visit func(place int, first uint16)) {
	for place := range len(s.first) / firstBytes {
		visit(place, binary.BigEndian.Uint16(s.first[place*firstBytes:]))
	}
}
