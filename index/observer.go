package index

import "time"

// Observer hears how the bulk writer works, for metrics. Its methods are called from several goroutines and must not block.
type Observer interface {
	// Bulk tells of a bulk request that shared so many documents.
	Bulk(documents int, took time.Duration)
	// BulkWait tells how long one document took from its caller to its acknowledgement.
	BulkWait(took time.Duration)
}

// noObserver is an Observer that hears nothing.
type noObserver struct{}

// Bulk does nothing.
func (noObserver) Bulk(int, time.Duration) {}

// BulkWait does nothing.
func (noObserver) BulkWait(time.Duration) {}

func observerOf(cfg Config) Observer {
	if cfg.Observer == nil {
		return noObserver{}
	}
	return cfg.Observer
}
