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
	"agentlore/lore"
)

const (
	exportPath = "/export"
	// exportTimeout bounds one export: a client that is still reading then goes on with cursor.
	exportTimeout = time.Hour
	// exportStall is how long a client may take to accept a chunk before it is given up. One that reads 160 kB a second takes 40 s for the
	// 6 MB that its own kernel holds before it asks for more.
	exportStall = 2 * time.Minute
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
	Collection string    `query:"collection" required:"true" enum:"sources,submissions,knowledge,knowledge-units,patterns,families,assets,suggestions,safety-flags,questions,events" doc:"What to export; events are outcomes and changes of tier and status; knowledge-units is the older word for knowledge"`
	Kind       string    `query:"kind" enum:"outcome,tier,status" doc:"Only events of this kind; of no other collection"`
	Format     string    `query:"format" enum:"ndjson,csv" default:"ndjson" doc:"One JSON object a line, or a table: lists with | between their items, the names of the fields in the first row"`
	Since      time.Time `query:"since" doc:"Only what was created or erased from this time on"`
	Cursor     string    `query:"cursor" maxLength:"64" doc:"The id in the last whole line of an export that broke off, with erased: before it if that line has erased_at: goes on behind it"`
	Encoding   string    `header:"Accept-Encoding" hidden:"true" maxLength:"1024"`
}

// export streams a collection. What fails before the first chunk is sent is a problem like any other; what fails later drops the
// connection, so that no client takes a part for the whole.
func (s *server) export(_ context.Context, input *exportInput) (*huma.StreamResponse, error) {
	collection := lore.Collection(input.Collection)
	if lore.ItemTypeOf(input.Collection) == lore.TypeKnowledgeUnit {
		collection = lore.KnowledgeUnits
	}
	if input.Kind != "" && collection != lore.Events {
		return nil, lore.InvalidFields([]lore.FieldError{{Pointer: "kind", Code: "invalid", Detail: "goes with collection=events only"}})
	}
	export, mediaType := s.stored()[collection].export, linesType
	if input.Format == "csv" {
		export, mediaType = exporter.CSV(collection, export), tableType
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
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
		err := export(ctx.Context(), exporter.Query{Kind: input.Kind, Since: input.Since, After: input.Cursor}, func(line []byte) error {
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

// chunkWriter sends chunks, and headers before the first. It gives each chunk a time of its own, where the server gives a whole
// answer one.
type chunkWriter struct {
	c         *gin.Context
	mediaType string
	encoding  string // of the content; empty: none
	begun     bool
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

// Write sends a chunk. It fails for a client that takes none of it for exportStall.
func (w *chunkWriter) Write(chunk []byte) (int, error) {
	w.begin()
	client := http.NewResponseController(w.c.Writer)
	if err := client.SetWriteDeadline(time.Now().Add(exportStall)); err != nil {
		return 0, err
	}
	n, err := w.c.Writer.Write(chunk)
	if err == nil {
		err = client.Flush()
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
