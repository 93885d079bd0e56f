package index

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

const links = "links"

// Curation is the store as the curator sees it. Its reads are of what is there at the moment of a search, within a second,
// but for those by id; its writes bear the epoch of the lease (curation_write.go).
type Curation struct {
	client    *Client
	outcomes  *Outcomes
	decisions *Decisions
	lease     *Lease
}

// NewCuration returns the store for a curator that holds the lease.
func NewCuration(client *Client, lease *Lease) *Curation {
	return &Curation{client: client, outcomes: NewOutcomes(client), decisions: NewDecisions(client), lease: lease}
}

// Refresh makes what was written findable by searches.
func (c *Curation) Refresh(ctx context.Context) error {
	indices := []string{c.client.alias(links)}
	for _, collection := range []lore.Collection{lore.Submissions, lore.Patterns, lore.KnowledgeUnits, lore.SafetyFlags} {
		indices = append(indices, c.client.aliasOf(collection))
	}
	indices = append(indices, c.client.alias(outcomes), c.client.alias(decisions))
	return c.client.do(ctx, esapi.IndicesRefreshRequest{Index: indices}, nil)
}

// reportFields are what a report is read with.
var reportFields = map[string]any{"excludes": []string{"embedding", "epoch", "scrubbed_kinds", "scrubbed_total", "scrubbed"}}

// UncuratedReports returns reports whose fingerprint isn't of the version, in order of id: those behind after, at most
// limit. With everything, it returns those that have one as well. A report that has none can't be missed, whenever it came.
func (c *Curation) UncuratedReports(ctx context.Context, version string, everything bool, after string, limit int) ([]lore.Report, error) {
	query := map[string]any{"match_all": map[string]any{}}
	if !everything {
		query = map[string]any{"bool": map[string]any{"must_not": []any{map[string]any{"prefix": map[string]any{"fingerprint": version + ":"}}}}}
	}
	return searchByID[lore.Report](ctx, c.client, c.client.aliasOf(lore.Submissions), query, reportFields, after, limit)
}

// CountReports returns how many reports there are, and how many of them have no fingerprint of the version.
func (c *Curation) CountReports(ctx context.Context, version string) (all, uncurated int64, err error) {
	body := map[string]any{
		"size": 0, "track_total_hits": true,
		"aggs": map[string]any{"curated": map[string]any{"filter": map[string]any{"prefix": map[string]any{"fingerprint": version + ":"}}}},
	}
	var answer searchAnswer[struct{}]
	if err := c.client.search(ctx, []string{c.client.aliasOf(lore.Submissions)}, body, &answer); err != nil {
		return 0, 0, fmt.Errorf("count reports: %w", err)
	}
	var curated struct {
		Count int64 `json:"doc_count"`
	}
	if err := json.Unmarshal(answer.Aggregations["curated"], &curated); err != nil {
		return 0, 0, fmt.Errorf("count reports: %w", err)
	}
	return answer.Hits.Total.Value, answer.Hits.Total.Value - curated.Count, nil
}

// searchByID returns what a query finds behind an id, in order of id, at most limit.
func searchByID[T any](ctx context.Context, c *Client, alias string, query, source map[string]any, after string, limit int) ([]T, error) {
	body := map[string]any{"query": query, "sort": []any{map[string]any{"id": "asc"}}, "size": limit, "track_total_hits": false}
	if source != nil {
		body["_source"] = source
	}
	if after != "" {
		body["search_after"] = []any{after}
	}
	var answer searchAnswer[T]
	if err := c.search(ctx, []string{alias}, body, &answer); err != nil {
		return nil, fmt.Errorf("read %s: %w", alias, err)
	}
	found := make([]T, len(answer.Hits.Hits))
	for i, hit := range answer.Hits.Hits {
		found[i] = hit.Source
	}
	return found, nil
}

// all returns everything that a query finds, in order of id.
func all[T any](ctx context.Context, c *Client, alias string, query, source map[string]any, id func(T) string) ([]T, error) {
	var found []T
	for after := ""; ; {
		page, err := searchByID[T](ctx, c, alias, query, source, after, changePage)
		if err != nil {
			return nil, err
		}
		if found = append(found, page...); len(page) < changePage {
			return found, nil
		}
		after = id(page[len(page)-1])
	}
}

// termsQuery finds documents that have one of the values.
func termsQuery[T any](field string, values []T) map[string]any {
	return map[string]any{"terms": map[string]any{field: values}}
}

// readByID reads documents by id as they are now; those that aren't there are left out.
func readByID[T any](ctx context.Context, c *Client, alias string, ids []string, excludes ...string) (map[string]T, error) {
	found := make(map[string]T, len(ids))
	for some := range slices.Chunk(ids, changePage) {
		body, err := json.Marshal(map[string]any{"ids": some})
		if err != nil {
			return nil, err
		}
		var answer struct {
			Docs []struct {
				ID     string          `json:"_id"`
				Found  bool            `json:"found"`
				Error  json.RawMessage `json:"error"`
				Source T               `json:"_source"`
			} `json:"docs"`
		}
		request := esapi.MgetRequest{Index: alias, Body: newBody(body), SourceExcludes: excludes}
		if err := c.do(ctx, request, &answer); err != nil {
			return nil, fmt.Errorf("read %s: %w", alias, err)
		}
		for _, document := range answer.Docs {
			if len(document.Error) > 0 {
				return nil, lore.StoreUnavailable(errors.New("a document can't be read now"))
			}
			if document.Found {
				found[document.ID] = document.Source
			}
		}
	}
	return found, nil
}

// Reports returns reports by id.
func (c *Curation) Reports(ctx context.Context, ids []string) (map[string]lore.Report, error) {
	return readByID[lore.Report](ctx, c.client, c.client.aliasOf(lore.Submissions), ids, "embedding", "epoch", "scrubbed_kinds", "scrubbed_total", "scrubbed")
}

// Patterns returns patterns by id.
func (c *Curation) Patterns(ctx context.Context, ids []string) (map[string]lore.Pattern, error) {
	return readByID[lore.Pattern](ctx, c.client, c.client.aliasOf(lore.Patterns), ids, private...)
}

// Units returns knowledge units by id.
func (c *Curation) Units(ctx context.Context, ids []string) (map[string]lore.KnowledgeUnit, error) {
	return readByID[lore.KnowledgeUnit](ctx, c.client, c.client.aliasOf(lore.KnowledgeUnits), ids, private...)
}

// Sources returns sources by id.
func (c *Curation) Sources(ctx context.Context, ids []string) (map[string]lore.Source, error) {
	return readByID[lore.Source](ctx, c.client, c.client.aliasOf(lore.Sources), ids, private...)
}

// membership is what tells which case a submission belongs to.
type membership struct {
	ID        string `json:"id"`
	PatternID string `json:"pattern_id"`
}

// MembersOf returns the ids of the submissions of each of the patterns.
func (c *Curation) MembersOf(ctx context.Context, patterns []string) (map[string][]string, error) {
	members := map[string][]string{}
	for some := range slices.Chunk(patterns, changePage) {
		found, err := all(ctx, c.client, c.client.aliasOf(lore.Submissions), termsQuery("pattern_id", some),
			map[string]any{"includes": []string{"id", "pattern_id"}}, func(m membership) string { return m.ID })
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			members[m.PatternID] = append(members[m.PatternID], m.ID)
		}
	}
	return members, nil
}

// ReportsOfSources returns the ids of the submissions of sources.
func (c *Curation) ReportsOfSources(ctx context.Context, sources []string) ([]string, error) {
	return c.reportIDs(ctx, termsQuery("source_id", sources))
}

// PatternsOfOwners returns the ids of the patterns that owners have submissions in.
func (c *Curation) PatternsOfOwners(ctx context.Context, owners []string) ([]string, error) {
	found := map[string]bool{}
	for some := range slices.Chunk(owners, changePage) {
		query := map[string]any{"bool": map[string]any{"filter": []any{termsQuery("owner_key", some), map[string]any{"exists": map[string]any{"field": "pattern_id"}}}}}
		members, err := all(ctx, c.client, c.client.aliasOf(lore.Submissions), query,
			map[string]any{"includes": []string{"id", "pattern_id"}}, func(m membership) string { return m.ID })
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			found[m.PatternID] = true
		}
	}
	return sortedKeys(found), nil
}

func (c *Curation) reportIDs(ctx context.Context, query map[string]any) ([]string, error) {
	found, err := all(ctx, c.client, c.client.aliasOf(lore.Submissions), query,
		map[string]any{"includes": []string{"id"}}, func(m membership) string { return m.ID })
	ids := make([]string, len(found))
	for i, m := range found {
		ids[i] = m.ID
	}
	return ids, err
}

// sortedKeys returns the keys of a set, in order.
func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Candidates returns, for each query, the ids of the reports that its words find, best first, at most limit. Of equals the
// lesser id comes first, so that the same store gives the same answer.
func (c *Curation) Candidates(ctx context.Context, queries []string, limit int) ([][]string, error) {
	var lines [][]byte
	header, err := json.Marshal(map[string]any{"index": c.client.aliasOf(lore.Submissions), "allow_partial_search_results": false})
	if err != nil {
		return nil, err
	}
	for _, query := range queries {
		body, err := json.Marshal(map[string]any{
			"query": map[string]any{"match": map[string]any{"text": map[string]any{"query": query}}},
			"sort":  []any{map[string]any{"_score": "desc"}, map[string]any{"id": "asc"}},
			"size":  limit, "track_total_hits": false, "_source": false, "stored_fields": "_none_", // the id that sorts is all
		})
		if err != nil {
			return nil, err
		}
		lines = append(lines, header, body)
	}
	var answer struct {
		Responses []struct {
			Hits struct {
				Hits []struct {
					Sort [2]any `json:"sort"`
				} `json:"hits"`
			} `json:"hits"`
			Status int `json:"status"`
		} `json:"responses"`
	}
	// One at a time: searches of the public go beside these, not behind them.
	one := 1
	request := esapi.MsearchRequest{
		Body: newBody(joinLines(lines)), MaxConcurrentSearches: &one, FilterPath: []string{"responses.status", "responses.hits.hits.sort"},
	}
	if err := c.client.do(ctx, request, &answer); err != nil {
		return nil, fmt.Errorf("find candidates: %w", err)
	}
	if len(answer.Responses) != len(queries) {
		return nil, fmt.Errorf("asked for %d candidate lists, got %d", len(queries), len(answer.Responses))
	}
	found := make([][]string, len(queries))
	for i, response := range answer.Responses {
		if response.Status != 200 {
			return nil, lore.StoreUnavailable(fmt.Errorf("candidates: status %d", response.Status))
		}
		for _, hit := range response.Hits.Hits {
			id, _ := hit.Sort[1].(string)
			found[i] = append(found[i], id)
		}
	}
	return found, nil
}

// linksDocument is how links are stored: packed, since a search needs nothing of them but their fingerprint and pass.
type linksDocument struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Pass        int64  `json:"pass"`
	Row         []byte `json:"row,omitempty"`
}

// neighbourSize is an id of 16 bytes, a probability in 1/65535, the pass and whether it is derived.
const neighbourSize = 16 + 2 + 4 + 1

func packLinks(l lore.Links) (linksDocument, error) {
	document := linksDocument{ID: l.ID, Fingerprint: l.Fingerprint, Pass: l.Pass}
	for _, n := range l.Neighbours {
		id, err := lore.IDBytes(n.ID)
		if err != nil {
			return document, fmt.Errorf("links: %w", err)
		}
		document.Row = append(document.Row, id[:]...)
		document.Row = binary.BigEndian.AppendUint16(document.Row, uint16(math.Round(n.Probability*math.MaxUint16)))
		document.Row = binary.BigEndian.AppendUint32(document.Row, uint32(n.Pass))
		derived := byte(0)
		if n.Derived {
			derived = 1
		}
		document.Row = append(document.Row, derived)
	}
	return document, nil
}

func (d linksDocument) unpack() (lore.Links, error) {
	l := lore.Links{ID: d.ID, Fingerprint: d.Fingerprint, Pass: d.Pass}
	if len(d.Row)%neighbourSize != 0 {
		return l, errors.New("links are damaged: agentlore curate --rebuild makes them anew")
	}
	l.Neighbours = make([]lore.Neighbour, 0, len(d.Row)/neighbourSize)
	for some := range slices.Chunk(d.Row, neighbourSize) {
		l.Neighbours = append(l.Neighbours, lore.Neighbour{
			ID: lore.IDFromBytes([16]byte(some[:16])), Probability: float64(binary.BigEndian.Uint16(some[16:])) / math.MaxUint16,
			Pass: int64(binary.BigEndian.Uint32(some[18:])), Derived: some[22] == 1,
		})
	}
	return l, nil
}

// Links returns the links of reports as they are now; those of a report that was never compared are left out.
func (c *Curation) Links(ctx context.Context, ids []string) (map[string]lore.Links, error) {
	stored, err := readByID[linksDocument](ctx, c.client, c.client.alias(links), ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]lore.Links, len(stored))
	for id, document := range stored {
		if found[id], err = document.unpack(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ChangedLinks returns the links that a pass changed, in order of id: those behind after, at most limit.
func (c *Curation) ChangedLinks(ctx context.Context, pass int64, after string, limit int) ([]lore.Links, error) {
	stored, err := searchByID[linksDocument](ctx, c.client, c.client.alias(links), map[string]any{"term": map[string]any{"pass": pass}}, nil, after, limit)
	if err != nil {
		return nil, err
	}
	return unpackAll(stored)
}

// WithFingerprints returns the ids of the reports that have one of the fingerprints, by fingerprint, in order.
func (c *Curation) WithFingerprints(ctx context.Context, fingerprints []string) (map[string][]string, error) {
	found := map[string][]string{}
	for some := range slices.Chunk(fingerprints, changePage) {
		stored, err := all(ctx, c.client, c.client.alias(links), termsQuery("fingerprint", some),
			map[string]any{"includes": []string{"id", "fingerprint"}}, func(d linksDocument) string { return d.ID })
		if err != nil {
			return nil, err
		}
		for _, document := range stored {
			found[document.Fingerprint] = append(found[document.Fingerprint], document.ID)
		}
	}
	return found, nil
}

func unpackAll(stored []linksDocument) ([]lore.Links, error) {
	found := make([]lore.Links, len(stored))
	for i, document := range stored {
		var err error
		if found[i], err = document.unpack(); err != nil {
			return nil, err
		}
	}
	return found, nil
}
