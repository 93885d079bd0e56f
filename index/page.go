package index

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"agentlore/lore"
)

// errPageFull ends the reading of an answer whose page has no room for more.
var errPageFull = errors.New("the page is full")

// pageAnswer is Elasticsearch's answer to a list.
type pageAnswer[T any] struct {
	Hits struct {
		Total struct {
			Value    int64  `json:"value"`
			Relation string `json:"relation"`
		} `json:"total"`
		Hits pageHits[T] `json:"hits"`
	} `json:"hits"`
}

// pageHits are the documents of a page of at most so many bytes. They are read one by one, so that a page of large
// documents takes the memory of what it shows and not of all that was asked for.
type pageHits[T any] struct {
	most int64 // bytes; 0: no bound
	hits []Hit[T]
	read int64 // bytes of the hits
	cut  bool  // there were more than have room
}

// UnmarshalJSONFrom reads hits until one has no room. Then its error is errPageFull; the first always has room.
func (p *pageHits[T]) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if _, err := from.ReadToken(); err != nil { // [
		return err
	}
	for from.PeekKind() != ']' {
		var hit Hit[T]
		before := from.InputOffset()
		if err := json.UnmarshalDecode(from, &hit); err != nil {
			return err
		}
		size := from.InputOffset() - before
		if p.most > 0 && len(p.hits) > 0 && p.read+size > p.most {
			p.cut = true
			return errPageFull
		}
		p.hits, p.read = append(p.hits, hit), p.read+size
	}
	_, err := from.ReadToken() // ]
	return err
}

// List returns a page of items, newest first unless asked otherwise. Errors: invalid_cursor, store_unavailable.
func (c Collection[T]) List(ctx context.Context, query lore.ListQuery) (lore.Page[T], error) {
	binding := BindingOf("list", string(c.name), query.Filter.Writable(), query.Sort)
	body, err := listBody(c.name, query, binding)
	if err != nil {
		return lore.Page[T]{}, err
	}
	var answer pageAnswer[T]
	answer.Hits.Hits.most = int64(query.MaxBytes)
	c.client.Skipped(ctx, query.Offset)
	err = c.client.Query(ctx, []string{c.client.AliasOf(c.name)}, body, &answer)
	found := &answer.Hits.Hits
	if found.cut && errors.Is(err, errPageFull) {
		each, unread := found.read/int64(len(found.hits)), max(query.Limit-len(found.hits), 0)
		c.client.handled(ctx, each*int64(unread)) // Elasticsearch has read them all
		err = nil
	}
	if err != nil {
		return lore.Page[T]{}, err
	}
	total := answer.Hits.Total
	return found.page(query, lore.Page[T]{Total: total.Value, TotalRelation: total.Relation}, binding), nil
}

// page makes a page of the answer to a query that asked for one result more than the limit.
func (p *pageHits[T]) page(query lore.ListQuery, page lore.Page[T], binding string) lore.Page[T] {
	shown := min(len(p.hits), query.Limit)
	if p.cut || GoesOn(len(p.hits), query.Limit, query.Offset, query.Cursor, page.TotalRelation) {
		page.NextCursor = NewCursor(binding, p.hits[shown-1].Sort)
	}
	page.Results = make([]T, 0, shown)
	for _, hit := range p.hits[:shown] {
		page.Results = append(page.Results, hit.Source)
	}
	return page
}
