package exporter

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agentlore/lore"
)

// patience is how long a command that exports waits for a store that can't answer.
const patience = 2 * time.Minute

// Order says what is exported and where to: the flags of a command that exports.
type Order struct {
	Collection lore.Collection `required:"" enum:"sources,submissions,knowledge-units,patterns,families,assets,suggestions,safety-flags,questions,events" help:"What to export; knowledge: knowledge-units; events are outcomes and changes of tier and status."`
	Kind       string          `default:"" enum:",outcome,tier,status" help:"Only events of this kind: outcome, tier or status."`
	Since      time.Time       `help:"Only what was created or erased from this time on, as in 2026-01-31T00:00:00Z."`
	File       string          `arg:"" help:"File to write, packed if it ends in .gz; - for standard output."`
}

// Validate refuses a kind of what has none.
func (o Order) Validate() error {
	if o.Kind != "" && o.Collection != lore.Events {
		return errors.New("--kind goes with --collection events only")
	}
	return nil
}

// Query returns what the order asks for.
func (o Order) Query() Query { return Query{Kind: o.Kind, Since: o.Since, Patience: patience} }

// Write exports in a format, ndjson or csv, and tells on stdout how many lines there are and their checksum.
func (o Order) Write(ctx context.Context, export Export, format string, stdout io.Writer) error {
	if format == "csv" {
		export = CSV(o.Collection, export)
	}
	return o.WriteFile(stdout, func(to io.Writer) (lines int, err error) {
		buffer := bufio.NewWriterSize(to, 64<<10)
		err = export(ctx, o.Query(), func(line []byte) error {
			lines++
			_, err := buffer.Write(append(line, '\n'))
			return err
		})
		return lines, errors.Join(err, buffer.Flush())
	})
}

// WriteFile makes the file of what write writes, and tells on stdout how many lines there are and their checksum.
func (o Order) WriteFile(stdout io.Writer, write func(io.Writer) (lines int, err error)) error {
	if o.File == "-" {
		_, err := write(stdout)
		return err
	}
	count, sum, err := writeWhole(o.File, write)
	if err != nil {
		return fmt.Errorf("the export broke off after %d lines: %w", count, err)
	}
	_, err = fmt.Fprintf(stdout, "%d lines, sha256 %s\n", count, sum)
	return err
}

// writeWhole writes a file, packed if its name ends in .gz, and returns how many lines went in and their checksum. It is written under
// another name, so that a file of the right name is whole.
func writeWhole(name string, write func(io.Writer) (lines int, err error)) (lines int, checksum string, err error) {
	part := name + ".part"
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, "", err
	}
	sum := sha256.New()
	if strings.HasSuffix(name, ".gz") {
		packed := gzip.NewWriter(file)
		lines, err = write(io.MultiWriter(packed, sum))
		err = errors.Join(err, packed.Close())
	} else {
		lines, err = write(io.MultiWriter(file, sum))
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return lines, "", errors.Join(err, os.Remove(part))
	}
	return lines, hex.EncodeToString(sum.Sum(nil)), os.Rename(part, name)
}
