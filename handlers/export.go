package handlers

import (
	"bufio"
	"compress/gzip"
	"context"
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
)

type exportInput struct {
	Collection string    `query:"collection" required:"true" enum:"sources,submissions,knowledge,knowledge-units,patterns,assets,suggestions,safety-flags" doc:"What to export; knowledge-units is the older word for knowledge"`
	Format     string    `query:"format" enum:"ndjson,csv" default:"ndjson" doc:"One JSON object a line, or a table: lists with | between their items, the names of the fields in the first row"`
	Since      time.Time `query:"since" doc:"Only what was created or erased from this time on"`
	Cursor     string    `query:"cursor" maxLength:"64" doc:"The id in the last whole line of an export that broke off, with erased: before it if that line has erased_at: goes on behind it"`
	Encoding   string    `header:"Accept-Encoding" hidden:"true" maxLength:"1024"`
}

// exports returns the export of every public collection.
func (s *server) exports() map[lore.Collection]exporter.Export {
	return map[lore.Collection]exporter.Export{
		lore.Sources: exporter.Of(s.Sources), lore.Submissions: exporter.Of[lore.Submission](s.Submissions),
		lore.KnowledgeUnits: exporter.Of(s.KnowledgeUnits), lore.Patterns: exporter.Of(s.Patterns), lore.Assets: exporter.Of(s.Assets),
		lore.Suggestions: exporter.Of(s.Suggestions), lore.SafetyFlags: exporter.Of(s.SafetyFlags),
	}
}

// export streams a collection. What fails before the first line is a problem like any other; what fails later drops the
// connection, so that no client takes a part for the whole.
func (s *server) export(_ context.Context, input *exportInput) (*huma.StreamResponse, error) {
	collection := lore.Collection(input.Collection)
	if lore.ItemTypeOf(input.Collection) == lore.TypeKnowledgeUnit {
		collection = lore.KnowledgeUnits
	}
	lines, mediaType := s.exports()[collection], linesType
	if input.Format == "csv" {
		lines, mediaType = exporter.CSV(collection, lines), tableType
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		stream := &lineStream{c: humagin.Unwrap(ctx), mediaType: mediaType, gzip: acceptsGzip(input.Encoding)}
		err := lines(ctx.Context(), exporter.Query{Since: input.Since, After: input.Cursor}, stream.line)
		if err == nil {
			err = stream.close()
		}
		if err == nil {
			return
		}
		if stream.lines == nil {
			s.writeProblem(stream.c, err)
			return
		}
		s.Log.Warn("an export broke off", "request_id", requestOf(ctx.Context()).id, "cause", err)
		panic(http.ErrAbortHandler)
	}}, nil
}

// lineStream sends lines in chunks.
type lineStream struct {
	c         *gin.Context
	mediaType string
	gzip      bool
	lines     io.Writer // nil: nothing is sent yet
	packed    *gzip.Writer
	chunks    *bufio.Writer
}

// begin sends the headers, when there is something to answer with.
func (l *lineStream) begin() {
	l.c.Header("Content-Type", l.mediaType)
	l.c.Header("Vary", "Accept-Encoding")
	l.c.Header("Cache-Control", "no-store")
	client := http.NewResponseController(l.c.Writer)
	l.chunks = bufio.NewWriterSize(chunkWriter{l.c.Writer, client}, exportChunk)
	l.lines = l.chunks
	if l.gzip {
		l.c.Header("Content-Encoding", "gzip")
		l.packed, _ = gzip.NewWriterLevel(l.chunks, gzip.BestSpeed) // the level is one that exists
		l.lines = l.packed
	}
}

// line sends one line.
func (l *lineStream) line(text []byte) error {
	if l.lines == nil {
		l.begin()
	}
	_, err := l.lines.Write(append(text, '\n'))
	return err
}

// close sends what is left.
func (l *lineStream) close() error {
	if l.lines == nil {
		l.begin()
	}
	if l.packed != nil {
		if err := l.packed.Close(); err != nil {
			return err
		}
	}
	return l.chunks.Flush()
}

// chunkWriter gives each chunk a time of its own, where the server gives a whole answer one.
type chunkWriter struct {
	to     io.Writer
	client *http.ResponseController
}

// Write sends a chunk. It fails for a client that takes none of it for exportStall.
func (w chunkWriter) Write(chunk []byte) (int, error) {
	if err := w.client.SetWriteDeadline(time.Now().Add(exportStall)); err != nil {
		return 0, err
	}
	n, err := w.to.Write(chunk)
	if err == nil {
		err = w.client.Flush()
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
