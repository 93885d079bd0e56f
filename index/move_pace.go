package index

import (
	"context"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// paceSample is how many documents are copied to see how quickly the store takes them.
const paceSample = 1000

// pace copies the first documents, and returns at how many a second the rest should follow so that half of what the store can do
// is left for its other work; nil: there are so few that it doesn't matter.
func (m *move) pace(ctx context.Context) (*int, error) {
	if documents, err := m.count(ctx, m.from); err != nil || documents < 4*paceSample {
		return nil, err
	}
	body, err := jsonBody(map[string]any{
		"source": map[string]any{"index": m.from, "size": copyBatch}, "dest": map[string]any{"index": m.to, "version_type": "external_gte"}, "max_docs": paceSample,
	})
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var answer copyResult
	if err := m.do(ctx, esapi.ReindexRequest{Body: body}, &answer); err != nil {
		return nil, err
	}
	if _, err := answer.copied(); err != nil {
		return nil, err
	}
	rate := max(1, int(paceSample/time.Since(began).Seconds()/2))
	m.say("copying at most %d documents a second", rate)
	return &rate, nil
}
