package index

// opening looks for the words of q among the first terms of texts, one text after the other.
type opening struct {
	words  [][]openingTerm
	may    [1 << openingMayBits / 64]uint64 // which hashes may be of q, by their last bits
	place  []int                            // of each word: where it came first, or notSeen
	weight []float64                        // of each word: what it weighs there
	before []float64                        // of each word: what it weighs at the place before, 0 if it isn't there
	here   []float64                        // the same of the present place
	pairs  []float64                        // of each word and the next: the best that they weigh side by side
}

// openingTerm is a term that a word of q may stand for.
type openingTerm struct {
	hash   uint16
	weight float64
}

const (
	openingMayBits = 12
	notSeen        = -1
)

func newOpening(words []soughtWord) *opening {
	n := len(words)
	o := &opening{
		words: make([][]openingTerm, n), place: make([]int, n), weight: make([]float64, n),
		before: make([]float64, n), here: make([]float64, n), pairs: make([]float64, n),
	}
	for i, word := range words {
		for _, term := range word {
			if term.root == rootIsAll { // the hash of a root is no term's
				continue
			}
			hash := hashOpening(term.hash)
			o.words[i] = append(o.words[i], openingTerm{hash, term.weight})
			bit := hash & (1<<openingMayBits - 1)
			o.may[bit/64] |= 1 << (bit % 64)
		}
	}
	return o
}

// in returns how early a text speaks of the words of q, and which of them that stand side by side in q do so there: the weight
// of each word, less the later it comes first; of each two neighbours, the weight of the lighter.
func (o *opening) in(signature signature) (early, pairs float64) {
	clear(o.pairs)
	clear(o.before)
	for i := range o.place {
		o.place[i] = notSeen
	}
	follows := false // something of q stands at the place before
	signature.eachOpening(func(place int, hash uint16) {
		bit := hash & (1<<openingMayBits - 1)
		if o.may[bit/64]>>(bit%64)&1 == 0 {
			follows = false
			return
		}
		o.see(place, hash, follows)
		follows = true
	})
	for i, place := range o.place {
		if place != notSeen {
			early += o.weight[i] / (1 + float64(place)/openingHalf)
		}
		pairs += o.pairs[i]
	}
	return early, pairs
}

// see takes a term into account that may be of q. It follows another one, or o.before is out of date.
func (o *opening) see(place int, hash uint16, follows bool) {
	for i, word := range o.words {
		o.here[i] = 0
		for _, term := range word {
			if term.hash == hash {
				o.here[i] = max(o.here[i], term.weight)
			}
		}
		if o.here[i] == 0 {
			continue
		}
		if o.place[i] == notSeen {
			o.place[i], o.weight[i] = place, o.here[i]
		}
		if follows && i > 0 {
			o.pairs[i-1] = max(o.pairs[i-1], min(o.before[i-1], o.here[i]))
		}
	}
	o.before, o.here = o.here, o.before
}
