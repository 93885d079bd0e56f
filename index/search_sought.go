package index

import (
	"math"
	"slices"
)

// soughtWord is one word of q, as one of several terms in the signatures.
type soughtWord []soughtTerm

// soughtTerm is a term that a word of q may stand for.
type soughtTerm struct {
	hash   uint32
	root   rootUse
	weight float64
}

// rootUse is what terms of the same root are worth.
type rootUse int

const (
	rootCounts  rootUse = iota // a little
	rootNothing                // nothing: a word of two or three letters has no root
	rootIsAll                  // as much as the term: the word was cut short, and who knows where
)

// sought returns the words of q, each once however often q repeats it, with what they may stand for.
func (s search) sought(known vocabulary) []soughtWord {
	var words []soughtWord
	for _, word := range s.subject() {
		if word.compound() { // signatures have the parts
			continue
		}
		if word.weight == partWeight {
			word.weight = closerPartWeight
		}
		either := append(s.spelt(word, known), s.otherName(word, known)...)
		if len(either) == 0 {
			continue
		}
		same := func(other soughtWord) bool { return other[0].hash == either[0].hash }
		if i := slices.IndexFunc(words, same); i < 0 {
			words = append(words, either)
		} else if words[i][0].weight < either[0].weight {
			words[i] = either
		}
	}
	return words
}

// spelt returns a word as it was typed, or what it is read as instead.
func (s search) spelt(word weighted, known vocabulary) (either soughtWord) {
	key, _ := word.key()
	if !s.spelling.replaces(word.queryWord) {
		return soughtTerms(word.text, word.weight*known.rarity(known.in(known.count, word.countKey())))
	}
	instead := s.spelling[key]
	for _, near := range instead.near {
		either = append(either, soughtTerms(near.text, word.weight*near.weight*known.rarity(near.documents))...)
	}
	if instead.kept {
		either = append(either, soughtTerms(key, word.weight*known.rarity(known.count[key]))...)
	} else if len(either) > 0 { // texts may have another form of it: as good as the likeliest correction, but for its root
		either = append(either, soughtTerms(key, either.best().weight).rootless()...)
	}
	if len(instead.prefix) >= rootLength {
		weight := word.weight * prefixWeight * known.rarity(known.in(known.prefixes, instead.prefix))
		either = append(either, soughtTerm{hashTerm(instead.prefix[:rootLength]), rootIsAll, weight})
	}
	return either
}

// otherName returns what a word that is part of a name is in the thing's other name. It weighs as much as the word.
func (s search) otherName(word weighted, known vocabulary) soughtWord {
	thing, twice := s.twoNamesOf(word.queryWord)
	if !twice {
		return nil
	}
	other := thing.short
	if thing.typedShort() {
		other = thing.telling
	}
	return soughtTerms(other, word.weight*known.rarity(known.in(known.count, word.countKey()))).rootless()
}

// rootless returns the terms as ones whose roots are worth nothing.
func (w soughtWord) rootless() soughtWord {
	for i := range w {
		w[i].root = rootNothing
	}
	return w
}

// soughtTerms returns the terms of a text, all of one weight.
func soughtTerms(text string, weight float64) (terms soughtWord) {
	eachTerm(text, func(term string) {
		root := rootCounts
		if len(term) < minPrefix {
			root = rootNothing
		}
		terms = append(terms, soughtTerm{hashTerm(term), root, weight})
	})
	return terms
}

// in returns a number of documents, or a guess where none is known.
func (v vocabulary) in(counts map[string]int64, word string) int64 {
	if documents, counted := counts[word]; counted {
		return documents
	}
	return max(leastUncountedDF, int64(float64(v.documents)*uncountedShare))
}

// rarity is BM25's inverse document frequency.
func (v vocabulary) rarity(documents int64) float64 {
	all := float64(max(v.documents, documents))
	return math.Log(1 + (all-float64(documents)+0.5)/(float64(documents)+0.5))
}
