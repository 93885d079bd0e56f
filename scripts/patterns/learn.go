package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"agentlore/curator"
)

// How the weights are learned: gradient boosting of shallow trees on the log-loss, with Newton steps. A hundred trees of
// three questions, each taking a tenth of the step, reach what deeper ones do on contests that they have not seen.
const (
	rounds     = 100
	depth      = 3
	rate       = 0.1
	penalty    = 5.0 // on a leaf's size: added to its second derivatives
	leastMass  = 3.0 // of second derivatives in a leaf
	bins       = 32  // thresholds tried for a feature are quantiles
	sampleStep = 7   // every seventh value is enough for quantiles
)

// sample is a compared pair.
type sample struct {
	features []float64
	same     bool
}

// learner is the state of boosting.
type learner struct {
	names            []string
	edges            [][]float64 // of each feature: its thresholds, rising
	bin              [][]uint8   // of each feature and sample
	gradient, second []float64
}

// learn fits a similarity to samples. It depends on them and their order only.
func learn(samples []sample) *curator.Similarity {
	l := &learner{names: curator.FeatureNames(), gradient: make([]float64, len(samples)), second: make([]float64, len(samples))}
	positive := 0.0
	for _, s := range samples {
		if s.same {
			positive++
		}
	}
	l.quantise(samples)
	model := &curator.Similarity{Bias: round(math.Log(positive / (float64(len(samples)) - positive)))}
	odds := make([]float64, len(samples))
	everything := make([]int, len(samples))
	for i := range odds {
		odds[i], everything[i] = model.Bias, i
	}
	for range rounds {
		for i, s := range samples {
			p := 1 / (1 + math.Exp(-odds[i]))
			l.gradient[i], l.second[i] = -p, p*(1-p)
			if s.same {
				l.gradient[i]++
			}
		}
		model.Trees = append(model.Trees, l.grow(slices.Clone(everything), depth, odds))
	}
	return model
}

// quantise sets each feature's thresholds and every sample's place among them.
func (l *learner) quantise(samples []sample) {
	l.edges, l.bin = make([][]float64, len(l.names)), make([][]uint8, len(l.names))
	for f := range l.names {
		var values []float64
		for i := 0; i < len(samples); i += sampleStep {
			values = append(values, samples[i].features[f])
		}
		slices.Sort(values)
		for b := 1; b < bins; b++ {
			edge := round(values[b*(len(values)-1)/bins])
			if edges := l.edges[f]; len(edges) == 0 || edge > edges[len(edges)-1] {
				l.edges[f] = append(edges, edge)
			}
		}
		l.bin[f] = make([]uint8, len(samples))
		for i, s := range samples {
			for int(l.bin[f][i]) < len(l.edges[f]) && s.features[f] >= l.edges[f][l.bin[f][i]] {
				l.bin[f][i]++
			}
		}
	}
}

// grow makes a tree of the samples that are in, and adds its answers to their odds.
func (l *learner) grow(in []int, levels int, odds []float64) *curator.Tree {
	g, h := 0.0, 0.0
	for _, i := range in {
		g, h = g+l.gradient[i], h+l.second[i]
	}
	best, feature, edge := 1e-9, -1, 0
	for f := 0; levels > 0 && f < len(l.names); f++ {
		var gs, hs [bins + 1]float64
		column := l.bin[f]
		for _, i := range in {
			gs[column[i]] += l.gradient[i]
			hs[column[i]] += l.second[i]
		}
		left, leftMass := 0.0, 0.0
		for e := range l.edges[f] {
			left, leftMass = left+gs[e], leftMass+hs[e]
			if leftMass < leastMass || h-leftMass < leastMass {
				continue
			}
			right := g - left
			gain := left*left/(leftMass+penalty) + right*right/(h-leftMass+penalty) - g*g/(h+penalty)
			if gain > best {
				best, feature, edge = gain, f, e
			}
		}
	}
	if feature < 0 {
		answer := round(rate * g / (h + penalty))
		for _, i := range in {
			odds[i] += answer
		}
		return &curator.Tree{Add: answer}
	}
	var below, above []int
	for _, i := range in {
		if int(l.bin[feature][i]) <= edge {
			below = append(below, i)
		} else {
			above = append(above, i)
		}
	}
	return &curator.Tree{If: l.names[feature], Below: l.edges[feature][edge], Then: l.grow(below, levels-1, odds), Else: l.grow(above, levels-1, odds)}
}

// round keeps five digits after the point, so that the file is readable and the same on every machine.
func round(value float64) float64 { return math.Round(value*1e5) / 1e5 }

// encode writes weights with one tree a line.
func encode(s *curator.Similarity) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"bias\": %v, \"trees\": [\n", s.Bias)
	for i, tree := range s.Trees {
		line, err := json.Marshal(tree)
		if err != nil {
			return nil, err
		}
		out.Write(line)
		if i < len(s.Trees)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]}\n")
	return out.Bytes(), nil
}
