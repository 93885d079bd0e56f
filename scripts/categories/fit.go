package main

import (
	"math"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// labels are the categories of the labelled reports. No report is labelled general or pattern.
var labels = []lore.Category{lore.CategoryFailure, lore.CategoryInsight, lore.CategoryDiscovery, lore.CategoryOptimization,
	lore.CategorySecurity, lore.CategoryIntegration, lore.CategoryOperational, lore.CategoryMarket}

// Settings of the fit, set by hand and the same for all folds.
const (
	penalty      = 0.003 // of a weight's square
	steps        = 300   // full-batch steps; the loss is flat before
	learningRate = 0.1   // of Adam
)

// rowWeights add up to 1. Within a category all origins count the same, and a category counts by the root of
// its origins.
func rowWeights(rows []row) []float64 {
	type part struct {
		category lore.Category
		origin   string
	}
	count, origins := map[part]float64{}, map[lore.Category]float64{}
	for _, r := range rows {
		count[part{r.Category, r.Origin}]++
	}
	for at := range count {
		origins[at.category]++
	}
	weights, sum := make([]float64, len(rows)), 0.0
	for i, r := range rows {
		weights[i] = 1 / count[part{r.Category, r.Origin}] / math.Sqrt(origins[r.Category])
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// fit fits a multinomial logistic regression whose categories share their weights, by Adam on all rows at once. The starts of the
// labelled categories have the mean 0, which those of the two others are measured from.
func fit(rows []row) curator.CategoryWeights {
	starts, evidence := len(labels), len(curator.CategoryEvidence{})
	places := make([]int, starts)
	for i, label := range labels {
		places[i] = slices.IndexFunc(lore.Categories(), func(use lore.CategoryUse) bool { return use.Value == label })
	}
	weights := make([]float64, starts+evidence)
	gradient, first, second := make([]float64, len(weights)), make([]float64, len(weights)), make([]float64, len(weights))
	shares, importance := make([]float64, starts), rowWeights(rows)
	for step := 1; step <= steps; step++ {
		for i, weight := range weights {
			gradient[i] = 2 * penalty * weight
		}
		for i, r := range rows {
			total := 0.0
			for c, place := range places {
				sum := weights[c]
				for j, value := range r.found[place] {
					sum += weights[starts+j] * value
				}
				shares[c] = math.Exp(sum)
				total += shares[c]
			}
			for c, place := range places {
				miss := shares[c] / total
				if labels[c] == r.Category {
					miss--
				}
				gradient[c] += importance[i] * miss
				for j, value := range r.found[place] {
					gradient[starts+j] += importance[i] * miss * value
				}
			}
		}
		rate := learningRate * math.Sqrt(1-math.Pow(0.999, float64(step))) / (1 - math.Pow(0.9, float64(step)))
		for i, g := range gradient {
			first[i], second[i] = 0.9*first[i]+0.1*g, 0.999*second[i]+0.001*g*g
			weights[i] -= rate * first[i] / (math.Sqrt(second[i]) + 1e-8)
		}
	}
	mean := 0.0
	for _, start := range weights[:starts] {
		mean += start / float64(starts)
	}
	fitted := curator.CategoryWeights{Start: map[lore.Category]float64{
		lore.CategoryPattern: curator.PatternStart, lore.CategoryGeneral: curator.GeneralStart}}
	for i, label := range labels {
		fitted.Start[label] = weights[i] - mean
	}
	copy(fitted.Evidence[:], weights[starts:])
	return fitted
}
