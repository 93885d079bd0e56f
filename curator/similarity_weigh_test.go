package curator

import (
	"math"
	"testing"
)

// Weighing gives what the formula says, whichever way a term's rarity was found: rarity times 1 + ln(count), to the last bit.
func TestWeighingIsTheFormula(t *testing.T) {
	t.Parallel()
	var f Frequencies
	profiles := []*Profile{NewProfile(harvest), NewProfile(harvestToo)}
	for i := range 9_000 { // beyond the counts that are kept
		f.Add(profiles[i%2])
		if i == 3 {
			f.Weigh(profiles[0]) // rarities are of the moment
		}
	}
	f.Add(NewProfile(harvest))
	for _, p := range profiles {
		v := f.Weigh(p)
		for name, part := range map[string]struct {
			terms []term
			got   weightedTerms
		}{
			"title": {p.title, v.title}, "title names": {p.titleNames, v.titleNames}, "lead": {p.lead, v.lead}, "prose": {p.prose, v.prose},
			"all": {p.all, v.all}, "names": {p.names, v.names}, "code": {p.code, v.code}, "lines": {p.lines, v.lines}, "numbers": {p.numbers, v.numbers}, "files": {p.files, v.files},
		} {
			if len(part.got.terms) != len(part.terms) {
				t.Fatalf("%s: %d terms of %d", name, len(part.got.terms), len(part.terms))
			}
			sum, squares := 0.0, 0.0
			for i, one := range part.terms {
				first, second := f.places(one.id)
				rarity := math.Log((1 + float64(f.reports)) / (0.5 + float64(max(1, min(f.rows[0][first], f.rows[1][second])))))
				weight := rarity * (1 + math.Log(float64(one.count)))
				if want := (weighted{one.id, float32(rarity), float32(weight)}); part.got.terms[i] != want {
					t.Errorf("%s: %v, want %v", name, part.got.terms[i], want)
				}
				sum += rarity
				squares += weight * weight
			}
			if part.got.sum != sum || part.got.length != math.Sqrt(squares) {
				t.Errorf("%s: sum %v length %v, want %v %v", name, part.got.sum, part.got.length, sum, math.Sqrt(squares))
			}
		}
	}
}
