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

	"agentlore/exporter"
	"agentlore/lore"
)

const (
	exportPath = "/export"
	// exportTimeout bounds one export: a client that is still reading then goes on with cursor.
	exportTimeout = time.Hour
	// exportStall is how long a client may take to accept what was sent before it is given up.
	exportStall = 30 * time.Second
	// exportChunk is how much is gathered before it is sent, in bytes.
	exportChunk = 64 << 10
	// linesType is the media type of one JSON object a line.
	linesType = "application/x-ndjson"
)

type exportInput struct {
	Collection string    `query:"collection" required:"true" enum:"sources,submissions,knowledge-units,patterns,assets,suggestions,safety-flags" doc:"What to export"`
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
	lines := s.exports()[lore.Collection(input.Collection)]
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		stream := newLineStream(ctx, acceptsGzip(input.Encoding))
		err := lines(ctx.Context(), exporter.Query{Since: input.Since, After: input.Cursor}, stream.line)
		if err == nil {
			err = stream.close()
		}
		if err == nil {
			return
		}
		c := humagin.Unwrap(ctx)
		if !stream.begun {
			s.writeProblem(c, err)
			return
		}
		s.Log.Warn("an export broke off", "request_id", requestOf(ctx.Context()).id, "cause", err)
		panic(http.ErrAbortHandler)
	}}, nil
}

// lineStream sends lines in chunks.
type lineStream struct {
	ctx    huma.Context
	gzip   bool
	begun  bool
	client *http.ResponseController
	buffer *bufio.Writer
	packed *gzip.Writer // nil: plain
}

func newLineStream(ctx huma.Context, packed bool) *lineStream {
	return &lineStream{ctx: ctx, gzip: packed, client: http.NewResponseController(humagin.Unwrap(ctx).Writer)}
}

// begin sends the header, when it is sure that there is something to answer with.
func (l *lineStream) begin() {
	l.begun = true
	l.ctx.SetHeader("Content-Type", linesType)
	l.ctx.SetHeader("Vary", "Accept-Encoding")
	l.ctx.SetHeader("Cache-Control", "no-store")
	var out io.Writer = patientWriter{l.ctx.BodyWriter(), l.client}
	if l.gzip {
		l.ctx.SetHeader("Content-Encoding", "gzip")
		l.buffer = bufio.NewWriterSize(out, exportChunk)
		l.packed, _ = gzip.NewWriterLevel(l.buffer, gzip.BestSpeed) // the level is one that exists
		return
	}
	l.buffer = bufio.NewWriterSize(out, exportChunk)
}

// line sends one line.
func (l *lineStream) line(text []byte) error {
	if !l.begun {
		l.begin()
	}
	var out io.Writer = l.buffer
	if l.packed != nil {
		out = l.packed
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	_, err := out.Write([]byte{'\n'})
	return err
}

// close sends what is left.
func (l *lineStream) close() error {
	if !l.begun {
		l.begin()
	}
	if l.packed != nil {
		if err := l.packed.Close(); err != nil {
			return err
		}
	}
	return l.buffer.Flush()
}

// patientWriter gives each chunk a time of its own, where the server gives a whole answer one.
type patientWriter struct {
	to     io.Writer
	client *http.ResponseController
}

// Write sends a chunk. It fails for a client that takes none of it for exportStall.
func (w patientWriter) Write(chunk []byte) (int, error) {
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
