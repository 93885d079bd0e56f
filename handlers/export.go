package handlers

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"agentlore/exporter"
	"agentlore/handlers/admit"
	"agentlore/lore"
)

const (
	exportPath = "/export"
	// exportTimeout bounds one export: a client that is still reading then goes on with cursor.
	exportTimeout = time.Hour
	// maxStreams are the exports under way at once, maxClientStreams those of one client. Each takes about a MiB: a page, and what packs it.
	maxStreams       = 32
	maxClientStreams = maxStreams / 4
	// exportStall is how long a client may take to accept a chunk before it is given up. One that reads 160 kB a second takes 40 s for the
	// 6 MB that its own kernel holds before it asks for more.
	exportStall = time.Minute
	// slowestReader is how many bytes a second a client must accept on average, and fullAfter how long a chunk takes that is counted first:
	// the kernels of both sides take the first megabytes however slowly they are read.
	slowestReader = 4 << 10
	fullAfter     = time.Second
	// pagesAtOnce are how many pages are read for exports at once.
	pagesAtOnce = 2
	// exportChunk is how much is gathered before it is sent, in bytes.
	exportChunk = 64 << 10
	// linesType is the media type of one JSON object a line.
	linesType = "application/x-ndjson"
	// tableType is that of comma-separated values.
	tableType = "text/csv; charset=utf-8; header=present"
	// parquetStep says what to do for a format that the service doesn't write.
	parquetStep = "for Parquet, run `agentlore export --format parquet` of the command line client (cmd/agentlore-client)"
)

type exportInput struct {
	Collection string `query:"collection" required:"true" enum:"sources,submissions,knowledge,knowledge-units,patterns,families,assets,suggestions,safety-flags,questions,events" doc:"What to export; events are outcomes and changes of tier and status; knowledge-units is the older word for knowledge"`
	Kind       string `query:"kind" enum:"outcome,tier,status" doc:"Only events of this kind; of no other collection"`
	Format     string `query:"format" enum:"ndjson,csv" default:"ndjson" doc:"One JSON object a line, or a table: lists with | between their items, the names of the fields in the first row"`
	Since      Moment `query:"since" doc:"Only what was created or erased from this time on"`
	Cursor     string `query:"cursor" maxLength:"64" doc:"The id in the last whole line of an export that broke off, with erased: before it if that line has erased_at: goes on behind it"`
	Encoding   string `header:"Accept-Encoding" hidden:"true" maxLength:"1024"`
}

// export streams a collection. What fails before the first chunk is sent is a problem like any other; what fails later drops the
// connection, so that no client takes a part for the whole.
func (s *server) export(ctx context.Context, input *exportInput) (*huma.StreamResponse, error) {
	collection := lore.Collection(input.Collection)
	if lore.ItemTypeOf(input.Collection) == lore.TypeKnowledgeUnit {
		collection = lore.KnowledgeUnits
	}
	if input.Kind != "" && collection != lore.Events {
		return nil, lore.InvalidFields([]lore.FieldError{{Pointer: "kind", Code: "invalid", Detail: "goes with collection=events only"}})
	}
	streams := s.streams.Hold(admit.Networks(requestOf(ctx).client))
	if !streams.Take(1) {
		return nil, s.overloaded("streams")
	}
	export, mediaType := s.stored()[collection].export, linesType
	if input.Format == "csv" {
		export, mediaType = exporter.CSV(collection, export), tableType
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer streams.End()
		client := &chunkWriter{c: humagin.Unwrap(ctx), mediaType: mediaType}
		chunks := bufio.NewWriterSize(client, exportChunk)
		var lines io.Writer = chunks
		end := chunks.Flush
		if acceptsGzip(input.Encoding) {
			client.encoding = "gzip"
			packed, _ := gzip.NewWriterLevel(chunks, gzip.BestSpeed) // the level is one that exists
			lines = packed
			end = func() error { return errors.Join(packed.Close(), chunks.Flush()) }
		}
		err := export(ctx.Context(), exporter.Query{Kind: input.Kind, Since: input.Since.Time, After: input.Cursor}, func(line []byte) error {
			_, err := lines.Write(append(line, '\n'))
			return err
		})
		if err == nil {
			client.begin()
			err = end()
		}
		switch {
		case err == nil:
		case !client.begun:
			s.writeProblem(client.c, err)
		default:
			s.Log.Warn("an export broke off", "request_id", requestOf(ctx.Context()).id, "cause", err)
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

// turnReader is a reader of an export's pages. They are read a few at a time, in the order in which exports ask for them, beside the queue
// of reads: many exports only make each other slower. Each page is paid for, and what it holds in memory is given back when the next one
// is read.
type turnReader[T any] struct {
	Reader[T]
	s *server
}

// List reads a page when it is its turn.
func (r turnReader[T]) List(ctx context.Context, query lore.ListQuery) (lore.Page[T], error) {
	known := requestOf(ctx)
	known.held.Drop()
	select {
	case r.s.pages <- struct{}{}:
	case <-ctx.Done():
		return lore.Page[T]{}, lore.StoreUnavailable(ctx.Err())
	}
	defer func() { <-r.s.pages }()
	page, err := r.Reader.List(ctx, query)
	r.s.settle(ctx, known, known.handled.Swap(0))
	return page, err
}

// chunkWriter sends chunks, and headers before the first. It gives each chunk a time of its own, where the server gives a whole
// answer one.
type chunkWriter struct {
	c         *gin.Context
	mediaType string
	encoding  string // of the content; empty: none
	begun     bool
	measured  time.Time // since when the client's speed is; zero: it has kept up
	accepted  int64     // bytes since then
}

// begin sets the headers, once.
func (w *chunkWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.c.Header("Content-Type", w.mediaType)
	w.c.Header("Vary", "Accept-Encoding")
	w.c.Header("Cache-Control", "no-store")
	if w.encoding != "" {
		w.c.Header("Content-Encoding", w.encoding)
	}
}

// Write sends a chunk. It fails for a client that takes none of it for exportStall, or that is slower than slowestReader.
func (w *chunkWriter) Write(chunk []byte) (int, error) {
	w.begin()
	began := time.Now()
	until := began.Add(exportStall)
	if w.measured.IsZero() {
		w.accepted = 0
	} else if slowest := w.measured.Add(exportStall + time.Duration(w.accepted)*time.Second/slowestReader); slowest.Before(until) {
		until = slowest
	}
	client := http.NewResponseController(w.c.Writer)
	if err := client.SetWriteDeadline(until); err != nil {
		return 0, err
	}
	n, err := w.c.Writer.Write(chunk)
	if err == nil {
		err = client.Flush()
	}
	if w.accepted += int64(n); w.measured.IsZero() && time.Since(began) > fullAfter {
		w.measured = began
	}
	return n, err
}

// acceptsGzip reports whether an Accept-Encoding asks for gzip.
func acceptsGzip(accepted string) bool {
	for coding := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if name = strings.TrimSpace(name); name == "gzip" || name == "*" {
			return strings.ReplaceAll(weight, " ", "") != "q=0"
		}
	}
	return false
}
