// Package export is the client's export: it reads a collection of a service over HTTP and writes it to a file, also as Parquet. It stands
// apart from the other commands because Parquet's library is as large as they are.
package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"agentlore/client"
	"agentlore/exporter"
)

const (
	// maxLineBytes bounds a line: the service's longest items have 200 kB.
	maxLineBytes = 4 << 20
	// retryPause is the pause before a service that couldn't answer is asked again, where it names none.
	retryPause = time.Second
)

// Command writes a collection to a file.
type Command struct {
	client.Address
	exporter.Order
	Format string `default:"ndjson" enum:"ndjson,csv,parquet" help:"ndjson: one JSON object a line. csv: a table, the names of the fields first. parquet: the same table with types."`
}

// Validate refuses what makes no sense.
func (c *Command) Validate() error {
	if c.Format == "parquet" && strings.HasSuffix(c.File, ".gz") {
		return errors.New("a Parquet file is packed in itself: choose a name without .gz")
	}
	return c.Order.Validate()
}

// Run exports and prints how many lines there are and their checksum.
func (c *Command) Run(ctx context.Context, console client.Console) error {
	if c.Format != "parquet" {
		return c.Write(ctx, c.lines, c.Format, console.Stdout)
	}
	return c.WriteFile(console.Stdout, func(to io.Writer) (int, error) {
		return writeParquet(ctx, c.Collection, c.lines, c.Query(), to)
	})
}

// lines is the service's export, an exporter.Export: where it breaks off it goes on, until nothing came for as long as query's patience.
// An address at which no service answers is an error at once.
func (c *Command) lines(ctx context.Context, query exporter.Query, visit func(line []byte) error) error {
	progress := time.Now()
	for {
		var refused error // visit's
		last, err := c.read(ctx, query, func(line []byte) error {
			progress = time.Now()
			refused = visit(line)
			return refused
		})
		if err == nil || refused != nil {
			return err
		}
		if last != nil {
			query.After = after(last)
		}
		pause := retryPause
		problem, is := errors.AsType[*client.Refusal](err)
		if is && !problem.Retryable || !is && query.After == "" {
			return err
		}
		if is {
			pause = max(pause, time.Duration(problem.RetryAfter)*time.Second)
		}
		if time.Since(progress)+pause > query.Patience {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// read visits the lines of one answer and returns the last that it visited, nil where none came.
func (c *Command) read(ctx context.Context, query exporter.Query, visit func(line []byte) error) (last []byte, err error) {
	parameters := url.Values{"collection": {string(c.Collection)}}
	if query.Kind != "" {
		parameters.Set("kind", query.Kind)
	}
	if !query.Since.IsZero() {
		parameters.Set("since", query.Since.Format(time.RFC3339Nano))
	}
	if query.After != "" {
		parameters.Set("cursor", query.After)
	}
	body, err := c.Get(ctx, "/export?"+parameters.Encode())
	if err != nil {
		return nil, err
	}
	defer body.Close()
	for reader := bufio.NewReaderSize(body, maxLineBytes); ; {
		line, err := reader.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return last, nil
		case errors.Is(err, io.EOF): // not even a proxy that ends an answer early leaves a part of a line
			return last, io.ErrUnexpectedEOF
		case err != nil:
			return last, err
		}
		last = append(last[:0], line...)
		if err := visit(line[:len(line)-1]); err != nil {
			return last, err
		}
	}
}

// after returns where an export goes on behind a line.
func after(line []byte) string {
	var item struct {
		ID       string
		ErasedAt string `json:"erased_at"`
	}
	_ = json.Unmarshal(line, &item) // visit has read it
	if item.ErasedAt != "" {
		return exporter.ErasedCursor + item.ID
	}
	return item.ID
}
