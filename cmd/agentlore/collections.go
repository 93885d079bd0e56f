package main

import (
	"context"
	"io"

	"agentlore/exporter"
	"agentlore/importer"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// publicCollection is what commands do with a collection as a whole.
type publicCollection struct {
	// export writes it out.
	export func(client *index.Client) exporter.Export
	// restore brings an export of it back.
	restore func(ctx context.Context, store *store, work *importer.Importer, file io.Reader) (importer.Summary, error)
}

// publicCollections are all that are exported.
var publicCollections = map[lore.Collection]publicCollection{
	lore.Sources: collectionOf(lore.Sources, "source", func(r *index.Restorer) restoreFunc[lore.Source] { return r.Source }),
	lore.Submissions: collectionOf(lore.Submissions, "submission", func(r *index.Restorer) restoreFunc[lore.Submission] {
		return r.Submission
	}),
	lore.KnowledgeUnits: collectionOf[lore.KnowledgeUnit](lore.KnowledgeUnits, "knowledge unit", nil),
	lore.Patterns:       collectionOf[lore.Pattern](lore.Patterns, "pattern", nil),
	lore.Families:       collectionOf[lore.Family](lore.Families, "family", nil),
	lore.Assets:         collectionOf[lore.Asset](lore.Assets, "asset", nil),
	lore.Suggestions:    collectionOf[lore.Suggestion](lore.Suggestions, "suggestion", nil),
	lore.SafetyFlags:    collectionOf[lore.SafetyFlag](lore.SafetyFlags, "safety flag", nil),
	lore.Questions:      collectionOf[lore.OpenQuestion](lore.Questions, "question", nil),
	lore.Events:         collectionOf[lore.Event](lore.Events, "event", nil),
}

// restoreFunc stores an exported item; with an id that exists it stores nothing and returns created == false.
type restoreFunc[T any] = func(context.Context, scrubber.Scrubbed[T]) (created bool, err error)

// collectionOf returns what is done with a collection. Kind is what one item is called; special, if set, stores an exported item that
// needs more than its document.
func collectionOf[T any](name lore.Collection, kind string, special func(*index.Restorer) restoreFunc[T]) publicCollection {
	return publicCollection{
		export: func(client *index.Client) exporter.Export {
			return exporter.Of(index.NewCollection[T](client, name, kind))
		},
		restore: func(ctx context.Context, store *store, work *importer.Importer, file io.Reader) (importer.Summary, error) {
			restorer := index.NewRestorer(store.writer, store.accounts)
			restore := index.RestoreTo[T](restorer, name)
			if special != nil {
				restore = special(restorer)
			}
			return importer.Restore(ctx, work, file, restore)
		},
	}
}
