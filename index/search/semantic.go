package search

import (
	"context"
	"strings"

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
	// nearest is how many of the items nearest in meaning are ranked beside those that the words find.
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
	case q.Newest: // nothing is looked for
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

// nearestClause builds what finds the items nearest in meaning. The filters hold for it too.
func (q *query) nearestClause() map[string]any {
	filter := index.FilterClauses(q.Filter)
	if hidden := q.hidden(); q.Facets && len(hidden) > 0 { // else a filter behind the query leaves them out
		filter = append(filter, map[string]any{"bool": map[string]any{"must_not": hidden}})
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

// readNearness learns how near in meaning hits are, and leaves in their scores what words add. A vector of another model says nothing.
func (q *query) readNearness(s *Searcher, hits []*searchHit) {
	if q.vector == nil {
		return
	}
	for _, hit := range hits {
		nearness := embed.Cosine(q.vector, embed.ReadHex(hit.document.Embedding))
		if _, near := hit.Matched[layerSemantic]; near {
			hit.near = true
			if hit.Score -= q.weightOf(s.typeOf(hit.Index)) * nearestBoost * (1 + nearness) / 2; hit.Score < wordsFound {
				hit.Score = 0
			}
		}
		hit.words = hit.Score > 0
		if hit.document.EmbeddingModel == q.model {
			hit.nearness = nearness
		} else {
			hit.near = false
		}
	}
}

// correctedText returns q with its misspelt words corrected, and the words that it has instead.
func (q *query) correctedText() (string, []string) {
	var text strings.Builder
	var corrections []string
	at := 0
	for _, term := range q.terms {
		correction := q.spelt(term)
		if correction == term.text {
			continue
		}
		text.WriteString(q.Text[at:term.start])
		text.WriteString(inCaseOf(term.text, correction))
		at = term.end
		corrections = append(corrections, correction)
	}
	return text.String() + q.Text[at:], corrections
}

// nearnessScale turns how near in meaning a result is into what it adds to the score.
type nearnessScale struct{ least, weight float64 }

// nearnessOf returns the scale of a search. What is no nearer than the last of the nearest adds nothing, found by words or not: models differ
// in what a cosine says, and the nearest of a question tell where unlike begins.
func nearnessOf(hits []*searchHit, words float64) nearnessScale {
	scale := nearnessScale{least: 1, weight: semanticFeature * words}
	for _, hit := range hits {
		if hit.near {
			scale.least = min(scale.least, hit.nearness)
		}
	}
	return scale
}

func (s nearnessScale) of(hit *searchHit) float64 {
	return s.weight * max(0, hit.nearness-s.least)
}
