package index

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"agentlore/lore"
)

// Weights of a search, in one place; docs/search.md says how each was found.
const (
	// entityBoost lets what names exactly what q names outrank all that only shares words with it. The words of the
	// longest q reach about 2,000 (32 terms at most 42 each, the closer look on top), times trustMax 4,000.
	entityBoost = 10_000
	// An identifier counts by its parts, which stand for its subject and are found in prose as well, and less as a whole.
	partWeight  = 1.25
	wholeWeight = 0.25
	// entryWeight is what an asset's entry counts beside prose, unless it has all words of q. A word is rare among entries that
	// every second report has, so that one of eight words would put an entry before the reports that have six.
	entryWeight = 0.5
	// maxCounted is of how many words of q the corpus is asked how rare they are: 99 % of the titles of real observations have no more.
	maxCounted = 24
	// searchTimeout ends a search in Elasticsearch itself, so that nobody works for a caller who has been told 503.
	searchTimeout = "5s"
	// searchTotalUpTo is how many results of a search are counted; counting on would stop Lucene from skipping.
	searchTotalUpTo = 1000
)

// Names of the clauses, as Elasticsearch reports matched queries. Some are layers of the interface specification.
const (
	layerExact   = "exact"
	layerKeyword = "keyword"
	layerFuzzy   = "fuzzy"
	layerPartial = "partial"
)

// layers are the kinds of clauses that find results, the most exact first.
var layers = []string{layerExact, layerKeyword, layerFuzzy, layerPartial}

// hiddenStatuses are left out of searches unless asked for by status.
var hiddenStatuses = []string{string(lore.UnitWithdrawn), string(lore.UnitSuperseded), lore.StatusFlagged}

// search is one search on its way through its one or two requests.
type search struct {
	query    lore.SearchQuery
	words    []queryWord
	twoNames []twoNames
	entities []string
	now      time.Time
	binding  string   // of a search by time: what its cursors are bound to
	doubted  []string // words of q that may stand for others
	unsure   []string // words of q that the vocabulary is asked for first
	spelling spelling // what they, and words in doubt that are remembered, may stand for
	clean    bool     // items that agentlore itself flagged are left out by Elasticsearch
	flagged  int      // such items among the first hits
}

// newSearch takes a query apart. Time moves trust in steps of an hour, so that pages read one after the other agree.
func newSearch(query lore.SearchQuery, now time.Time) search {
	query.Newest = query.Newest || query.Text == ""
	words := firstTerms(readWords(lore.QueryWords(query.Text)))
	asked := search{
		query: query, words: words, twoNames: readTwoNames(words), entities: lore.Entities(query.Text), now: now.UTC().Truncate(time.Hour),
	}
	asked.clean = asked.leavesOut() && !asked.fromFirst()
	if query.Newest {
		asked.binding = bindingOf("search", query.Text, query.Types, query.Filter.Writable(), query.Newest)
	}
	return asked
}

// body builds the request for results.
func (s search) body() (map[string]any, error) {
	body := map[string]any{
		"query":            s.match(),
		"size":             s.query.Limit + 1, // the one too many tells whether a next page exists
		"track_total_hits": searchTotalUpTo,
		"timeout":          searchTimeout,
	}
	if s.query.Newest {
		body["sort"] = timeOrder(lore.SortNewest)
	}
	if hidden := s.hidden(); len(hidden) > 0 && s.skips() {
		body["post_filter"] = map[string]any{"bool": map[string]any{"must_not": hidden}}
	}
	if s.query.Facets {
		body["aggs"] = map[string]any{
			"type": termsOf("_index", 20), "category": termsOf("category", 10),
			"ecosystem": termsOf("ecosystem", 20), "tier": termsOf("tier", 4),
		}
	}
	if !s.closer() {
		return body, startAt(body, s.query.Cursor, s.query.Offset, s.binding)
	}
	body["size"] = max(closerWindow, s.query.Offset+s.query.Limit)
	return body, nil
}

// hidden returns what results must not be: withdrawn and the like unless asked for by status, and what agentlore itself flagged
// where there was some of that.
func (s search) hidden() []any {
	var clauses []any
	if s.query.Filter.Status == "" {
		clauses = append(clauses, map[string]any{"terms": map[string]any{"status": hiddenStatuses}})
	}
	if s.clean {
		clauses = append(clauses, map[string]any{"terms": map[string]any{"warnings.code": lore.LeftOutCodes()}})
	}
	return clauses
}

// leavesOut reports whether the search leaves out what agentlore itself flagged: always, unless it asks for what an operator confirmed.
func (s search) leavesOut() bool { return s.query.Filter.Status != lore.StatusFlagged }

// fromFirst reports whether the hits that Elasticsearch is asked for are those of its first page or follow a cursor. Then it is
// asked for the flagged ones too, so that they can be counted, and asked again without them where there are some: nearly
// always that is one request as cheap as without flags. A page that begins at an offset would slip.
func (s search) fromFirst() bool { return s.closer() || s.query.Cursor != "" || s.query.Offset == 0 }

// skips reports whether hidden items are better left out behind the query: Lucene skips what can't be among the best of a
// query of words alone, and not beside a clause that must not match. Facets count before a filter behind the query.
func (s search) skips() bool { return !s.query.Newest && !s.query.Facets }

// match builds what must match and what finds.
func (s search) match() map[string]any {
	clauses := map[string]any{"filter": filterClauses(s.query.Filter)}
	if hidden := s.hidden(); len(hidden) > 0 && !s.skips() {
		clauses["must_not"] = hidden
	}
	if s.query.Text == "" {
		return map[string]any{"bool": clauses}
	}
	found := slices.Concat(s.wordClauses(), s.twoNamesClauses(), s.respeltWords())
	if len(found) == 0 { // nothing but stop words, or no words at all
		text := lore.QueryWords(s.query.Text)
		if len(s.words) > maxTerms {
			text = text[:s.words[maxTerms-1].end]
		}
		found = []any{matchWords("text", text, 1, s.name(layerKeyword, 0))}
	}
	found = append(found, s.wholeEntry()...)
	for i, entity := range s.entities {
		found = append(found, named(s.name(layerExact, i), "constant_score", map[string]any{
			"filter": map[string]any{"term": map[string]any{"entities": entity}}, "boost": entityBoost,
		}))
	}
	clauses["should"], clauses["minimum_should_match"] = found, 1
	return map[string]any{"bool": clauses}
}

// subject returns the words that say what is looked for, each with its weight.
func (s search) subject() []weighted {
	var words []weighted
	for _, word := range s.words {
		switch {
		case word.compound():
			words = append(words, weighted{word, wholeWeight})
			for _, part := range word.parts {
				if !part.stop {
					words = append(words, weighted{part, partWeight})
				}
			}
		case !word.stop:
			words = append(words, weighted{word, 1})
		}
	}
	return words
}

// countKeys returns the words of q that can be counted, each once, as the words field holds them. Those behind the first
// maxCounted, as a stack trace's, are searched for as they are.
func (s search) countKeys() []string {
	var keys []string
	for _, word := range s.subject() {
		if key := word.countKey(); key != "" && len(keys) < maxCounted && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// weighted is a word and what it counts.
type weighted struct {
	queryWord
	weight float64
}

// wordClauses builds one match a weight over the words that are spelt as they should be. All words of a weight share a
// clause, because Lucene skips best through few lists of many terms.
func (s search) wordClauses() []any {
	var clauses []any
	subject := s.subject()
	for i, group := range []float64{1, partWeight, wholeWeight} {
		var texts []string
		for _, word := range subject {
			if _, twice := s.twoNamesOf(word.queryWord); word.weight == group && !twice && !s.spelling.replaces(word.queryWord) {
				texts = append(texts, word.text)
			}
		}
		if len(texts) > 0 {
			clauses = append(clauses, matchWords("text", strings.Join(texts, " "), group, s.name(layerKeyword, i)))
		}
	}
	return clauses
}

// weightOf returns what the words of a type's items count among those of the other types.
func (s search) weightOf(itemType lore.ItemType) float64 {
	if itemType == lore.TypeAsset && len(s.query.Types) != 1 {
		return entryWeight
	}
	return 1
}

// wholeEntry builds the clause by which an asset that has all words of q counts in full: who types a name looks for what is
// called so. No other collection has the field. Its name is the fourth of its kind: wordClauses has the first three.
func (s search) wholeEntry() []any {
	var names []string
	for _, word := range s.words {
		if !word.stop {
			names = append(names, s.spelling.best(word))
		}
	}
	if len(names) == 0 {
		return nil
	}
	clause := map[string]any{"query": strings.Join(names, " "), "operator": "and"}
	if name := s.name(layerKeyword, 3); name != "" {
		clause["_name"] = name
	}
	return []any{map[string]any{"match": map[string]any{"entry": clause}}}
}

// severalLayers reports whether results may have been found by other layers than the words as they were typed.
func (s search) severalLayers() bool { return len(s.entities) > 0 || len(s.spelling) > 0 }

// name returns the name of the i-th clause of a kind (of two clauses with one name Elasticsearch reports the last), or ""
// where nobody asks which clauses found a result: to report it costs a third of a request.
func (s search) name(kind string, i int) string {
	if s.query.Explain || s.severalLayers() {
		return kind + "." + strconv.Itoa(i)
	}
	return ""
}

// kindOf returns the kind of a clause with a name.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, ".")
	return kind
}

// named returns a query of a type under a name, if it has one.
func named(name, kind string, query map[string]any) map[string]any {
	if name != "" {
		query["_name"] = name
	}
	return map[string]any{kind: query}
}

// matchWords matches words in a field. Its analyzer leaves identifiers whole: their parts are words of their own here,
// where the index's analyzer would make them synonyms of the whole, with the frequency of the commonest of them.
func matchWords(field, text string, boost float64, name string) map[string]any {
	clause := map[string]any{"query": text}
	if boost != 1 {
		clause["boost"] = boost
	}
	if name != "" {
		clause["_name"] = name
	}
	return map[string]any{"match": map[string]any{field: clause}}
}
