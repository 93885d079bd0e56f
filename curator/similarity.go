package curator

import (
	_ "embed" // the learned weights
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// similarityWeights are made by `go run ./scripts/patterns train`; docs/figures.md says what they reach.
//
//go:embed similarity_weights.json
var similarityWeights []byte

// Tree is a small decision tree over features: it goes on with Then where the named feature is below the threshold, else
// with Else. A leaf has neither and adds Add to the log-odds.
type Tree struct {
	If    string  `json:"if,omitempty"`
	Below float64 `json:"below,omitempty"`
	Then  *Tree   `json:"then,omitempty"`
	Else  *Tree   `json:"else,omitempty"`
	Add   float64 `json:"add,omitempty"`

	feature int
}

// Similarity is a learned judge of whether two reports are of one thing. It is read-only and safe for concurrent use.
type Similarity struct {
	// Bias is the log-odds before any feature is looked at.
	Bias  float64 `json:"bias"`
	Trees []*Tree `json:"trees"`
}

// LearnedSimilarity returns the judge that the program comes with.
func LearnedSimilarity() (*Similarity, error) { return ParseSimilarity(similarityWeights) }

// ParseSimilarity reads weights. It fails on weights over features that this version doesn't have.
func ParseSimilarity(weights []byte) (*Similarity, error) {
	var s Similarity
	if err := json.Unmarshal(weights, &s); err != nil {
		return nil, fmt.Errorf("similarity weights: %w", err)
	}
	for _, tree := range s.Trees {
		if err := tree.bind(FeatureNames()); err != nil {
			return nil, fmt.Errorf("similarity weights: %w", err)
		}
	}
	return &s, nil
}

// bind finds the features of a tree.
func (t *Tree) bind(names []string) error {
	switch {
	case t == nil:
		return fmt.Errorf("a branch is missing")
	case t.If == "":
		return nil
	}
	if t.feature = slices.Index(names, t.If); t.feature < 0 {
		return fmt.Errorf("unknown feature %q", t.If)
	}
	if err := t.Then.bind(names); err != nil {
		return err
	}
	return t.Else.bind(names)
}

// Probability returns how likely it is that two reports are of one thing, 0 to 1. It is the same both ways round.
func (s *Similarity) Probability(a, b *Vector) float64 { return s.Judge(Features(a, b)) }

// Judge returns the probability for features in the order of FeatureNames.
func (s *Similarity) Judge(features []float64) float64 {
	odds := s.Bias
	for _, tree := range s.Trees {
		for tree.If != "" {
			if features[tree.feature] < tree.Below {
				tree = tree.Then
			} else {
				tree = tree.Else
			}
		}
		odds += tree.Add
	}
	return 1 / (1 + math.Exp(-odds))
}
