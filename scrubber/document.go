package scrubber

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrTooLarge is returned when a document's free text is longer than 1 MiB: nothing was scanned.
var ErrTooLarge = errors.New("scrubber: text too large")

// ErrFailed is returned when a scan could not be finished: nothing of the document may be stored.
var ErrFailed = errors.New("scrubber: scan failed")

// Scrubbed is a value that has been through the scrubber. Only this package can make one, so a store
// that accepts nothing else cannot be handed raw text.
type Scrubbed[T any] struct {
	value  T
	report Report
}

// Value is the scrubbed value.
func (s Scrubbed[T]) Value() T { return s.value }

// Report tells what Scrub removed from it.
func (s Scrubbed[T]) Report() Report { return s.report }

// Scrub cleans all text of a struct: strings of any type, in lists, in structs and behind pointers too, but for fields with the tag
// scrub:"-". Then it calls the struct's method Normalise, if there is one: to trim, lowercase and drop doubles, never inside Marker. The
// caller's slices are not modified. On a field of a kind that it can't read, a panic, a cancelled context or too much text it returns an
// error and the zero value: fail closed. Errors match ErrTooLarge, ErrFailed or the context's error, and never hold text of the document.
func Scrub[T any](ctx context.Context, s *Scrubber, doc T) (out Scrubbed[T], err error) {
	defer func() {
		if recover() != nil { // the panic's value may quote the text, so it is dropped
			out, err = Scrubbed[T]{}, ErrFailed
		}
	}()
	report := Report{Removed: []Item{}}
	for pass := range 2 * maxPasses {
		fields, err := collect(reflect.ValueOf(&doc).Elem())
		if err != nil {
			return out, err
		}
		size := 0
		for _, f := range fields {
			size += len(*f.value)
		}
		if pass == 0 && size > maxBytes {
			return out, ErrTooLarge
		}
		changed, err := s.fields(ctx, fields, &report)
		if err != nil {
			return out, err
		}
		// Lowercasing can turn harmless text into a match, so what is stored is looked at once more.
		if pass > 0 && !changed {
			report.finish()
			return Scrubbed[T]{value: doc, report: report}, nil
		}
		if doc, ok := any(&doc).(interface{ Normalise() }); ok {
			doc.Normalise()
		}
	}
	return out, ErrFailed
}

// Text is one free text of a document. Field is its name in JSON, as in Item.
type Text struct{ Field, Text string }

// Texts returns the free text of a struct, which is what Scrub cleans of it, but for words of a fixed set: who else must look at all that
// somebody said forgets no field. It panics on what Scrub can't read.
func Texts(doc any) []Text {
	held := reflect.New(reflect.TypeOf(doc)).Elem()
	held.Set(reflect.ValueOf(doc))
	fields, err := collect(held)
	if err != nil {
		panic(err)
	}
	var texts []Text
	for _, f := range fields {
		if !f.word {
			texts = append(texts, Text{f.name, *f.value})
		}
	}
	return texts
}

// field is one text of a document, by the name that it has in JSON.
type field struct {
	name  string
	value *string
	// word: the text is one of a fixed set, such as a category, or a map's key. It is read by itself, since it would part what stands
	// before and behind it.
	word bool
	// fixed: the text is a copy that can't be put back. A secret in it fails the document.
	fixed bool
}

// collect lists a struct's texts: those of its own fields first, then those of lists, then what lies deeper. Beside one another texts are
// read as lines of one, and a short word that stands behind a secret may look like its end. Lists and what pointers lead to are cloned
// first, so that the caller's stay as they are.
func collect(doc reflect.Value) ([]field, error) {
	if err := readable(doc.Type()); err != nil {
		return nil, err
	}
	var c collector
	c.members("", doc)
	return slices.Concat(c.own, c.listed, c.deeper), nil
}

// collector gathers a document's texts.
type collector struct{ own, listed, deeper []field }

// members reads the fields of a struct, whose names go behind a prefix.
func (c *collector) members(prefix string, value reflect.Value) {
	for i := range value.NumField() {
		switch f := value.Type().Field(i); {
		case !isText(f):
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			c.members(prefix, value.Field(i))
		default:
			c.read(prefix+nameOf(f), value.Field(i))
		}
	}
}

// read reads one value of a kind that readable accepts.
func (c *collector) read(name string, value reflect.Value) {
	text := reflect.TypeFor[*string]()
	switch value.Kind() {
	case reflect.String:
		f := field{name: name, value: value.Addr().Convert(text).Interface().(*string), word: value.Type() != text.Elem()}
		switch {
		case !strings.ContainsAny(name, "[."):
			c.own = append(c.own, f)
		case !strings.Contains(name, ".") && strings.Count(name, "[") == 1:
			c.listed = append(c.listed, f)
		default:
			c.deeper = append(c.deeper, f)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			clone := reflect.New(value.Type().Elem())
			clone.Elem().Set(value.Elem())
			value.Set(clone)
			c.read(name, clone.Elem())
		}
	case reflect.Slice:
		if value.Len() > 0 {
			clone := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
			reflect.Copy(clone, value)
			value.Set(clone)
		}
		for k := range value.Len() {
			c.read(name+"["+strconv.Itoa(k)+"]", value.Index(k))
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			copied := key.String()
			c.deeper = append(c.deeper, field{name: name, value: &copied, word: true, fixed: true})
		}
	case reflect.Struct:
		if value.Type() != reflect.TypeFor[time.Time]() {
			c.members(name+".", value)
		}
	}
}

// isText reports whether a struct's field may hold text.
func isText(f reflect.StructField) bool {
	return f.Tag.Get("scrub") != "-" && (f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct)
}

// nameOf returns a field's name in JSON.
func nameOf(f reflect.StructField) string {
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
		return name
	}
	return strings.ToLower(f.Name)
}

// known holds for each type that was looked at the error of readable, or nil.
var known sync.Map

// readable returns an error unless all text of a type of struct can be read: a field may be overlooked by nobody. Raw bytes, interfaces
// and maps of anything but numbers can't.
func readable(doc reflect.Type) error {
	if err, looked := known.Load(doc); looked {
		err, _ := err.(error)
		return err
	}
	var err error
	if name := unreadable(doc, doc.Name(), nil); name != "" {
		err = fmt.Errorf("%w: %s is of a kind that can't be read; tag it scrub:\"-\" if it holds no text", ErrFailed, name)
	}
	known.Store(doc, err)
	return err
}

// unreadable returns the name of what can't be read in a type, "" if all can.
func unreadable(t reflect.Type, name string, within []reflect.Type) string {
	if slices.Contains(within, t) {
		return ""
	}
	within = append(slices.Clip(within), t)
	switch kind := t.Kind(); {
	case kind == reflect.String || kind == reflect.Bool || isNumber(kind) || t == reflect.TypeFor[time.Time]():
		return ""
	case kind == reflect.Pointer, kind == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return unreadable(t.Elem(), name, within)
	case kind == reflect.Map && t.Key().Kind() == reflect.String && isNumber(t.Elem().Kind()):
		return ""
	case kind == reflect.Struct:
		for f := range t.Fields() {
			if !isText(f) {
				continue
			}
			if name := unreadable(f.Type, name+"."+nameOf(f), within); name != "" {
				return name
			}
		}
		return ""
	}
	return name
}

func isNumber(kind reflect.Kind) bool { return kind >= reflect.Int && kind <= reflect.Float64 }

// fields scrubs what is spread over several fields and then each field on its own.
func (s *Scrubber) fields(ctx context.Context, fields []field, report *Report) (changed bool, err error) {
	// First what crosses fields: the half that looks like a secret by itself must not hide the other half.
	changed = s.spread(fields, report)
	for _, f := range fields {
		if err := ctx.Err(); err != nil {
			return false, fmt.Errorf("scrubber: %w", err)
		}
		out, found := s.text(*f.value)
		if len(found) > 0 {
			if f.fixed {
				return false, ErrFailed
			}
			*f.value = out
			report.add(f.name, found)
			changed = true
		}
	}
	return changed, nil
}

// spread removes secrets whose parts stand in several fields: a mnemonic with one word a tag or half in the
// summary, a key cut in two. The fields are read as the lines of one text, and only what crosses
// from one line to another is taken; each field loses its own part.
func (s *Scrubber) spread(fields []field, report *Report) (changed bool) {
	fields = slices.DeleteFunc(slices.Clone(fields), func(f field) bool { return f.word })
	if len(fields) < 2 {
		return false
	}
	starts := make([]int, len(fields))
	var joined strings.Builder
	for i, f := range fields {
		starts[i] = joined.Len()
		joined.WriteString(*f.value)
		joined.WriteByte('\n')
	}
	sc := s.pool.Get().(*scan)
	defer sc.release()
	spans := sc.crossing(joined.String(), starts)
	for i, f := range fields {
		var own []span
		for _, sp := range spans {
			if lo, hi := max(sp.lo-starts[i], 0), min(sp.hi-starts[i], len(*f.value)); lo < hi {
				own = append(own, span{lo, hi, sp.kind})
			}
		}
		if own = unite(*f.value, own); len(own) > 0 {
			report.add(f.name, own)
			*f.value = replace(*f.value, own)
			changed = true
		}
	}
	return changed
}

// crossing returns the spans of a joined text that hold the end of at least one line, and the values whose name is in the line before.
func (sc *scan) crossing(text string, starts []int) []span {
	sc.begin()
	plain := &view{text: text}
	sc.view, sc.strict, sc.crosses = plain, false, true
	clear(sc.next)
	sc.anchored()
	sc.crosses = false
	named := slices.Clone(sc.spans)
	sc.spans = sc.spans[:0]
	for _, v := range [...]*view{plain, fold(plain)} {
		if v == nil {
			continue
		}
		sc.view = v
		sc.tokenise(false)
		sc.sideBySide()
		if glued := unwrap(v); glued != nil {
			sc.rules(glued, true)
			sc.blobs(0)
		}
	}
	crossing := slices.DeleteFunc(sc.spans, func(sp span) bool {
		return !slices.ContainsFunc(starts[1:], func(start int) bool { return sp.lo < start && sp.hi > start })
	})
	return unite(text, append(crossing, named...))
}

// Marker replaces each removed span. It is never matched by a rule.
const Marker = "[SCRUBBED]"

// Item is one line of a report: how many secrets of one type were removed from one field.
// Field is the field's name in JSON ("summary", "tags[2]"), never text of the submitter.
type Item struct {
	Field string `json:"field"`
	Type  Kind   `json:"type"`
	Count int    `json:"count"`
	Note  string `json:"note,omitempty"`
}

// Report tells a submitter what was removed. It holds no value, prefix, length, offset or hash.
// Removed is never nil and is sorted by field and type, so equal input gives an equal report.
type Report struct {
	Changed bool   `json:"changed"`
	Removed []Item `json:"removed"`
	Message string `json:"message,omitempty"`
}

const removedMessage = "Secrets or personal data were replaced by " + Marker + " before anything was done with the text. " +
	"The originals were not kept. Rotate any real key."

// Counts sums the report by kind, for the statistics that are stored. It is empty, not nil, when nothing was removed.
func (r Report) Counts() map[string]int {
	counts := make(map[string]int, len(r.Removed))
	for _, item := range r.Removed {
		counts[string(item.Type)] += item.Count
	}
	return counts
}

// add counts removed spans of a field.
func (r *Report) add(field string, spans []span) {
	for _, sp := range spans {
		i := slices.IndexFunc(r.Removed, func(item Item) bool { return item.Field == field && item.Type == sp.kind })
		if i < 0 {
			i = len(r.Removed)
			r.Removed = append(r.Removed, Item{Field: field, Type: sp.kind, Note: sp.kind.Note()})
		}
		r.Removed[i].Count++
	}
}

// finish sorts what was added.
func (r *Report) finish() {
	slices.SortFunc(r.Removed, func(a, b Item) int { // tags[2] before tags[10]
		listA, _, _ := strings.Cut(a.Field, "[")
		listB, _, _ := strings.Cut(b.Field, "[")
		return cmp.Or(cmp.Compare(listA, listB), cmp.Compare(len(a.Field), len(b.Field)), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Type, b.Type))
	})
	if r.Changed = len(r.Removed) > 0; r.Changed {
		r.Message = removedMessage
	}
}
