package index

import (
	"cmp"
	"math"
	"slices"
)

// What puts the first results in order. Elasticsearch finds them cheaply, by one field; here its best are looked at more
// closely, by their signatures. In Elasticsearch the same took two thirds of a search's time: a rescoring query looks up
// each word in each segment again, whatever its window. docs/search.md says how the weights were found.
const (
	// closerWindow is how many of the first results are put in order. Those behind them keep order and score, and nothing
	// here takes score away: pages by offset neither repeat nor skip at the edge.
	closerWindow = 50
	// summaryWeight rewards words of the one line that says what an item is about.
	summaryWeight = 0.28
	// presenceWeight rewards each word for being there at all, however often the text repeats others.
	presenceWeight = 0.09
	// rootWeight is for a word that is not there, when another of the same root is.
	rootWeight = 0.59
	// secondViewWeight is for how often a word stands in a text of its length, by another stemmer than the index's.
	secondViewWeight = 0.2
	// coverageWeight rewards the share of q that is there: two of two words count more than two of five.
	coverageWeight = 0.27
	// focusWeight rewards a summary that says little else than q.
	focusWeight = 0.45
	// closerPartWeight is what the parts of an identifier count here, against 1 of a word: they found the result, and say
	// less of which of the found is the best than the words around them.
	closerPartWeight = 0.75
	// pairWeight rewards two words of q that stand side by side in the text too.
	pairWeight = 0.9
)

// BM25's usual constants (Robertson and Zaragoza, 2009), for the second view.
const (
	saturation       = 1.2
	lengthShare      = 0.75
	focusSmoothing   = 2.0    // words added to a summary's length, so that one of a single word isn't all focus
	uncountedShare   = 0.0005 // of the documents that are taken to have a word whose number of documents is not known
	leastUncountedDF = 10
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
		var either soughtWord
		add := func(text string, weight float64, documents int64) {
			eachTerm(text, func(term string) {
				root := rootCounts
				if len(term) < minPrefix {
					root = rootNothing
				}
				either = append(either, soughtTerm{hashTerm(term), root, word.weight * weight * known.rarity(documents)})
			})
		}
		key, _ := word.key()
		if instead := s.spelling[key]; s.spelling.replaces(word.queryWord) {
			for _, near := range instead.near {
				add(near.text, near.weight, near.documents)
			}
			if instead.kept {
				add(key, 1, known.count[key])
			}
			if len(instead.prefix) >= rootLength {
				weight := word.weight * prefixWeight * known.rarity(known.in(known.prefixes, instead.prefix))
				either = append(either, soughtTerm{hashTerm(instead.prefix[:rootLength]), rootIsAll, weight})
			}
		} else {
			add(word.text, 1, known.in(known.count, word.countKey()))
		}
		if len(either) == 0 {
			continue
		}
		same := func(other soughtWord) bool { return other[0].hash == either[0].hash }
		if i := slices.IndexFunc(words, same); i >= 0 {
			if words[i][0].weight < either[0].weight {
				words[i] = either
			}
			continue
		}
		words = append(words, either)
	}
	return words
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

// closeness is what the closer look adds to a result's score, by its reasons.
type closeness struct{ summary, presence, roots, secondView, coverage, focus, pairs float64 }

// total weighs the reasons.
func (c closeness) total() float64 {
	return summaryWeight*c.summary + presenceWeight*c.presence + rootWeight*c.roots + secondViewWeight*c.secondView +
		coverageWeight*c.coverage + focusWeight*c.focus + pairWeight*c.pairs
}

// parts returns what each reason adds, by its name in explanations.
func (c closeness) parts() map[string]float64 {
	return map[string]float64{
		"summary": summaryWeight * c.summary, "presence": presenceWeight * c.presence, "roots": rootWeight * c.roots, "second_view": secondViewWeight * c.secondView,
		"coverage": coverageWeight * c.coverage, "focus": focusWeight * c.focus, "pairs": pairWeight * c.pairs,
	}
}

// lookCloser compares the words of q with the signatures of results. Lengths count against the mean of these results.
func lookCloser(words []soughtWord, signatures []signature) []closeness {
	seen := make([]closeness, len(signatures))
	if len(words) == 0 {
		return seen
	}
	whole, meanWords := 0.0, 0.0
	for _, word := range words {
		whole += word.best().weight
	}
	summaries := make([]float64, len(signatures))
	for i, signature := range signatures {
		signature.each(func(_ uint32, _, summary int) { summaries[i] += float64(summary) })
		meanWords += float64(signature.words) / float64(len(signatures))
	}
	for i, signature := range signatures {
		look, inSummary := &seen[i], 0.0
		textLength := 1 - lengthShare + lengthShare*float64(signature.words)/max(meanWords, 1)
		for _, word := range words {
			found := word.in(signature)
			look.presence += found.weight
			if found.summary > 0 {
				look.summary += found.weight
			}
			look.roots += max(0, found.rootWeight-found.weight)
			look.secondView += found.weight * saturated(found.frequency, textLength)
			inSummary += found.summary
		}
		for k := range len(words) - 1 {
			look.pairs += pairIn(words[k], words[k+1], signature)
		}
		look.coverage = look.presence * look.presence / whole
		look.focus = whole * inSummary / (summaries[i] + focusSmoothing)
	}
	return seen
}

// saturated is BM25's term frequency: a word that stands there twice says less than twice as much.
func saturated(frequency, length float64) float64 {
	return frequency * (1 + saturation) / (frequency + saturation*length)
}

// sighting is how a word of q stands in a text: the weights are those of the best of what it may stand for.
type sighting struct {
	weight, frequency, summary, rootWeight float64
}

// in looks for a word in a signature.
func (w soughtWord) in(signature signature) (found sighting) {
	signature.each(func(hash uint32, frequency, summary int) {
		for _, term := range w {
			sameRoot := hash>>restBits == term.hash>>restBits
			if hash == term.hash || sameRoot && term.root == rootIsAll {
				if term.weight > found.weight {
					found.weight, found.frequency = term.weight, float64(frequency)
				}
				found.summary = max(found.summary, float64(summary))
			}
			if sameRoot && term.root == rootCounts {
				found.rootWeight = max(found.rootWeight, term.weight)
			}
		}
	})
	return found
}

// best returns the term that weighs most.
func (w soughtWord) best() soughtTerm {
	return slices.MaxFunc(w, func(a, b soughtTerm) int { return cmp.Compare(a.weight, b.weight) })
}

// pairIn returns what two words of q that stand side by side are worth in a text: as much as the lighter of them.
func pairIn(a, b soughtWord, signature signature) (worth float64) {
	for _, first := range a {
		for _, second := range b {
			if least := min(first.weight, second.weight); least > worth && signature.hasPair(hashPair(first.hash, second.hash)) {
				worth = least
			}
		}
	}
	return worth
}
