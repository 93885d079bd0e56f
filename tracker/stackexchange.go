package tracker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// A dump's Posts.xml has one element a post:
//
//	<row Id="7" PostTypeId="2" ParentId="5" Body="&lt;p&gt;…" />
//
// A question names its accepted answer by its id, and the answer may stand gigabytes away. So the file is read twice.
// The first pass notes where each answer begins: 8 bytes a post, in a temporary file that holds no text. The second pass
// reads the questions in order, and of each the one answer that its asker accepted. Memory doesn't grow with the dump.

// maxRow bounds one post: Stack Exchange allows 30,000 characters, which XML and HTML make longer.
const maxRow = 4 << 20

const (
	// dumpBuffer is how much of a dump is read at once, answerBuffer how much of it where one answer is.
	dumpBuffer   = 1 << 20
	answerBuffer = 4 << 10
)

// placeSize is what the place of a post takes, in bytes.
const placeSize = 8

// errNotSeekable is returned of a dump that can't be read twice.
var errNotSeekable = errors.New("it can't be read twice: unpack it to a file first")

// stackRow is a post of a dump.
type stackRow struct {
	ID       int       `xml:"Id,attr"`
	Type     int       `xml:"PostTypeId,attr"`
	Accepted int64     `xml:"AcceptedAnswerId,attr"`
	Created  stackTime `xml:"CreationDate,attr"`
	Closed   stackTime `xml:"ClosedDate,attr"`
	Title    string    `xml:"Title,attr"`
	Body     string    `xml:"Body,attr"`
	Tags     string    `xml:"Tags,attr"`
	Owner    string    `xml:"OwnerUserId,attr"`
	Name     string    `xml:"OwnerDisplayName,attr"` // where the account is gone
}

// The types of posts.
const (
	stackQuestion = 1
	stackAnswer   = 2
)

// stackTime is a time of a dump, UTC without saying so.
type stackTime struct{ time.Time }

// UnmarshalXMLAttr reads the time. One that can't be read is none.
func (t *stackTime) UnmarshalXMLAttr(attr xml.Attr) error {
	t.Time, _ = time.Parse("2006-01-02T15:04:05.999", attr.Value)
	return nil
}

func (r stackRow) person() Person {
	name := r.Owner
	if name == "" {
		name = r.Name
	}
	return Person{Handle: name, Bot: r.Owner == "-1"}
}

// stackExchange reads dumps, one after the other. The last line of a whole dump ends its element.
func (l Listing) stackExchange(extent *Extent, visit func(Thread) error) error {
	whole := true
	for _, name := range l.Files {
		ended, err := l.stackDump(name, extent, visit)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		whole = whole && ended
	}
	extent.Complete = whole
	return nil
}

func (l Listing) stackDump(name string, extent *Extent, visit func(Thread) error) (whole bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return false, errors.Unwrap(err)
	}
	defer file.Close()
	if at, err := file.Seek(0, io.SeekStart); err != nil || at != 0 {
		return false, errNotSeekable
	}
	answers, err := newPlaces()
	if err != nil {
		return false, err
	}
	defer answers.close()
	if whole, err = eachRow(bufio.NewReaderSize(file, dumpBuffer), func(at int64, row []byte) error {
		if id, isAnswer := answerID(row); isAnswer {
			return answers.put(id, at)
		}
		return nil
	}); err != nil {
		return false, err
	}
	if err := answers.flush(); err != nil {
		return false, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, errNotSeekable
	}
	_, err = eachRow(bufio.NewReaderSize(file, dumpBuffer), func(_ int64, text []byte) error {
		if !bytes.Contains(text, []byte(` PostTypeId="1"`)) {
			return nil
		}
		var row stackRow
		if xml.Unmarshal(text, &row) != nil || row.Type != stackQuestion || row.Title == "" {
			extent.Skipped++
			return nil
		}
		thread := row.thread(l.Project)
		if row.Accepted > 0 {
			answer, err := acceptedAnswer(file, answers, row.Accepted)
			if err != nil {
				return err
			}
			if answer != nil {
				thread.Closed = true
				thread.Comments = []Comment{
					{
						Post: Post{
							Body: fromHTML(answer.Body),
						},
						Author:    answer.person(),
						CreatedAt: answer.Created.Time,
						Accepted:  true,
					},
				}
			}
		}
		return visit(thread)
	})
	return whole, err
}

func (r stackRow) thread(site string) Thread {
	return Thread{
		Post: Post{
			Title: r.Title,
			Body:  fromHTML(r.Body),
		},
		Address:   siteAddress(site, "/questions/", r.ID),
		Project:   siteOf(site),
		Asker:     r.person(),
		Labels:    stackTags(r.Tags),
		CreatedAt: r.Created.Time,
		Declined:  !r.Closed.IsZero(),
	}
}

// stackTags reads `<solidity><geth>`, as dumps had it until 2024, and `|solidity|geth|`.
func stackTags(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '<' || r == '>' || r == '|' })
}

// acceptedAnswer reads an answer by its id; nil: the dump doesn't have it.
func acceptedAnswer(file io.ReaderAt, answers *places, id int64) (*stackRow, error) {
	at, there, err := answers.get(id)
	if err != nil || !there {
		return nil, err
	}
	var answer *stackRow
	_, err = eachRow(
		bufio.NewReaderSize(io.NewSectionReader(file, at, maxRow), answerBuffer),
		func(_ int64, text []byte) error {
			var row stackRow
			if xml.Unmarshal(text, &row) == nil && int64(row.ID) == id && row.Type == stackAnswer {
				answer = &row
			}
			return errEnough
		},
	)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return answer, err
}

var errEnough = errors.New("enough was read")

// answerID returns the id of a post that is an answer. It looks at the bytes alone: the first pass goes over every
// post, and a parser of XML would take most of its time. Within a value no quote stands, so what stands before one is a
// name.
func answerID(row []byte) (id int64, isAnswer bool) {
	if !bytes.Contains(row, []byte(` PostTypeId="2"`)) {
		return 0, false
	}
	_, rest, found := bytes.Cut(row, []byte(` Id="`))
	digits, _, _ := bytes.Cut(rest, []byte(`"`))
	id, err := strconv.ParseInt(string(digits), 10, 64)
	return id, found && err == nil && id > 0
}

// eachRow hands each row element to visit, with the place at which it begins, and reports whether the document was
// ended. A row that is longer than any post is left out.
func eachRow(reader *bufio.Reader, visit func(at int64, row []byte) error) (ended bool, err error) {
	var row []byte
	for at := int64(0); ; {
		row = row[:0]
		begin, size, tooLong := at, 0, false
		// A row ends with "/>", which no value holds: the dump writes > as &gt;, and a stray one goes on here.
		for {
			part, fault := reader.ReadSlice('>')
			size += len(part)
			if tooLong = tooLong || size > maxRow; !tooLong {
				row = append(row, part...)
			}
			if errors.Is(fault, bufio.ErrBufferFull) {
				continue
			}
			if errors.Is(fault, io.EOF) {
				return ended, nil
			}
			if fault != nil {
				return ended, fault
			}
			if !tooLong && bytes.Contains(row, []byte("<row ")) && !bytes.HasSuffix(row, []byte("/>")) {
				continue
			}
			break
		}
		at += int64(size)
		switch start := bytes.Index(row, []byte("<row ")); {
		case bytes.Contains(row, []byte("</posts>")):
			ended = true
		case tooLong || start < 0:
		default:
			if err := visit(begin+int64(start), row[start:]); err != nil {
				return ended, err
			}
		}
	}
}

// places is where posts stand in a dump, by their ids: a table in a temporary file.
type places struct {
	file    *os.File
	pending []byte // of the posts from begins on
	begins  int64
	written int64 // up to where the file was written
}

// mostPending is how much of the table waits in memory to be written.
const mostPending = 1 << 20

func newPlaces() (*places, error) {
	file, err := os.CreateTemp("", "agentlore-places-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for the places of answers: %w", err)
	}
	_ = os.Remove(file.Name()) // it goes when it is closed, however the program ends
	return &places{file: file}, nil
}

func (p *places) close() { _ = p.file.Close() }

// put notes where a post begins; ids come mostly in order.
func (p *places) put(id, at int64) error {
	offset := id*placeSize - p.begins
	if offset < 0 || offset > mostPending {
		if err := p.flush(); err != nil {
			return err
		}
		p.begins = id * placeSize
		offset = 0
	}
	for int64(len(p.pending)) < offset {
		p.pending = append(p.pending, 0)
	}
	if offset < int64(len(p.pending)) { // out of order, and not written yet
		binary.LittleEndian.PutUint64(p.pending[offset:], uint64(at+1))
		return nil
	}
	p.pending = binary.LittleEndian.AppendUint64(p.pending, uint64(at+1))
	return nil
}

// flush writes what is pending. A place that an earlier flush wrote in the same range stays.
func (p *places) flush() error {
	if p.begins >= p.written { // as in every dump whose ids are in order
		if _, err := p.file.WriteAt(p.pending, p.begins); err != nil {
			return fmt.Errorf("write the places of answers to a temporary file: %w", err)
		}
		p.written, p.pending = p.begins+int64(len(p.pending)), p.pending[:0]
		return nil
	}
	for i := 0; i < len(p.pending); {
		if binary.LittleEndian.Uint64(p.pending[i:]) == 0 {
			i += placeSize
			continue
		}
		end := i
		for end < len(p.pending) && binary.LittleEndian.Uint64(p.pending[end:]) != 0 {
			end += placeSize
		}
		if _, err := p.file.WriteAt(p.pending[i:end], p.begins+int64(i)); err != nil {
			return fmt.Errorf("write the places of answers to a temporary file: %w", err)
		}
		i = end
	}
	p.pending = p.pending[:0]
	return nil
}

// get returns where a post begins.
func (p *places) get(id int64) (at int64, there bool, err error) {
	var place [placeSize]byte
	if _, err := p.file.ReadAt(place[:], id*placeSize); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, false, nil
		}
		return 0, false, err
	}
	at = int64(binary.LittleEndian.Uint64(place[:]))
	return at - 1, at > 0, nil
}
