package main

import (
	"math"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// Settings of the training, set by hand, not searched, and the same for all folds.
const (
	minOrigins   = 5    // a word of fewer origins is a project's own
	strength     = 3.0  // the loss counts this many times the penalty (the usual C)
	originPower  = 0.5  // rows of an origin count n^-0.5 each: a large origin doesn't set what a category sounds like
	steps        = 120  // full-batch steps; the loss is flat before
	learningRate = 0.15 // of Adam
)

// learned are the categories with enough labelled origins. Rows of integration are learned as operational, which the model's
// cue words split (curator.Classify).
var learned = []lore.Category{lore.CategoryFailure, lore.CategoryInsight, lore.CategoryDiscovery, lore.CategoryOptimization,
	lore.CategorySecurity, lore.CategoryOperational, lore.CategoryMarket}

func target(category lore.Category) int {
	if category == lore.CategoryIntegration {
		category = lore.CategoryOperational
	}
	return slices.Index(learned, category)
}

// vocabulary returns the words of minOrigins or more origins.
func vocabulary(rows []row) map[string]bool {
	origins := map[string]map[string]bool{}
	for _, r := range rows {
		for _, feature := range r.features {
			if !isWord(feature.Name) {
				continue
			}
			if origins[feature.Name] == nil {
				origins[feature.Name] = map[string]bool{}
			}
			origins[feature.Name][r.Origin] = true
		}
	}
	words := map[string]bool{}
	for word, seen := range origins {
		if len(seen) >= minOrigins {
			words[word] = true
		}
	}
	return words
}

// rowWeights gives every category the same weight in all, and within it small origins more than their share.
func rowWeights(rows []row) []float64 {
	type part struct{ category, origin string }
	count := map[part]float64{}
	for _, r := range rows {
		count[part{r.Category, r.Origin}]++
	}
	weights, totals := make([]float64, len(rows)), make([]float64, len(learned))
	for i, r := range rows {
		weights[i] = math.Pow(count[part{r.Category, r.Origin}], -originPower)
		totals[target(lore.Category(r.Category))] += weights[i]
	}
	for i, r := range rows {
		weights[i] *= float64(len(rows)) / float64(len(learned)) / totals[target(lore.Category(r.Category))]
	}
	return weights
}

// train fits a multinomial logistic regression with a quadratic penalty, by Adam on all rows at once. Sums run in the rows'
// order, so the same data give the same model.
func train(rows []row) curator.CategoryModel {
	words := vocabulary(rows)
	index, names, examples := examplesOf(rows, words)
	classes := len(learned)
	weights, first, second := make([]float64, len(names)*classes), make([]float64, len(names)*classes), make([]float64, len(names)*classes)
	importance := rowWeights(rows)
	gradient, sums := make([]float64, len(weights)), make([]float64, classes)
	for step := 1; step <= steps; step++ {
		for i := range gradient {
			gradient[i] = weights[i] / strength
		}
		for c := range classes {
			gradient[index["shape:always"]*classes+c] = 0
		}
		for i, example := range examples {
			clear(sums)
			for _, e := range example {
				for c := range classes {
					sums[c] += weights[e.at*classes+c] * e.value
				}
			}
			softmax(sums)
			sums[target(lore.Category(rows[i].Category))]--
			for _, e := range example {
				for c := range classes {
					gradient[e.at*classes+c] += importance[i] * e.value * sums[c]
				}
			}
		}
		rate := learningRate * math.Sqrt(1-math.Pow(0.999, float64(step))) / (1 - math.Pow(0.9, float64(step)))
		rate *= 1 - 0.9*float64(step)/steps
		for i, g := range gradient {
			first[i] = 0.9*first[i] + 0.1*g
			second[i] = 0.999*second[i] + 0.001*g*g
			weights[i] -= rate * first[i] / (math.Sqrt(second[i]) + 1e-8)
		}
	}
	model := curator.CategoryModel{Categories: learned, Weights: map[string][]float64{}}
	for at, name := range names {
		model.Weights[name] = weights[at*classes : (at+1)*classes]
	}
	return model
}

type entry struct {
	at    int
	value float64
}

// examplesOf numbers the features in the order of their first appearance and normalises the known words of each row anew.
func examplesOf(rows []row, words map[string]bool) (map[string]int, []string, [][]entry) {
	index, names := map[string]int{"shape:always": 0}, []string{"shape:always"}
	examples := make([][]entry, len(rows))
	for i, r := range rows {
		norm := 0.0
		for _, feature := range r.features {
			if words[feature.Name] {
				norm += feature.Value * feature.Value
			}
		}
		norm = math.Sqrt(norm)
		examples[i] = []entry{{0, 1}}
		for _, feature := range r.features {
			value := feature.Value
			if isWord(feature.Name) {
				if !words[feature.Name] {
					continue
				}
				value /= norm
			}
			at, found := index[feature.Name]
			if !found {
				at = len(names)
				index[feature.Name], names = at, append(names, feature.Name)
			}
			examples[i] = append(examples[i], entry{at, value})
		}
	}
	return index, names, examples
}

func softmax(sums []float64) {
	largest, total := slices.Max(sums), 0.0
	for i := range sums {
		sums[i] = math.Exp(sums[i] - largest)
		total += sums[i]
	}
	for i := range sums {
		sums[i] /= total
	}
}
