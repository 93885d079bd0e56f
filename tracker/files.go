package tracker

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient is how a tracker's JSON is read: names are of its own choice, and pasted logs hold bytes of every kind.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// eachObject hands every JSON object of the files to visit: of arrays, of arrays in arrays, and one after the other, as
// `gh api --paginate` and `--slurp` write them. Files may be packed by gzip. Its errors quote nothing of a file.
func eachObject(files []string, visit func(object jsontext.Value) error) error {
	for _, name := range files {
		if err := inFile(name, visit); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func inFile(name string, visit func(jsontext.Value) error) error {
	file, err := os.Open(name)
	if err != nil {
		return errors.Unwrap(err) // the name stands before it
	}
	defer file.Close()
	reader := bufio.NewReaderSize(file, 64<<10)
	var text io.Reader = reader
	if magic, _ := reader.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if text, err = gzip.NewReader(reader); err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
	decoder := jsontext.NewDecoder(text, lenient)
	for {
		switch decoder.PeekKind() {
		case '[', ']':
			_, err = decoder.ReadToken()
		case '{':
			var object jsontext.Value
			if object, err = decoder.ReadValue(); err == nil {
				err = visitAll(object, visit)
			}
		default:
			_, err = decoder.ReadToken()
			if errors.Is(err, io.EOF) {
				return nil
			}
		}
		var syntax *jsontext.SyntacticError
		switch {
		case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("it is no JSON from byte %d on: fetch it again", decoder.InputOffset())
		case err != nil:
			return err
		}
	}
}

// visitAll visits an object, or those that an answer of GitHub's search wraps.
func visitAll(object jsontext.Value, visit func(jsontext.Value) error) error {
	var answer struct {
		Count *int             `json:"total_count"`
		Items []jsontext.Value `json:"items"`
	}
	if json.Unmarshal(object, &answer, lenient) != nil || answer.Count == nil {
		return visit(object)
	}
	for _, item := range answer.Items {
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

// statement is a record that says that a listing is whole. Whoever fetched all of it adds it:
//
//	{"complete": true, "threads": 1234}
type statement struct {
	Complete bool `json:"complete"`
	Threads  int  `json:"threads"`
}

// errIncomplete is returned where a listing has fewer threads than its statement says.
var errIncomplete = errors.New("the files have fewer threads than their own statement says: fetch them again")

func (s statement) said() statement { return s }

// readTwice reads the files twice, because what belongs to a thread may stand behind it. It hands each record first to
// collect, which keeps the parts of threads, and then to visit, which puts threads together. It counts records that
// can't be read, and checks what the listing says of itself. R embeds statement.
func readTwice[R interface{ said() statement }](
	files []string, extent *Extent, collect func(R), visit func(R) error,
) error {
	var says statement
	err := eachObject(files, func(object jsontext.Value) error {
		var record R
		switch err := json.Unmarshal(object, &record, lenient); {
		case err != nil: // it is counted when it is read again
		case record.said().Complete:
			says = record.said()
		default:
			collect(record)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = eachObject(files, func(object jsontext.Value) error {
		var record R
		if json.Unmarshal(object, &record, lenient) != nil {
			extent.Skipped++
			return nil
		}
		return visit(record)
	})
	if err != nil {
		return err
	}
	return says.check(extent)
}

// check compares what was read with what the statement says.
func (s statement) check(extent *Extent) error {
	if !s.Complete {
		return nil
	}
	if read := extent.Threads + extent.Private; read < s.Threads {
		return fmt.Errorf("%w (%d of %d)", errIncomplete, read, s.Threads)
	}
	extent.Complete = true
	return nil
}

// sortComments puts comments in order of time. Those of one moment stay as they are.
func sortComments(comments []Comment) {
	slices.SortStableFunc(
		comments,
		func(a, b Comment) int { return cmp.Compare(a.CreatedAt.UnixNano(), b.CreatedAt.UnixNano()) },
	)
}
