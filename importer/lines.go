package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxLine bounds one line: the fields' limits in four-byte characters, escaped, fit twice.
const maxLine = 1 << 20

// errLineTooLong is reported for a line longer than maxLine.
var errLineTooLong = errors.New("the line is longer than 1 MiB")

// eachLine calls visit with the number (from 1) and a copy of each line that isn't blank, and with an error in place of a
// line that is too long. It unpacks gzip, known by its first bytes. It stops at visit's first error.
func eachLine(file io.Reader, visit func(number int, line []byte, err error) error) error {
	reader := bufio.NewReaderSize(file, 64<<10)
	if magic, _ := reader.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(reader)
		if err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
		defer unpacked.Close()
		reader = bufio.NewReaderSize(unpacked, 64<<10)
	}
	for number := 1; ; number++ {
		line, err := readLine(reader)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLineTooLong) {
			return fmt.Errorf("read line %d: %w", number, err)
		}
		ended := errors.Is(err, io.EOF)
		if ended {
			err = nil
		}
		if line = bytes.TrimSpace(line); err != nil || len(line) > 0 {
			if stop := visit(number, line, err); stop != nil {
				return stop
			}
		}
		if ended {
			return nil
		}
	}
}

// readLine returns a line of its own memory. Of a line that is too long it reads all and keeps nothing.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for tooLong := false; ; {
		part, err := reader.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && tooLong:
			return nil, errLineTooLong
		}
		return slices.Clip(line), err
	}
}
