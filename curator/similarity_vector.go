package curator

import "math"

// part is some of a report's terms: those of its title, its lead or all.
type part struct {
	sum    float64 // of rarities
	square float64 // of weights: rarity times 1 + ln(count)
}

func (p *part) add(rarity, weight float64) {
	p.sum += rarity
	p.square += weight * weight
}

// Vector is a profile weighed by how rare its terms were at a moment. It is read-only.
type Vector struct {
	*Profile
	rarity                             []float32 // of each term
	title, lead, words, names, sources part
	logReports                         float64 // the greatest rarity
}

// Weigh weighs a profile by how rare its terms are now.
func (f *Frequencies) Weigh(p *Profile) *Vector {
	v := &Vector{Profile: p, rarity: make([]float32, len(p.terms)), logReports: f.rarest(p.project)}
	for i, t := range p.terms {
		v.rarity[i] = float32(f.rarity(p.project, t.id))
		rarity := float64(v.rarity[i])
		switch t.kind {
		case word:
			v.words.add(rarity, weight(rarity, t.all))
			if t.title > 0 {
				v.title.add(rarity, weight(rarity, t.title))
			}
			if t.lead > 0 {
				v.lead.add(rarity, weight(rarity, t.lead))
			}
		case name:
			v.names.add(rarity, weight(rarity, t.all))
		case file:
			v.sources.add(rarity, weight(rarity, t.all))
		}
	}
	return v
}

// weight is what a term that stands in a text so often weighs in a cosine.
func weight(rarity float64, count uint8) float64 { return rarity * logarithms[count] }

// logarithms are 1 + ln(count).
var logarithms = func() (l [math.MaxUint8 + 1]float64) {
	for count := range l {
		l[count] = 1 + math.Log(float64(count))
	}
	return l
}()

// shared is what a part of two reports shares.
type shared struct {
	sum, rarest, product float64 // of rarities, of rarities, of weights
}

func (s *shared) add(rarity float64, a, b uint8) {
	s.sum += rarity
	s.rarest = max(s.rarest, rarity)
	s.product += weight(rarity, a) * weight(rarity, b)
}

// cosine is 0 (nothing shared) to 1 (the same).
func (s shared) cosine(a, b part) float64 { return ratio(s.product, math.Sqrt(a.square*b.square)) }

// compared is what two reports share, found in one walk through the terms of both.
type compared struct {
	a, b                               *Vector
	title, lead, words, names, sources shared
	titleInOther, leadInOther          [2]float64 // sums of rarities of a's in b, of b's in a
}

func compare(a, b *Vector) *compared {
	c := &compared{a: a, b: b}
	for i, j := 0, 0; i < len(a.terms) && j < len(b.terms); {
		switch x, y := a.terms[i], b.terms[j]; {
		case x.id < y.id:
			i++
		case x.id > y.id:
			j++
		default:
			c.add(float64(min(a.rarity[i], b.rarity[j])), x, y)
			i++
			j++
		}
	}
	return c
}

// add adds a term that both reports have.
func (c *compared) add(rarity float64, a, b term) {
	switch a.kind {
	case word:
		c.words.add(rarity, a.all, b.all)
		if a.title > 0 && b.title > 0 {
			c.title.add(rarity, a.title, b.title)
		}
		if a.lead > 0 && b.lead > 0 {
			c.lead.add(rarity, a.lead, b.lead)
		}
		for k, t := range [2]term{a, b} {
			if t.title > 0 {
				c.titleInOther[k] += rarity
			}
			if t.lead > 0 {
				c.leadInOther[k] += rarity
			}
		}
	case name:
		c.names.add(rarity, a.all, b.all)
	case file:
		c.sources.add(rarity, a.all, b.all)
	}
}

// covered are the shares of a part of each report, by rarity, that the other has too.
func covered(in [2]float64, a, b part) (least, most float64) {
	x, y := ratio(in[0], a.sum), ratio(in[1], b.sum)
	return min(x, y), max(x, y)
}

// nearLines is the distance, in lines, at which two places in a file are 1/e near: about the length of a function.
const nearLines = 20

// comparePlaces returns how much the best two places share (intersection over union of lines, smoothed by one) and how
// near the nearest two are.
func comparePlaces(a, b []codePlace) (overlap, near float64) {
	nearest := math.Inf(1)
	for _, x := range a {
		for _, y := range b {
			if x.file != y.file {
				continue
			}
			common := float64(min(x.to, y.to) - max(x.from, y.from) + 1)
			if common <= 0 {
				nearest = min(nearest, 1-common)
				continue
			}
			nearest = 0
			overlap = max(overlap, (common+1)/(float64(max(x.to, y.to)-min(x.from, y.from))+2))
		}
	}
	return overlap, math.Exp(-nearest / nearLines)
}

// ratio is 0 where there is nothing to divide by.
func ratio(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}
