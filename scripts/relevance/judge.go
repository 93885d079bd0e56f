package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// depth is how many results are judged.
const depth = 10

// ndcg returns the normalised discounted cumulative gain of the first ten, with the gain 2^grade - 1.
func ndcg(found []string, grades map[string]int) float64 {
	sum, ideal := 0.0, 0.0
	for i, id := range found[:min(len(found), depth)] {
		if !slices.Contains(found[:i], id) {
			sum += gain(grades[id], i)
		}
	}
	best := make([]int, 0, len(grades))
	for _, grade := range grades {
		best = append(best, grade)
	}
	slices.SortFunc(best, func(a, b int) int { return b - a })
	for i, grade := range best[:min(len(best), depth)] {
		ideal += gain(grade, i)
	}
	if ideal == 0 {
		return 0
	}
	return sum / ideal
}

func gain(grade, rank int) float64 {
	return (math.Exp2(float64(grade)) - 1) / math.Log2(float64(rank)+2)
}

// hits reports whether an answer is among the first ten.
func hits(found []string, grades map[string]int) bool {
	return slices.ContainsFunc(found[:min(len(found), depth)], func(id string) bool { return grades[id] > 0 })
}

// changes are what is done to queries to see how much search forgives.
var changes = map[string]func(string, *rand.Rand) string{
	"typo":    misspell,
	"cut":     func(text string, random *rand.Rand) string { return cutShort(text, random, false) },
	"cut-all": func(text string, random *rand.Rand) string { return cutShort(text, random, true) },
}

// Words of so many letters are misspelt, and cut to at least minKept letters.
const (
	minMisspelt = 5
	minCut      = 6
	minKept     = 4
)

// misspell puts one typing error into every long word: a letter left out, swapped with the next, added or wrong. The first
// letter stays.
func misspell(text string, random *rand.Rand) string {
	words := strings.Fields(text)
	for i, word := range words {
		if len(word) < minMisspelt || !letters(word) {
			continue
		}
		at, other := 1+random.IntN(len(word)-1), string(rune('a'+random.IntN(26)))
		switch kind := random.IntN(4); {
		case kind == 0:
			word = word[:at] + word[at+1:]
		case kind == 1 && at+1 < len(word):
			word = word[:at] + word[at+1:at+2] + word[at:at+1] + word[at+2:]
		case kind == 2:
			word = word[:at] + other + word[at:]
		default:
			word = word[:at] + other + word[at+1:]
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

// cutShort leaves the beginning of every long word, or of the longest alone.
func cutShort(text string, random *rand.Rand, every bool) string {
	words := strings.Fields(text)
	var long []int
	for i, word := range words {
		if len(word) >= minCut && letters(word) {
			long = append(long, i)
		}
	}
	if !every && len(long) > 0 {
		long = []int{slices.MaxFunc(long, func(a, b int) int { return len(words[a]) - len(words[b]) })}
	}
	for _, i := range long {
		words[i] = words[i][:minKept+random.IntN(len(words[i])-minKept)]
	}
	return strings.Join(words, " ")
}

// letters reports whether a word is of plain letters alone.
func letters(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
}

// judgement is what one collection's queries reach.
type judgement struct {
	name    string
	queries int
	gains   []float64          // nDCG@10 of each query as it is
	mean    map[string]float64 // nDCG@10 by mode; "" as they are
	hit     float64            // share of queries with an answer among the first ten
	kept    map[string]float64 // by mode: of the queries that hit, the share that still does
}

// judge runs a collection's queries in every mode.
func judge(ctx context.Context, o options, set collection) (judgement, error) {
	j := judgement{name: set.name, queries: len(set.queries), mean: map[string]float64{}, kept: map[string]float64{}}
	s, err := open(ctx, o, set)
	if err != nil {
		return j, err
	}
	defer s.stop()
	var hit []bool
	for _, mode := range append([]string{""}, o.modes...) {
		search, change := s.search, changes[mode]
		if mode == "stock" {
			if search, err = s.stock(ctx, set); err != nil {
				return j, err
			}
		}
		found := make([][]string, len(set.queries))
		random := rand.New(rand.NewPCG(11, 0))
		texts := make([]string, len(set.queries))
		for i, one := range set.queries {
			if texts[i] = one.Text; change != nil {
				texts[i] = shorten(change(one.Text, random))
			}
		}
		if err := each(len(texts), func(i int) (err error) {
			found[i], err = search(ctx, texts[i])
			return err
		}); err != nil {
			return j, err
		}
		var gains []float64
		total, kept := 0.0, 0
		for i, one := range set.queries {
			gains = append(gains, ndcg(found[i], one.grades))
			total += gains[i]
			if mode == "" {
				hit = append(hit, hits(found[i], one.grades))
			} else if hit[i] && hits(found[i], one.grades) {
				kept++
			}
		}
		j.mean[mode] = total / float64(len(gains))
		count := 0
		for _, is := range hit {
			if is {
				count++
			}
		}
		j.kept[mode] = float64(kept) / float64(max(count, 1))
		if mode == "" {
			j.gains, j.hit = gains, float64(count)/float64(len(hit))
		}
		fmt.Fprintf(os.Stderr, "%s %s: nDCG@10 %.4f\n", set.name, mode, j.mean[mode])
	}
	return j, nil
}

// atOnce is how many searches are under way.
const atOnce = 4

// each runs n jobs, a few at once, and returns the first error.
func each(n int, job func(int) error) error {
	var wait sync.WaitGroup
	var once sync.Once
	var failed error
	next := make(chan int)
	for range atOnce {
		wait.Go(func() {
			for i := range next {
				if err := job(i); err != nil {
					once.Do(func() { failed = err })
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
	return failed
}
