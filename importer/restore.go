package importer

import (
	"context"
	"io"

	"github.com/go-json-experiment/json"

	"agentlore/lore"
	"agentlore/scrubber"
)

// Restore brings back a file of exported lines: items keep their ids and all that readers saw of them. Their texts go
// through the scrubber again. Store stores one; with an id that exists it stores nothing and returns created == false. Lines of
// erasures count as known already: nothing is erased by an import.
// It returns an error only where it had to stop, as SubmissionLines does.
func Restore[T any](ctx context.Context, i *Importer, file io.Reader, store func(context.Context, scrubber.Scrubbed[T]) (created bool, err error)) (Summary, error) {
	return i.run(ctx, file, func(ctx context.Context, text []byte) (outcome, error) {
		if isErasure(text) {
			return outcome{}, nil
		}
		item, err := readItem[T](text)
		if err != nil {
			return outcome{}, err
		}
		clean, err := scrubber.Scrub(ctx, i.Scrubber, item)
		if err != nil {
			return outcome{}, err
		}
		created, err := store(ctx, clean)
		return outcome{created: created, report: clean.Report()}, err
	})
}

// readItem reads one exported line. It refuses members that it doesn't know, so that nothing of a file of another version
// is lost without a word.
func readItem[T any](text []byte) (T, error) {
	var item T
	if err := json.Unmarshal(text, &item, json.RejectUnknownMembers(true)); err != nil {
		return item, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "not an exported item of this collection"}
	}
	var faults []lore.FieldError
	if !lore.ValidID(lore.IDOf(item)) {
		faults = append(faults, lore.FieldError{Pointer: "/id", Code: "not_an_id", Detail: "must be the item's id"})
	}
	if target := targetOf(item); target != nil && !target.Collection.Public() {
		faults = append(faults, lore.FieldError{
			Pointer: "/target/collection", Code: "not_allowed", Detail: "must be one of the public collections",
		})
	}
	if invalid := lore.InvalidFields(faults); invalid != nil {
		return item, invalid
	}
	return item, nil
}

// isErasure reports whether a line is of an item that was erased where the export was made.
func isErasure(text []byte) bool {
	var erasure lore.Erasure
	return json.Unmarshal(text, &erasure, json.RejectUnknownMembers(true)) == nil && !erasure.ErasedAt.IsZero()
}

// targetOf returns the item that another item is about, if it is about one.
func targetOf(item any) *lore.Target {
	switch item := item.(type) {
	case lore.SafetyFlag:
		return &item.Target
	case lore.Suggestion:
		return item.Target
	}
	return nil
}
