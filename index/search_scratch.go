package index

import (
	"bytes"
	"encoding/base64"
	"io"
	"sync"
)

// scratch is the memory that a search reads an answer in: forty documents with their texts, 60 to 240 kB, of which a page
// shows ten. It is used again, or it would be most of what a search leaves the garbage collector. Neither hits nor signatures
// may be kept beyond release; the text is a copy, and its parts may.
type scratch struct {
	text       bytes.Buffer
	hits       []hit[searchDocument]
	signatures []byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// maxKeptText is up to which size of its text a scratch is used again: an unusually long answer would hold that much for good.
const maxKeptText = 1 << 20

// read reads a body and returns its text.
func (s *scratch) read(body io.Reader) (text string, err error) {
	s.empty()
	if _, err := s.text.ReadFrom(body); err != nil {
		return "", err
	}
	return s.text.String(), nil
}

// hit returns a new hit, the scratch's last.
func (s *scratch) hit() *hit[searchDocument] {
	s.hits = append(s.hits, hit[searchDocument]{})
	return &s.hits[len(s.hits)-1]
}

// signature decodes a signature. One that can't be read is like no other, which is all that depends on it.
func (s *scratch) signature(coded string) []byte {
	start := len(s.signatures)
	s.signatures, _ = base64.StdEncoding.AppendDecode(s.signatures, []byte(coded))
	return s.signatures[start:len(s.signatures):len(s.signatures)]
}

// empty forgets what was read, and what the hits point to.
func (s *scratch) empty() {
	s.text.Reset()
	clear(s.hits)
	s.hits, s.signatures = s.hits[:0], s.signatures[:0]
}

// release lets another search use the memory.
func (s *scratch) release() {
	s.empty()
	if s.text.Cap() <= maxKeptText {
		scratches.Put(s)
	}
}
