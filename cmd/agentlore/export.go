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
	"io/fs"
	"os"
	"strings"
	"time"

	"agentlore/exporter"
	"agentlore/index"
	"agentlore/lore"
)

// exportCommand writes a collection to a file.
type exportCommand struct {
	storeConfig
	Collection string    `required:"" enum:"sources,submissions,knowledge-units,patterns,assets,suggestions,safety-flags" help:"What to export."`
	Since      time.Time `help:"Only what was created or erased from this time on, as in 2026-01-31T00:00:00Z."`
	File       string    `arg:"" help:"File to write, packed if it ends in .gz; - for standard output. An export that broke off left FILE.part: the next one goes on there."`
}

// exportPatience is how long an export waits for a store that can't answer.
const exportPatience = 2 * time.Minute

// Run exports and prints how many lines there are and their checksum.
func (c *exportCommand) Run(ctx context.Context, out output) error {
	settings, err := c.settings(out)
	if err != nil {
		return err
	}
	client, err := index.Open(settings)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := client.WaitReady(waiting); err != nil {
		return err
	}
	query := exporter.Query{Since: c.Since, Patience: exportPatience}
	lines := exportsOf(client)[lore.Collection(c.Collection)]
	if c.File == "-" {
		to := bufio.NewWriterSize(out.stdout, 64<<10)
		err := lines(ctx, query, func(line []byte) error { return writeLine(to, line) })
		return errors.Join(err, to.Flush())
	}
	file, err := openExport(c.File)
	if err != nil {
		return err
	}
	if query.After = file.cursor; query.After != "" {
		fmt.Fprintf(out.stderr, "goes on behind %d lines of an export that broke off\n", file.lines)
	}
	if err := lines(ctx, query, file.add); err != nil {
		return errors.Join(fmt.Errorf("the export broke off after %d lines: %w (run it again to go on)", file.lines, err), file.close())
	}
	if err := file.finish(); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "%d lines, sha256 %s\n", file.lines, hex.EncodeToString(file.sum.Sum(nil)))
	return nil
}

// exportsOf returns the export of every public collection.
func exportsOf(client *index.Client) map[lore.Collection]exporter.Export {
	return map[lore.Collection]exporter.Export{
		lore.Sources:        exporter.Of(index.NewCollection[lore.Source](client, lore.Sources, "source")),
		lore.Submissions:    exporter.Of(index.NewCollection[lore.Submission](client, lore.Submissions, "submission")),
		lore.KnowledgeUnits: exporter.Of(index.NewCollection[lore.KnowledgeUnit](client, lore.KnowledgeUnits, "knowledge unit")),
		lore.Patterns:       exporter.Of(index.NewCollection[lore.Pattern](client, lore.Patterns, "pattern")),
		lore.Assets:         exporter.Of(index.NewCollection[lore.Asset](client, lore.Assets, "asset")),
		lore.Suggestions:    exporter.Of(index.NewCollection[lore.Suggestion](client, lore.Suggestions, "suggestion")),
		lore.SafetyFlags:    exporter.Of(index.NewCollection[lore.SafetyFlag](client, lore.SafetyFlags, "safety flag")),
	}
}

// exportFile is a file that is being written under another name, so that whatever has the right name is whole.
type exportFile struct {
	path   string
	file   *os.File
	packed *gzip.Writer // nil: plain
	to     *bufio.Writer
	sum    hash.Hash // of all lines, unpacked
	lines  int
	cursor string // behind what an earlier export left; empty: nothing
}

// openExport opens FILE.part anew, with the whole lines of what an earlier export left there.
func openExport(path string) (*exportFile, error) {
	part := path + ".part"
	e := &exportFile{path: path, sum: sha256.New()}
	left, err := os.Open(part)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if e.file, err = os.OpenFile(part+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	var to io.Writer = e.file
	if strings.HasSuffix(path, ".gz") {
		e.packed = gzip.NewWriter(e.file)
		to = e.packed
	}
	e.to = bufio.NewWriterSize(to, 64<<10)
	if left != nil {
		defer left.Close()
		if err := e.takeOver(left); err != nil {
			return nil, err
		}
	}
	return e, os.Rename(part+".new", part)
}

// takeOver copies the whole lines of what an earlier export left. Its end may be torn: what can't be read is fetched again.
func (e *exportFile) takeOver(left io.Reader) error {
	if e.packed != nil {
		unpacked, err := gzip.NewReader(left)
		if err != nil {
			return nil // not even its beginning was written
		}
		left = unpacked
	}
	reader := bufio.NewReaderSize(left, 64<<10)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return nil // a line without its end, or packed data without its own
		}
		var item struct {
			ID       string    `json:"id"`
			ErasedAt time.Time `json:"erased_at"`
		}
		line = line[:len(line)-1]
		if json.Unmarshal(line, &item) != nil || !lore.ValidID(item.ID) {
			return fmt.Errorf("%s.part is not of an export: remove it", e.path)
		}
		if err := e.add(line); err != nil {
			return err
		}
		if e.cursor = item.ID; !item.ErasedAt.IsZero() {
			e.cursor = exporter.ErasedCursor + item.ID
		}
	}
}

// add writes a line.
func (e *exportFile) add(line []byte) error {
	e.sum.Write(line)
	e.sum.Write([]byte{'\n'})
	e.lines++
	return writeLine(e.to, line)
}

func writeLine(to *bufio.Writer, line []byte) error {
	if _, err := to.Write(line); err != nil {
		return err
	}
	return to.WriteByte('\n')
}

// close writes out what is held and leaves the file for the next export.
func (e *exportFile) close() error {
	err := e.to.Flush()
	if e.packed != nil {
		err = errors.Join(err, e.packed.Close())
	}
	return errors.Join(err, e.file.Close())
}

// finish gives the file its name.
func (e *exportFile) finish() error {
	if err := errors.Join(e.to.Flush(), e.file.Sync()); err != nil {
		return err
	}
	if err := e.close(); err != nil {
		return err
	}
	return os.Rename(e.path+".part", e.path)
}
