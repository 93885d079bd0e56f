package curator

import (
	"cmp"
	"math"
	"slices"
)

// weighted is a term with its rarity and its weight in a cosine: rarity times 1 + ln(count).
type weighted struct {
	id             uint32
	rarity, weight float32
}

// weightedTerms are terms in order of id, with the sum of their rarities and the length of their weights.
type weightedTerms struct {
	terms       []weighted
	sum, length float64
}

// Vector is a profile weighed by the frequencies of a moment. It is read-only.
type Vector struct {
	title, titleGrams, titleNames, lead, prose, all, names, code, lines, numbers, files weightedTerms
	places                                                                              []codeLines
	contentLength, logReports                                                           float64
}

// Weigh weighs a profile by how rare its terms are now.
func (f *Frequencies) Weigh(p *Profile) *Vector {
	all, names, none := f.lookUp(p.all), f.lookUp(p.names), lookedUp{}
	return &Vector{
		title: f.weigh(p.title, all), titleGrams: unweighed(p.titleGrams), titleNames: f.weigh(p.titleNames, names),
		lead: f.weigh(p.lead, all), prose: f.weigh(p.prose, all), all: f.weigh(p.all, all), names: f.weigh(p.names, names), code: f.weigh(p.code, all),
		lines: f.weigh(p.lines, none), numbers: f.weigh(p.numbers, none), files: f.weigh(p.files, none), places: p.places,
		contentLength: float64(p.length + 1), logReports: math.Log(float64(f.reports) + 2),
	}
}

// lookedUp are terms with how rare each is.
type lookedUp struct {
	terms    []term
	rarities []float64
}

// lookUp looks terms up. Each is a step into 16 MiB of counters, which no cache holds, and most stand in several parts of a report.
func (f *Frequencies) lookUp(terms []term) lookedUp {
	found := lookedUp{terms, make([]float64, len(terms))}
	for i, t := range terms {
		found.rarities[i] = f.rarity(t.id)
	}
	return found
}

// weigh weighs terms, of which some may have been looked up.
func (f *Frequencies) weigh(terms []term, known lookedUp) weightedTerms {
	out := weightedTerms{terms: make([]weighted, len(terms))}
	squares := 0.0
	at := 0
	for i, t := range terms {
		for at < len(known.terms) && known.terms[at].id < t.id {
			at++
		}
		var rarity float64
		if at < len(known.terms) && known.terms[at].id == t.id {
			rarity = known.rarities[at]
		} else {
			rarity = f.rarity(t.id)
		}
		weight := rarity
		if t.count > 1 {
			weight = rarity * (1 + logOf(t.count))
		}
		out.terms[i] = weighted{t.id, float32(rarity), float32(weight)}
		out.sum += rarity
		squares += weight * weight
	}
	out.length = math.Sqrt(squares)
	return out
}

// logs are the logarithms of the counts that terms mostly have.
var logs = func() (logs [64]float64) {
	for i := range logs {
		logs[i] = math.Log(float64(i))
	}
	return logs
}()

func logOf(count int) float64 {
	if count < len(logs) {
		return logs[count]
	}
	return math.Log(float64(count))
}

// unweighed returns terms of which only the number matters: as rare as each other.
func unweighed(terms []term) weightedTerms {
	out := weightedTerms{terms: make([]weighted, len(terms))}
	for i, t := range terms {
		out.terms[i] = weighted{t.id, 1, 1}
	}
	return out
}

// overlap is what two lists of terms share.
type overlap struct {
	count                int
	sum, rarest, product float64 // of rarities, of rarities, of weights
}

func (a weightedTerms) shared(b weightedTerms) overlap {
	short, long := a.terms, b.terms
	if len(short) > len(long) {
		short, long = long, short
	}
	var o overlap
	if len(short)*manyTimes < len(long) {
		for _, x := range short {
			at, there := slices.BinarySearchFunc(long, x.id, func(y weighted, id uint32) int { return cmp.Compare(y.id, id) })
			if long = long[at:]; there {
				o.add(x, long[0])
			}
		}
		return o
	}
	for i, j := 0, 0; i < len(short) && j < len(long); {
		switch x, y := short[i].id, long[j].id; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			o.add(short[i], long[j])
			i++
			j++
		}
	}
	return o
}

// manyTimes is how many times longer one list must be for looking up the other's terms in it to be quicker than walking
// through both: a title in a whole report.
const manyTimes = 10

// add adds a term that both lists have. Its rarity is the same in both.
func (o *overlap) add(x, y weighted) {
	o.count++
	o.sum += float64(x.rarity)
	o.rarest = max(o.rarest, float64(x.rarity))
	o.product += float64(x.weight) * float64(y.weight)
}

// cosine is 0 (nothing shared) to 1 (the same), of two lists that share so much.
func cosine(shared overlap, a, b weightedTerms) float64 {
	return ratio(shared.product, a.length*b.length)
}

// coverage is the share of a, by rarity, that b has too.
func (a weightedTerms) coverage(b weightedTerms) float64 { return ratio(a.shared(b).sum, a.sum) }

// ratio is 0 where there is nothing to divide by.
func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}
