package main

import (
	"context"
	"errors"

	"agentlore/embed"
	"agentlore/handlers"
	"agentlore/index/semantic"
	"agentlore/scrubber"
	"agentlore/telemetry"
)

// embeddingsConfig says which embeddings server makes the vectors of the semantic layer of search.
type embeddingsConfig struct {
	EmbeddingsURL     string `name:"embeddings-url" env:"AGENTLORE_EMBEDDINGS_URL" help:"Embeddings endpoint as OpenAI's, like http://127.0.0.1:8090/v1/embeddings: search then knows meanings too; empty: words alone."`
	EmbeddingsModel   string `name:"embeddings-model" env:"AGENTLORE_EMBEDDINGS_MODEL" help:"Model, by the server's name; after a change all vectors are made anew."`
	EmbeddingsPrefix  string `name:"embeddings-question-prefix" env:"AGENTLORE_EMBEDDINGS_QUESTION_PREFIX" help:"What the model wants before a question, as in its model card; items get none."`
	EmbeddingsKeyFile string `name:"embeddings-key-file" env:"AGENTLORE_EMBEDDINGS_KEY_FILE" help:"File that holds the server's API key." placeholder:"FILE"`
}

// client returns a client of the server, nil where none is set. Questions are scrubbed before it sends them.
func (c embeddingsConfig) client(clean *scrubber.Scrubber, dimensions int) (*embed.Client, error) {
	if c.EmbeddingsURL == "" {
		return nil, nil
	}
	faults := []error{checkURL("AGENTLORE_EMBEDDINGS_URL", c.EmbeddingsURL, "http://127.0.0.1:8090/v1/embeddings")}
	if c.EmbeddingsModel == "" {
		faults = append(faults, errors.New("AGENTLORE_EMBEDDINGS_MODEL is missing: vectors of different models must not mix"))
	}
	key, err := secret("AGENTLORE_EMBEDDINGS_KEY", "", c.EmbeddingsKeyFile)
	if faults = append(faults, err); errors.Join(faults...) != nil {
		return nil, errors.Join(faults...)
	}
	return embed.New(embed.Config{
		URL: c.EmbeddingsURL, Model: c.EmbeddingsModel, Key: key, Dimensions: dimensions, Prefix: c.EmbeddingsPrefix,
		Clean: clean.Text,
	})
}

// semanticStatus tells GET /status of a layer, which may be nil.
func semanticStatus(layer *semantic.Layer) func(context.Context) (*handlers.SemanticStatus, error) {
	if layer == nil {
		return nil
	}
	return func(ctx context.Context) (*handlers.SemanticStatus, error) {
		covered, all, err := layer.Coverage(ctx)
		status := &handlers.SemanticStatus{Model: layer.Model(), Coverage: 1}
		if all > 0 {
			status.Coverage = float64(covered) / float64(all)
		}
		return status, err
	}
}

// watchSemantic shows how the semantic layer is.
func (w *watch) watchSemantic(layer *semantic.Layer) {
	w.metrics.Read(func(add telemetry.Add) {
		stats := layer.Stats()
		add("agentlore_semantic_ready", "1 while the indices can hold the model's vectors; at 0 run agentlore migrate.", truth(stats.Fits))
		if stats.Items > 0 { // this process has counted
			add("agentlore_semantic_coverage", "Share of the searchable items that have a vector of the model; of the process that fills them in.",
				float64(stats.Covered)/float64(stats.Items))
		}
		add("agentlore_semantic_vectors_written_total", "Vectors that this process has filled in.", float64(stats.Written))
		add("agentlore_semantic_failures_total", "Batches of texts that got no vectors; they are tried again.", float64(stats.Failures))
		for state, n := range map[string]int64{"active": stats.Asked - stats.Late, "unavailable": stats.Late} {
			add("agentlore_semantic_questions_total", "Searches by the state of the semantic layer.", float64(n), "state", state)
		}
	})
}
