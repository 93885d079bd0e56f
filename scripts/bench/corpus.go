package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
)

// corpus returns the file of the corpus, which it writes if it is missing.
func (b *bench) corpus(ctx context.Context) (path string, err error) {
	path = filepath.Join(b.Work, fmt.Sprintf("corpus-%d-%d.jsonl", b.Docs, b.Seed))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	say("   making a corpus of %s submissions", thousands(b.Docs))
	real, err := b.observations()
	if err != nil {
		return "", err
	}
	defer debug.FreeOSMemory() // the real ones are not needed under load
	half := path + ".half"     // a run that is stopped leaves no short corpus
	if err := writeCorpus(ctx, half, newMixer(real, b.Seed), b.Docs); err != nil {
		os.Remove(half)
		return "", fmt.Errorf("write the corpus: %w", err)
	}
	return path, os.Rename(half, path)
}

// writeCorpus writes observations as one JSON object a line.
func writeCorpus(ctx context.Context, path string, m *mixer, docs int) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	buffered := bufio.NewWriterSize(file, 1<<20)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for number := range docs {
		if number%1000 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := encoder.Encode(m.observation(number)); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// lineReader reads a corpus line by line.
type lineReader struct {
	file   *os.File
	reader *bufio.Reader
}

func openLines(path string) (*lineReader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &lineReader{file, bufio.NewReaderSize(file, 1<<20)}, nil
}

// next returns up to so many lines, each with its line feed; fewer only at the end.
func (l *lineReader) next(count int) ([][]byte, error) {
	lines := make([][]byte, 0, count)
	for len(lines) < count {
		line, err := l.reader.ReadBytes('\n')
		if len(line) > 0 {
			lines = append(lines, line)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return lines, err
		}
	}
	return lines, nil
}

func (l *lineReader) Close() error { return l.file.Close() }
