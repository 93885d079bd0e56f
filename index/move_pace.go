package index

import (
	"context"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

const (
	// copyShare is the share of what the store can do that a copy takes; the rest is for its other work.
	copyShare = 0.5
	// paceWindow is after how many documents a copy's pace is set anew: some batches, so that one slow one isn't all that counts.
	paceWindow = 4 * copyBatch
	// firstPace is the pace that a copy begins with, in documents a second.
	firstPace = 1000
)

// pace keeps a copy at its share of what the store can do, which changes with the store's other work: a pace that was set once
// would starve searches in a busy hour, or crawl through a quiet one.
type pace struct {
	documents int64         // that were copied when it was set last
	busy      time.Duration // that the copy had worked for until then
}

// next returns at how many documents a second a copy should go on, and whether that is to be said now.
func (p *pace) next(s copyStatus) (rate int, due bool) {
	documents, busy := s.Created+s.Updated, s.running-time.Duration(s.Throttled)*time.Millisecond
	copied, took := documents-p.documents, busy-p.busy
	if copied < paceWindow || took <= 0 {
		return 0, false
	}
	p.documents, p.busy = documents, busy
	return max(1, int(copyShare*float64(copied)/took.Seconds())), true
}

// copyStatus is how far a copy is.
type copyStatus struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Throttled int64 `json:"throttled_millis"` // for which it has waited so as to keep its pace
	running   time.Duration
}

// rethrottle changes the pace of a copy under way. For one that has ended meanwhile Elasticsearch answers 200 as well.
func (m *move) rethrottle(ctx context.Context, task string, rate int) error {
	return m.Do(ctx, esapi.ReindexRethrottleRequest{TaskID: task, RequestsPerSecond: &rate}, nil)
}
