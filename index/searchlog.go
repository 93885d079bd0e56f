package index

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// SearchLogIndex is the index of what was searched for, for Client.Prune.
const SearchLogIndex = "searchlog"

const (
	// searchLogQueue is how many searches may wait to be written: those of searchLogEvery at several hundred a second. What comes beyond
	// it is dropped, for a log must not slow what it logs.
	searchLogQueue = 8192
	// searchLogEvery is how often they are written: analysts wait for a search some seconds. A write is felt by the searches beside it: at
	// 20 searches a second one every 2 s is one in 40, and part of their 99th percentile.
	searchLogEvery = 10 * time.Second
	// searchLogGroup is how many searches one write has at most.
	searchLogGroup = 500
	// searchLogWrite bounds the writes of one time. They go on when the service ends, and may hold it up twice as long.
	searchLogWrite = 3 * time.Second
)

// SearchLog writes down what was searched for, off the way of the searches.
type SearchLog struct {
	client  *Client
	clean   *scrubber.Scrubber
	queue   chan lore.Searched
	dropped atomic.Int64 // since the start
	told    int64        // how many of them the log has told of; Run's
}

// NewSearchLog returns a log. Run writes what is added to it.
func NewSearchLog(client *Client, clean *scrubber.Scrubber) *SearchLog {
	return &SearchLog{client: client, clean: clean, queue: make(chan lore.Searched, searchLogQueue)}
}

// Add takes a search to be written. It never waits: where the log can't keep up, the search is dropped and counted.
func (l *SearchLog) Add(searched lore.Searched) {
	select {
	case l.queue <- searched:
	default:
		l.dropped.Add(1)
	}
}

// Dropped returns how many searches were dropped since the start: there was no room for them, or the store did not take them.
func (l *SearchLog) Dropped() int64 { return l.dropped.Load() }

// Run writes searches until ctx ends, and then what is left.
func (l *SearchLog) Run(ctx context.Context) {
	write := time.Tick(searchLogEvery)
	for ctx.Err() == nil {
		select {
		case <-write:
			l.write(ctx)
		case <-ctx.Done():
		}
	}
	l.write(ctx)
}

// write scrubs and stores what waits, also when ctx ends meanwhile. What can't be scrubbed or stored is dropped: it is a log of no record.
func (l *SearchLog) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), searchLogWrite)
	defer cancel()
	var operations []Operation
	for range len(l.queue) {
		scrubbed, err := scrubber.Scrub(ctx, l.clean, <-l.queue)
		if err != nil {
			l.dropped.Add(1)
			continue
		}
		document := scrubbed.Value()
		document.Scrubbed = scrubbed.Report().Changed
		operations = append(operations, Operation{Action: "create", Index: l.client.Alias(SearchLogIndex), ID: lore.NewID(), Document: document})
	}
	for group := range slices.Chunk(operations, searchLogGroup) {
		if err := l.client.BulkAll(ctx, group, nil); err != nil {
			l.dropped.Add(int64(len(group)))
			l.client.Log.Warn("searches could not be logged", "count", len(group), "cause", RootCause(err))
		}
	}
	if dropped := l.dropped.Load(); dropped > l.told {
		l.client.Log.Warn("the log of searches dropped some", "count", dropped-l.told)
		l.told = dropped
	}
}

// Prune deletes what an index has of more than so many days ago by created_at; of 0 days, all. Errors: store_unavailable.
func (c *Client) Prune(ctx context.Context, name string, days int) error {
	_, err := c.DeleteWhere(ctx, c.Alias(name), before("created_at", time.Now().AddDate(0, 0, -days)))
	return Wrapped("delete old documents of "+name, err)
}
