// Package labelled reads the labelled data that models are learned from.
package labelled

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Read returns the rows of a packed file of one JSON object a line.
func Read[T any](path string) ([]T, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var rows []T
	for decoder := json.NewDecoder(unpacked); ; {
		var row T
		if err := decoder.Decode(&row); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, len(rows)+1, err)
		}
		rows = append(rows, row)
	}
}
