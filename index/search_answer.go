package index

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"agentlore/lore"
)

// found is Elasticsearch's answer to a search over the searchable collections, as it is read: until release its hits stand in
// memory that the next search uses. Of the documents only what puts results in order is read, until ownHits: most of them no page
// shows.
type found struct {
	searchAnswer[searchDocument]
	scratch *scratch
}

var errUnreadable = errors.New("elasticsearch's answer to a search can't be read")

// readAnswer reads what a search needs of the answer, instead of what an earlier one said.
func (f *found) readAnswer(body io.Reader) error {
	if f.scratch == nil {
		f.scratch = scratches.Get().(*scratch)
	}
	f.searchAnswer = searchAnswer[searchDocument]{}
	text, err := f.scratch.read(body)
	if err != nil {
		return err
	}
	r := &jsonReader{text: text}
	for name := range r.members() {
		switch name {
		case "hits":
			f.readHits(r)
		case "aggregations":
			f.Aggregations = readParts(r)
		default:
			r.skip()
		}
	}
	if r.failed {
		return errUnreadable
	}
	return nil
}

// release gives the memory back that the hits stand in.
func (f *found) release() {
	f.Hits.Hits = nil
	if f.scratch != nil {
		f.scratch.release()
		f.scratch = nil
	}
}

// readParts reads an object of parts that somebody else reads.
func readParts(r *jsonReader) map[string]json.RawMessage {
	parts := map[string]json.RawMessage{}
	for name := range r.members() {
		parts[name] = r.raw()
	}
	return parts
}

func (f *found) readHits(r *jsonReader) {
	for name := range r.members() {
		switch name {
		case "total":
			for name := range r.members() {
				switch name {
				case "value":
					f.Hits.Total.Value = r.integer()
				case "relation":
					f.Hits.Total.Relation = r.str()
				default:
					r.skip()
				}
			}
		case "hits":
			for range r.elements() {
				f.readHit(r, f.scratch.hit())
			}
			f.Hits.Hits = f.scratch.hits
		default:
			r.skip()
		}
	}
}

func (f *found) readHit(r *jsonReader, one *hit[searchDocument]) {
	for name := range r.members() {
		switch name {
		case "_index":
			one.Index = r.str()
		case "_id":
			one.ID = r.str()
		case "_score":
			one.Score = readNumber(r)
		case "_source":
			one.Text = r.span(func() { f.readBrief(r, &one.Source) })
		case "sort":
			for range r.elements() {
				one.Sort = append(one.Sort, r.raw())
			}
		case "matched_queries":
			one.Names = r.span(r.skip)
		default:
			r.skip()
		}
	}
}

// readBrief reads what puts results in order.
func (f *found) readBrief(r *jsonReader, document *searchDocument) {
	for name := range r.members() {
		switch name {
		case "signature":
			document.Signature = f.scratch.signature(r.str())
		case "tier", "confidence", "category", "created_at", "last_confirmed_at", "outcomes", "warnings":
			document.readField(r, name)
		default:
			r.skip()
		}
	}
}

// ownHits returns hits of their own, with their documents read whole.
func ownHits(hits []hit[searchDocument]) ([]hit[searchDocument], error) {
	own := slices.Clone(hits)
	for i := range own {
		one := &own[i]
		if one.Text != "" {
			r := &jsonReader{text: one.Text}
			one.Source, one.Text = searchDocument{}, ""
			if one.Source.read(r); r.failed {
				return nil, errUnreadable
			}
		}
		if one.readNames() != nil {
			return nil, errUnreadable
		}
	}
	return own, nil
}

// readNames reads which clauses found a hit.
func (h *hit[T]) readNames() error {
	if h.Names == "" {
		return nil
	}
	names := []byte(h.Names)
	h.Names = ""
	return h.Matched.UnmarshalJSON(names)
}

// read reads a document's fields; a test holds them and the struct's together.
func (d *searchDocument) read(r *jsonReader) {
	for name := range r.members() {
		d.readField(r, name)
	}
}

func (d *searchDocument) readField(r *jsonReader, name string) {
	switch name {
	case "id":
		d.ID = r.str()
	case "summary":
		d.Summary = r.str()
	case "category":
		d.Category = lore.Category(r.str())
	case "ecosystem":
		d.Ecosystem = r.strs()
	case "tags":
		d.Tags = r.strs()
	case "tier":
		d.Tier = lore.Tier(r.integer())
	case "confidence":
		d.Confidence = readNumber(r)
	case "status":
		d.Status = r.str()
	case "ref":
		d.Ref = r.str()
	case "entities":
		d.Entities = r.strs()
	case "created_at":
		d.CreatedAt = readTime(r)
	case "last_confirmed_at":
		if !r.null() {
			at := readTime(r)
			d.LastConfirmedAt = &at
		}
	case "outcomes":
		d.Outcomes = readOutcomes(r)
	case "warnings":
		d.Warnings = readWarnings(r)
	case "content":
		d.Content = r.str()
	case "resolution":
		d.Resolution = r.str()
	case "description":
		d.Description = r.str()
	case "signature":
		// One that can't be read is like no other, which is all that depends on it.
		d.Signature, _ = base64.StdEncoding.DecodeString(r.str())
	default:
		r.skip()
	}
}

func readNumber(r *jsonReader) *float64 {
	if r.null() {
		return nil
	}
	number := r.number()
	return &number
}

func readTime(r *jsonReader) time.Time {
	at, err := time.Parse(time.RFC3339, r.str())
	if err != nil {
		r.fail()
	}
	return at
}

func readWarnings(r *jsonReader) (warnings []lore.ItemWarning) {
	for range r.elements() {
		var warning lore.ItemWarning
		for name := range r.members() {
			switch name {
			case "code":
				warning.Code = r.str()
			case "detail":
				warning.Detail = r.str()
			default:
				r.skip()
			}
		}
		warnings = append(warnings, warning)
	}
	return warnings
}

func readOutcomes(r *jsonReader) *lore.Outcomes {
	if r.null() {
		return nil
	}
	outcomes := &lore.Outcomes{}
	for name := range r.members() {
		switch name {
		case "worked":
			outcomes.Worked = int(r.integer())
		case "failed":
			outcomes.Failed = int(r.integer())
		case "unsafe":
			outcomes.Unsafe = int(r.integer())
		default:
			r.skip()
		}
	}
	return outcomes
}
