package search

import (
	"bytes"
	"encoding/base64"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/terms"
)

// searchResponse is Elasticsearch's answer to a search.
type searchResponse struct {
	Aggregations map[string]stdjson.RawMessage `json:"aggregations"`

	found struct {
		Total struct {
			Value    int64  `json:"value"`
			Relation string `json:"relation"`
		} `json:"total"`
	}
	hits []*searchHit
}

// searchHit is one document of it, with what rank knows of it.
type searchHit struct {
	Index   string               `json:"_index"`
	Score   float64              `json:"_score"` // 0 in the order of time
	Sort    []stdjson.RawMessage `json:"sort"`
	Matched matched              `json:"matched_queries"`

	source    []byte         // the document's text
	document  searchDocument // until it is read, only what ranks it
	whole     bool           // all of the document is read
	signature terms.Signature
	reranked  bool
	features  rankFeatures
	boost     float64 // what its neighbours add to the score
	itemType  lore.ItemType
	words     bool    // found it, where it could be found by meaning too
	near      bool    // it is among the nearest in meaning
	nearness  float64 // the cosine; 0: unknown
	alike     int     // the other results of its problem
}

// read reads all of the document, once.
func (h *searchHit) read() error {
	if h.whole {
		return nil
	}
	if err := json.Unmarshal(h.source, &h.document); err != nil {
		return fmt.Errorf("read a result: %w", err)
	}
	h.whole = true
	return nil
}

// searchDocument is what the four searchable collections have in common.
type searchDocument struct {
	ID              string             `json:"id"`
	Summary         string             `json:"summary"`
	Category        lore.Category      `json:"category"`
	Ecosystem       lore.StringList    `json:"ecosystem"` // a string of submissions, a list of the others
	Tags            []string           `json:"tags"`
	Tier            lore.Tier          `json:"tier"`
	Confidence      *float64           `json:"confidence"`
	Status          string             `json:"status"`
	Ref             string             `json:"ref"`
	Entities        []string           `json:"entities"`
	CreatedAt       time.Time          `json:"created_at"`
	LastConfirmedAt *time.Time         `json:"last_confirmed_at"`
	Outcomes        *lore.Outcomes     `json:"outcomes"`
	Content         string             `json:"content"`
	Resolution      string             `json:"resolution"`
	Description     string             `json:"description"`
	Signature       string             `json:"signature"`
	Embedding       string             `json:"embedding"`
	EmbeddingModel  string             `json:"embedding_model"`
	Warnings        []lore.ItemWarning `json:"warnings"`
	Names           []string           `json:"names"`
	Applies         string             `json:"applies"`
	PatternID       string             `json:"pattern_id"`
	KnowledgeUnitID string             `json:"knowledge_unit_id"`
	Evidence        lore.Evidence      `json:"evidence"`     // of knowledge units
	Reports         int                `json:"report_count"` // of patterns
	Owners          int                `json:"owner_count"`
	Reference       *lore.Reference    `json:"reference"`
}

// answerBuffers are the memory of answers, 60 to 240 kB each: new ones would be most of what a search leaves the garbage collector.
var answerBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxAnswerBuffer is up to which size a buffer is used again: an unusually long answer would hold that much for good.
const maxAnswerBuffer = 1 << 20

func releaseAnswer(buffer *bytes.Buffer) {
	if buffer.Cap() <= maxAnswerBuffer {
		answerBuffers.Put(buffer)
	}
}

// rankingFields are the fields of a document that rank it.
var rankingFields = map[string]bool{
	"signature": true, "tier": true, "confidence": true, "category": true, "tags": true, "created_at": true, "last_confirmed_at": true, "outcomes": true, "warnings": true,
	index.VectorField: true, index.VectorModelField: true,
}

// readResponse reads an answer, and of its documents what ranks them. The hits share the memory of the text.
func readResponse(text []byte) (*searchResponse, error) {
	s, response := &jsonScanner{text: text}, new(searchResponse)
	s.object(response, nil, "hits", func() {
		s.object(&response.found, nil, "hits", func() {
			for s.enter(); s.more(); {
				hit := new(searchHit)
				s.object(hit, nil, "_source", func() {
					s.peek()
					start := s.at
					s.object(&hit.document, rankingFields, "", nil)
					hit.source = text[start:s.at]
				})
				coded, _ := base64.StdEncoding.DecodeString(hit.document.Signature) // one that can't be read matches nothing
				hit.signature = terms.ReadSignature(coded)
				response.hits = append(response.hits, hit)
			}
		})
	})
	return response, s.err
}

// object decodes the members of an object that are wanted, all where wanted is nil, but for one that is read apart.
func (s *jsonScanner) object(to any, wanted map[string]bool, apart string, read func()) {
	from := len(s.members)
	s.members = append(s.members, '{')
	for s.enter(); s.more(); {
		start := s.at
		name := s.name()
		if read != nil && string(name) == apart {
			read()
		} else if s.value(); wanted == nil || wanted[string(name)] {
			s.members = append(append(s.members, s.text[start:s.at]...), ',')
		}
	}
	s.members = append(bytes.TrimSuffix(s.members, []byte{','}), '}')
	if err := json.Unmarshal(s.members[from:], to); err != nil && s.err == nil {
		s.err = err
	}
	s.members = s.members[:from]
}

// jsonScanner finds the parts of a JSON text, from front to end, and decodes those that are asked for. Most of an answer is texts of
// results that no page shows: to pass over them takes a decoder three times as long. It is no validator: a text that isn't JSON has
// other parts, or none.
type jsonScanner struct {
	text    []byte
	at      int
	members []byte // to be decoded, of the objects around this place
	err     error
}

var errUnreadable = errors.New("elasticsearch's answer to a search ends too early")

// peek moves to the next value or bracket and returns its first byte, 0 at the end of the text.
func (s *jsonScanner) peek() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\r', '\t', ',', ':':
		default:
			return c
		}
	}
	s.err = errUnreadable
	return 0
}

// enter moves behind the bracket that opens an object or a list.
func (s *jsonScanner) enter() {
	if s.peek() != 0 {
		s.at++
	}
}

// more reports whether the object or list goes on; at its end it moves behind the bracket.
func (s *jsonScanner) more() bool {
	switch s.peek() {
	case '}', ']':
		s.at++
		return false
	}
	return s.err == nil
}

// name returns the name of a member.
func (s *jsonScanner) name() []byte { return bytes.Trim(s.value(), `"`) }

// value returns the text of a value.
func (s *jsonScanner) value() []byte {
	s.peek()
	for start, depth := s.at, 0; s.err == nil; {
		switch s.peek() {
		case '"':
			s.at += stringLength(s.text[s.at:])
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		default: // a number, true, false or null
			length := bytes.IndexAny(s.text[s.at:], ",]} \n\r\t")
			if length < 0 {
				length = len(s.text) - s.at
			}
			s.at += length
		}
		if depth <= 0 {
			return s.text[start:s.at]
		}
	}
	return nil
}

// stringLength returns the length of the string that a text begins with.
func stringLength(text []byte) int {
	for at := 1; ; {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return len(text)
		}
		at += quote + 1
		slashes := 0
		for text[at-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
}
