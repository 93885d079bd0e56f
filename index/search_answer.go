package index

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"agentlore/lore"
)

// found is Elasticsearch's answer to a search over the searchable collections. Of a brief one only what puts results in order
// is read of the documents, until readWhole: most of them no page shows.
type found struct {
	searchAnswer[searchDocument]
	brief bool
}

var errUnreadable = errors.New("elasticsearch's answer to a search can't be read")

// readAnswer reads what a search needs of the answer.
func (f *found) readAnswer(text string) error {
	r := &jsonReader{text: text}
	for name := range r.members() {
		switch name {
		case "took":
			f.Took = int(r.integer())
		case "hits":
			f.readHits(r)
		case "aggregations":
			f.Aggregations = readParts(r)
		case "suggest":
			f.Suggest = readParts(r)
		default:
			r.skip()
		}
	}
	if r.failed {
		return errUnreadable
	}
	return nil
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
			if f.brief {
				f.Hits.Hits = make([]hit[searchDocument], 0, closerWindow) // as many as it is asked for, nearly always
			}
			for range r.elements() {
				f.Hits.Hits = append(f.Hits.Hits, readHit(r, f.brief))
			}
		default:
			r.skip()
		}
	}
}

func readHit(r *jsonReader, brief bool) (one hit[searchDocument]) {
	for name := range r.members() {
		switch name {
		case "_index":
			one.Index = r.str()
		case "_id":
			one.ID = r.str()
		case "_score":
			one.Score = readNumber(r)
		case "_source":
			if brief {
				one.Text = r.span(func() { one.Source.readBrief(r) })
			} else {
				one.Source.read(r)
			}
		case "sort":
			for range r.elements() {
				one.Sort = append(one.Sort, r.raw())
			}
		case "matched_queries":
			one.Names = r.span(r.skip)
			if !brief && one.readNames() != nil {
				r.fail()
			}
		default:
			r.skip()
		}
	}
	return one
}

// readWhole reads the documents of hits whole.
func readWhole(hits []hit[searchDocument]) error {
	for i := range hits {
		r := &jsonReader{text: hits[i].Text}
		hits[i].Source = searchDocument{}
		if hits[i].Source.read(r); r.failed || hits[i].readNames() != nil {
			return errUnreadable
		}
	}
	return nil
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

// readBrief reads what puts results in order.
func (d *searchDocument) readBrief(r *jsonReader) {
	for name := range r.members() {
		switch name {
		case "signature", "tier", "confidence", "category", "created_at", "last_confirmed_at", "outcomes":
			d.readField(r, name)
		default:
			r.skip()
		}
	}
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
