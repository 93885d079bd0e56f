package enginetest

import (
	"bufio"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
)

// Lines yields the lines of a packed file that aren't empty. It fails the test where the file can't be read.
func Lines(tb testing.TB, name string) iter.Seq[string] {
	tb.Helper()
	return func(yield func(string) bool) {
		file, err := os.Open(name)
		if err != nil {
			tb.Fatal(err)
		}
		defer file.Close()
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			tb.Fatal(err)
		}
		for lines := bufio.NewReader(unpacked); ; {
			line, err := lines.ReadString('\n')
			if line = strings.TrimSpace(line); line != "" && !yield(line) {
				return
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
}
