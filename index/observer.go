package index

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esutil"
)

// Observer hears how the bulk writer works, for metrics. Its methods are called from several goroutines and must not block.
type Observer interface {
	// Bulk tells of a bulk request that shared so many documents.
	Bulk(documents int, took time.Duration)
	// BulkWait tells how long one document took from its caller to its acknowledgement.
	BulkWait(took time.Duration)
}

// noObserver is an Observer that hears nothing.
type noObserver struct{}

func (noObserver) Bulk(int, time.Duration) {}
func (noObserver) BulkWait(time.Duration)  {}

func observerOf(cfg Config) Observer {
	if cfg.Observer == nil {
		return noObserver{}
	}
	return cfg.Observer
}

// bulkSize counts the documents of a lane's present bulk request. The bulk writer doesn't tell it; each document's answer
// comes between the start and the end of its request.
type bulkSize struct {
	answered atomic.Int64
	started  time.Time // of the lane's one worker
}

// observe makes a bulk writer tell the observer of its requests.
func (s *bulkSize) observe(config *esutil.BulkIndexerConfig, observer Observer) {
	config.OnFlushStart = func(ctx context.Context) context.Context {
		s.started = time.Now()
		return ctx
	}
	config.OnFlushEnd = func(context.Context) {
		if documents := s.answered.Swap(0); documents > 0 {
			observer.Bulk(int(documents), time.Since(s.started))
		}
	}
}
