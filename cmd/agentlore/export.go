package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
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
	Collection string    `required:"" enum:"sources,submissions,knowledge-units,patterns,families,assets,suggestions,safety-flags" help:"What to export."`
	Since      time.Time `help:"Only what was created or erased from this time on, as in 2026-01-31T00:00:00Z."`
	File       string    `arg:"" help:"File to write, packed if it ends in .gz; - for standard output. An export that broke off left FILE.part, plain: the next one goes on there."`
}

// exportPatience is how long an export waits for a store that can't answer.
const exportPatience = 2 * time.Minute

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
	query := exporter.Query{Since: c.Since, Patience: exportPatience}
	lines := publicCollections[lore.Collection(c.Collection)].export(client)
	if c.File == "-" {
		to := bufio.NewWriterSize(out.stdout, 64<<10)
		err := lines(ctx, query, func(line []byte) error {
			_, err := to.Write(append(line, '\n'))
			return err
		})
		return errors.Join(err, to.Flush())
	}
	part, err := openPart(c.File + ".part")
	if err != nil {
		return err
	}
	defer part.file.Close() // finish closes it too, and returns the error
	if query.After = part.cursor; query.After != "" {
		fmt.Fprintf(out.stderr, "goes on behind %d lines of an export that broke off\n", part.lines)
	}
	if err := lines(ctx, query, part.add); err != nil {
		return errors.Join(fmt.Errorf("the export broke off after %d lines: %w (run it again to go on)", part.lines, err), part.to.Flush())
	}
	if err := part.finish(c.File); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "%d lines, sha256 %s\n", part.lines, hex.EncodeToString(part.sum.Sum(nil)))
	return nil
}

// exportPart is a file that is being written under another name, so that a file of the right name is whole.
type exportPart struct {
	file   *os.File
	to     *bufio.Writer
	sum    hash.Hash // of all lines
	lines  int
	cursor string // behind what an earlier export left; empty: nothing
}

// openPart opens a file to go on behind the whole lines that an earlier export left there. The rest is torn off: it is fetched again.
func openPart(name string) (*exportPart, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	p := &exportPart{file: file, to: bufio.NewWriterSize(file, 64<<10), sum: sha256.New()}
	whole, reader, last := int64(0), bufio.NewReaderSize(file, 64<<10), []byte(nil)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			break // a line without its end, or the file's end
		}
		p.sum.Write(line)
		p.lines++
		whole, last = whole+int64(len(line)), line
	}
	if p.lines > 0 {
		var item struct {
			ID       string    `json:"id"`
			ErasedAt time.Time `json:"erased_at"`
		}
		if json.Unmarshal(last, &item) != nil || !lore.ValidID(item.ID) {
			return nil, errors.Join(fmt.Errorf("%s is not of an export: remove it", name), file.Close())
		}
		if p.cursor = item.ID; !item.ErasedAt.IsZero() {
			p.cursor = exporter.ErasedCursor + item.ID
		}
	}
	_, err = file.Seek(whole, io.SeekStart)
	return p, errors.Join(err, file.Truncate(whole))
}

// add writes a line.
func (p *exportPart) add(line []byte) error {
	line = append(line, '\n')
	p.sum.Write(line)
	p.lines++
	_, err := p.to.Write(line)
	return err
}

// finish gives the file its name, packed if that ends in .gz.
func (p *exportPart) finish(name string) error {
	if err := errors.Join(p.to.Flush(), p.file.Sync()); err != nil {
		return err
	}
	part := p.file.Name()
	if !strings.HasSuffix(name, ".gz") {
		return errors.Join(p.file.Close(), os.Rename(part, name))
	}
	file, err := os.OpenFile(part+".gz", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(file)
	_, err = p.file.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(packed, p.file)
	}
	if err := errors.Join(err, packed.Close(), file.Sync(), file.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(part+".gz", name), os.Remove(part))
}
