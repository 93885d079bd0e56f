package curator

import (
	"math/rand/v2"
	"testing"
)

// What two lists share is the same whichever way it is found, whichever list is the longer, and both ways round.
func TestSharedTermsAreFoundEitherWay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	list := func(length int, step uint32) (w weightedTerms) {
		id := uint32(0)
		for range length {
			id += 1 + random.Uint32N(step)
			w.terms = append(w.terms, weighted{id, float32(id%7) + 1, float32(id%5) + 1})
		}
		return w
	}
	found := 0
	for range 2000 {
		a, b := list(random.IntN(40), 5), list(random.IntN(900), 3)
		var want overlap
		for _, x := range a.terms {
			for _, y := range b.terms {
				if x.id == y.id {
					want.count++
					want.sum += float64(x.rarity)
					want.rarest = max(want.rarest, float64(x.rarity))
					want.product += float64(x.weight) * float64(y.weight)
				}
			}
		}
		found += want.count
		if got := a.shared(b); got != want {
			t.Fatalf("%d and %d terms share %v, want %v", len(a.terms), len(b.terms), got, want)
		}
		if got := b.shared(a); got != want {
			t.Fatalf("the other way round: %v, want %v", got, want)
		}
	}
	if found < 1000 {
		t.Errorf("only %d terms were shared", found)
	}
}
