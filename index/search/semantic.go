package search

import (
	"context"
	"errors"
	"math"
	"slices"

	"agentlore/embed"
	"agentlore/index"
	"agentlore/lore"
)

// Vectors makes vectors of questions, of one model.
type Vectors interface {
	// Question returns a vector soon, or an error: then the search does without.
	Question(ctx context.Context, text string) (embed.Vector, error)
	// Model is the name that vectors of items have beside them.
	Model() string
}

const (
	// nearest is how many of the items nearest in meaning are ranked beside those that the words find. Of ten nDCG@10 is 0.008 less on
	// three collections, of forty the same.
	nearest = 20
	// nearestCandidates is how many items of a shard Elasticsearch looks at for them.
	nearestCandidates = 60
	// nearestBoost puts the nearest before what words find, in what Elasticsearch returns: both are among the hits then, and rank takes it
	// off again. It is below entityBoost, and small enough for a score of 32 bits to keep what the words add.
	nearestBoost = 1000
	// wordsFound is from which score on words have found a result: what is left of nearestBoost is below.
	wordsFound = 0.001
)

// WithVectors returns a searcher that also finds by meaning.
func (s *Searcher) WithVectors(vectors Vectors) *Searcher {
	s.vectors = vectors
	return s
}

// embed gets the vector of q: of what was asked, or of its corrected spelling. A search that goes without says so.
func (s *Searcher) embed(ctx context.Context, q *query, asked string) {
	switch {
	case s.vectors == nil:
		q.semantic = lore.LayerReserved
		return
	case q.Newest || lore.IsAssetID(q.Text): // nothing is asked that has a meaning
		q.semantic = lore.LayerActive
		return
	}
	if asked == q.Text {
		asked, _ = q.correctedText()
	}
	vector, err := s.vectors.Question(ctx, asked)
	if err != nil {
		q.semantic = lore.LayerUnavailable
		return
	}
	q.semantic, q.vector, q.model = lore.LayerActive, vector, s.vectors.Model()
}

// doWithoutVector reports whether a search that failed is to be tried by words alone: Elasticsearch refused it, as it does where a
// migration has just changed the size of vectors.
func (q *query) doWithoutVector(ctx context.Context, err error) bool {
	var problem *lore.Problem // as of a store that can't be reached: then words don't help either
	if err == nil || q.vector == nil || ctx.Err() != nil || errors.As(err, &problem) {
		return false
	}
	q.semantic, q.vector = lore.LayerUnavailable, nil
	return true
}

// nearestClause builds what finds the items nearest in meaning. The filters hold for it too.
func (q *query) nearestClause() map[string]any {
	filter := index.FilterClauses(q.Filter)
	if hidden := q.hidden(); q.Facets && len(hidden) > 0 { // else a filter behind the query leaves them out
		filter = append(filter, map[string]any{"bool": map[string]any{"must_not": hidden}})
	}
	if len(q.crowds) > 0 {
		filter = append(filter, map[string]any{"bool": map[string]any{"must_not": []any{index.OfSources(q.crowds)}}})
	}
	clause := map[string]any{
		"field": index.VectorField, "query_vector": q.vector.Hex(), "k": nearest, "num_candidates": nearestCandidates,
		"boost": nearestBoost, "_name": layerSemantic,
	}
	if len(filter) > 0 {
		clause["filter"] = filter
	}
	return clause
}

// readNearness learns how near in meaning hits are, and leaves in their scores what words add. A vector of another model says nothing: what
// only that has found is left out.
func (q *query) readNearness(hits []*searchHit) []*searchHit {
	if q.vector == nil {
		return hits
	}
	return slices.DeleteFunc(hits, func(hit *searchHit) bool {
		nearness := embed.Cosine(q.vector, embed.ReadHex(hit.Document.Embedding))
		_, found := hit.Matched[layerSemantic]
		if found {
			if hit.Score -= q.weightOf(hit.itemType) * nearestBoost * (1 + nearness) / 2; hit.Score < wordsFound {
				hit.Score = 0
			}
		}
		hit.words = hit.Score > 0
		if hit.Document.EmbeddingModel != q.model {
			return !hit.words
		}
		hit.near, hit.nearness = found, nearness
		return false
	})
}

// scoreNearness gives hits what their nearness adds to their scores: to the nearest semanticFeature of what words found best, to the last
// of the nearest nothing, nor to what is no nearer. Models differ in what a cosine says; which results are nearer than others, all of
// them tell.
func (q *query) scoreNearness(hits []*searchHit) {
	least, most, best := 1.0, -1.0, 0.0
	for _, hit := range hits {
		if hit.near {
			least, most = min(least, hit.nearness), max(most, hit.nearness)
		}
		best = max(best, q.wordScore(hit))
	}
	if best == 0 { // no word of q is anywhere: meaning alone puts the results in order
		best = 1
	}
	for _, hit := range hits {
		if hit.nearness > least {
			hit.features.semantic = semanticFeature * best * min(1, (hit.nearness-least)/(most-least))
		}
	}
}

// wordScore returns what of a hit's score its words have, without what it names exactly.
func (q *query) wordScore(hit *searchHit) float64 {
	if len(q.entities)+len(q.Named) == 0 {
		return hit.Score
	}
	return math.Mod(hit.Score, entityBoost*q.weightOf(hit.itemType))
}
