package main

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

	"agentlore/exporter"
	"agentlore/lore"
)

// exportCommand writes a collection to a file.
type exportCommand struct {
	storeConfig
	Collection string    `required:"" enum:"sources,submissions,knowledge-units,patterns,families,assets,suggestions,safety-flags,questions,events" help:"What to export; events are outcomes and changes of tier and status."`
	Kind       string    `default:"" enum:",outcome,tier,status" help:"Only events of this kind: outcome, tier or status."`
	Format     string    `default:"ndjson" enum:"ndjson,csv" help:"ndjson: one JSON object a line. csv: a table, the names of the fields first."`
	Since      time.Time `help:"Only what was created or erased from this time on, as in 2026-01-31T00:00:00Z."`
	File       string    `arg:"" help:"File to write, packed if it ends in .gz; - for standard output."`
}

// exportPatience is how long an export waits for a store that can't answer.
const exportPatience = 2 * time.Minute

// Validate refuses a kind of what has none.
func (c *exportCommand) Validate() error {
	if c.Kind != "" && lore.Collection(c.Collection) != lore.Events {
		return errors.New("--kind goes with --collection events only")
	}
	return nil
}

// Run exports and prints how many lines there are and their checksum.
func (c *exportCommand) Run(ctx context.Context, out output) error {
	settings, err := c.settings(out)
	if err != nil {
		return err
	}
	client, err := openReady(ctx, settings)
	if err != nil {
		return err
	}
	query := exporter.Query{Kind: c.Kind, Since: c.Since, Patience: exportPatience}
	collection := lore.Collection(c.Collection)
	lines := publicCollections[collection].export(client)
	if c.Format == "csv" {
		lines = exporter.CSV(collection, lines)
	}
	export := func(to io.Writer) (count int, err error) {
		buffer := bufio.NewWriterSize(to, 64<<10)
		err = lines(ctx, query, func(line []byte) error {
			count++
			_, err := buffer.Write(append(line, '\n'))
			return err
		})
		return count, errors.Join(err, buffer.Flush())
	}
	if c.File == "-" {
		_, err := export(out.stdout)
		return err
	}
	count, sum, err := writeWhole(c.File, export)
	if err != nil {
		return fmt.Errorf("the export broke off after %d lines: %w", count, err)
	}
	_, err = fmt.Fprintf(out.stdout, "%d lines, sha256 %s\n", count, sum)
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
