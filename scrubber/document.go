package scrubber

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrTooLarge is returned when a document's free text is longer than Config.MaxBytes: nothing was scanned.
var ErrTooLarge = errors.New("scrubber: text too large")

// ErrFailed is returned when a scan could not be finished: nothing of the document may be stored.
var ErrFailed = errors.New("scrubber: scan failed")

// Document is a value whose free text must be scrubbed before it is stored. Domain types implement it
// with plain function types, so they need not import this package.
type Document interface {
	// TextFields visits every free-text field under a fixed name. It hands out addresses inside the
	// receiver: an optional field behind a pointer must be copied first, or the caller's text is rewritten.
	TextFields(text func(name string, value *string), list func(name string, values *[]string))
	// Normalise runs after the scrub: lowercase, trim, drop doubles; never inside Marker.
	Normalise()
}

// Scrubbed is a value that has been through the scrubber. Only this package can make one, so a store
// that accepts nothing else cannot be handed raw text.
type Scrubbed[T any] struct {
	value  T
	report Report
}

// Value is the scrubbed value.
func (s Scrubbed[T]) Value() T { return s.value }

// Report tells what was removed from it.
func (s Scrubbed[T]) Report() Report {
	if s.report.Removed == nil {
		s.report.Removed = []Item{}
	}
	return s.report
}

// Scrub cleans every text field of doc and normalises it. The caller's slices are not modified. On a panic, a
// cancelled context or too much text it returns an error and the zero value: fail closed. Errors match
// ErrTooLarge, ErrFailed or the context's error, and never hold text of the document.
func Scrub[T any, P interface {
	*T
	Document
}](ctx context.Context, s *Scrubber, doc T) (out Scrubbed[T], err error) {
	defer func() {
		if recover() != nil { // the panic's value may quote the text, so it is dropped
			out, err = Scrubbed[T]{}, ErrFailed
		}
	}()
	fields := collect(P(&doc))
	size := 0
	for _, f := range fields {
		size += len(*f.value)
	}
	if size > s.maxBytes {
		return out, ErrTooLarge
	}
	tally := make(tally)
	if err := s.fields(ctx, fields, tally); err != nil {
		return out, err
	}
	dropDoubles(P(&doc))
	P(&doc).Normalise()
	// Lowercasing can turn harmless text into a match, so what is stored is looked at once more.
	for range maxPasses {
		again := collect(P(&doc))
		changed, err := s.pass(ctx, again, tally)
		if err != nil {
			return out, err
		}
		if !changed {
			return Scrubbed[T]{value: doc, report: newReport(tally.items())}, nil
		}
		P(&doc).Normalise()
	}
	return out, ErrFailed
}

// field is one text of a document. item is its index in a list, or -1.
type field struct {
	name  string
	value *string
}

// collect lists the document's texts; lists are cloned first so that the caller's arrays stay as they are.
func collect(doc Document) []field {
	var fields []field
	doc.TextFields(
		func(name string, value *string) {
			if value != nil {
				fields = append(fields, field{name, value})
			}
		},
		func(name string, values *[]string) {
			if values == nil {
				return
			}
			*values = slices.Clone(*values)
			for i := range *values {
				fields = append(fields, field{name + "[" + strconv.Itoa(i) + "]", &(*values)[i]})
			}
		})
	return fields
}

// dropDoubles keeps one item that is nothing but the marker in each list.
func dropDoubles(doc Document) {
	doc.TextFields(func(string, *string) {}, func(_ string, values *[]string) {
		if values == nil {
			return
		}
		seen := false
		*values = slices.DeleteFunc(slices.Clone(*values), func(v string) bool {
			if strings.TrimSpace(v) != Marker {
				return false
			}
			double := seen
			seen = true
			return double
		})
	})
}

// tally counts removals by field and kind.
type tally map[string]map[Kind]int

func (t tally) add(field string, hits []Hit) {
	for _, h := range hits {
		if t[field] == nil {
			t[field] = make(map[Kind]int)
		}
		t[field][h.Kind] += h.Count
	}
}

func (t tally) items() []Item {
	var items []Item
	for field, kinds := range t {
		for kind, count := range kinds {
			items = append(items, Item{Field: field, Type: kind, Count: count, Note: kind.Note()})
		}
	}
	return items
}

// fields scrubs until nothing changes, so that the result is a fixed point also across fields.
func (s *Scrubber) fields(ctx context.Context, fields []field, t tally) error {
	for range maxPasses {
		changed, err := s.pass(ctx, fields, t)
		if err != nil || !changed {
			return err
		}
	}
	return ErrFailed
}

// pass scrubs what is spread over several fields and then each field on its own.
func (s *Scrubber) pass(ctx context.Context, fields []field, t tally) (changed bool, err error) {
	// First what crosses fields: the half that looks like a secret by itself must not hide the other half.
	changed = s.spread(fields, t)
	for _, f := range fields {
		if err := ctx.Err(); err != nil {
			return false, fmt.Errorf("scrubber: %w", err)
		}
		out, hits := s.text(*f.value)
		if len(hits) > 0 {
			*f.value = out
			t.add(f.name, hits)
			changed = true
		}
	}
	return changed, nil
}
