package index

import (
	"strings"
	"unicode/utf8"

	"agentlore/lore"
)

// What puts the first results in order. The first search finds cheaply, by one field; these look at its best more
// closely, where cost no longer depends on the size of the corpus.
const (
	// rescoreWindow is how many results of a shard are put in order. Beyond it they stay in the order of the first search,
	// behind all that were rescored: nothing here takes score away, and so pages by offset neither repeat nor skip.
	rescoreWindow = 200
	// secondViewWeight is for the second view of the text: another stemmer and another model (DFR I(n)e B H2). The two
	// fail on different queries, so their sum is better than either.
	secondViewWeight = 0.4
	// summaryWeight rewards words of the one line that says what an item is about.
	summaryWeight = 0.3
	// presenceWeight rewards each word for being there at all, however long the text and however often it repeats others.
	presenceWeight = 0.3
	// rootWeight is for the first letters of a word, which find what stemmers keep apart: liquidator and liquidity.
	rootWeight = 0.2
	rootLength = 5
	// pairWeight rewards two words of q that stand side by side in the text too.
	pairWeight = 0.2
	// stopWordWeight lets "can not be paused" come before "paused" where all else is equal.
	stopWordWeight = 0.3
)

// rescore builds what puts the first results in order: what they say, then how far they are trusted.
func (s search) rescore() []any {
	stages := []any{}
	if closer := s.closerLook(); len(closer) > 0 {
		stages = append(stages, rescoreStage("total", map[string]any{"bool": map[string]any{"should": closer}}))
	}
	return append(stages, rescoreStage("multiply", s.trust()))
}

func rescoreStage(mode string, query map[string]any) map[string]any {
	return map[string]any{"window_size": rescoreWindow, "query": map[string]any{"rescore_query": query, "score_mode": mode}}
}

// closerLook builds the clauses of the first stage.
func (s search) closerLook() []any {
	clauses := s.respeltClauses("text.second", secondViewWeight, "second_view")
	clauses = append(clauses, s.respeltClauses("summary", summaryWeight, "summary")...)
	clauses = append(clauses, s.respeltClauses("words", presenceWeight, "presence")...)
	clauses = append(clauses, s.proximity()...)
	var roots, stops []string
	for _, word := range s.subject() {
		if root, long := prefixOf(s.spelling.best(word.queryWord), rootLength); long && !word.compound() {
			roots = append(roots, root)
		}
	}
	for _, word := range s.words {
		if word.stop {
			stops = append(stops, word.text)
		}
	}
	if len(roots) > 0 {
		clauses = append(clauses, matchWords("prefixes", strings.Join(roots, " "), rootWeight, s.name("roots", 0)))
	}
	if len(stops) > 0 {
		clauses = append(clauses, matchWords("text", strings.Join(stops, " "), stopWordWeight, s.name("stop_words", 0)))
	}
	return clauses
}

// respeltClauses builds matches of all words in a field, misspelt ones by what they may stand for.
func (s search) respeltClauses(field string, weight float64, name string) []any {
	return append(s.wordClauses(field, weight, name), s.respeltWords(field, weight, name)...)
}

// proximity builds clauses for words of q that stand together.
func (s search) proximity() []any {
	var texts []string
	for _, word := range s.words {
		if !word.stop {
			texts = append(texts, s.spelling.best(word))
		}
	}
	if len(texts) < 2 {
		return nil
	}
	var clauses []any
	for i := range len(texts) - 1 {
		clauses = append(clauses, phrase(texts[i]+" "+texts[i+1], pairWeight, s.name("pairs", i)))
	}
	return clauses
}

func phrase(text string, boost float64, name string) map[string]any {
	clause := map[string]any{"query": text, "boost": boost}
	if name != "" {
		clause["_name"] = name
	}
	return map[string]any{"match_phrase": map[string]any{"text": clause}}
}

// The lengths of the word beginnings that the prefixes field holds.
const (
	minPrefix = 4
	maxPrefix = 7
)

// prefixOf returns the first letters of a word, at most length.
func prefixOf(word string, length int) (prefix string, long bool) {
	if utf8.RuneCountInString(word) < minPrefix {
		return "", false
	}
	runes := []rune(strings.ToLower(word))
	return string(runes[:min(length, len(runes))]), true
}

// trust builds the second stage: a factor from 1 to 4.
func (s search) trust() map[string]any {
	halfLives := map[string]any{}
	for _, category := range lore.Categories() {
		halfLives[string(category.Value)] = category.Value.HalfLife().Hours() / 24
	}
	return named(s.name(clauseTrust, 0), "function_score", map[string]any{
		"query": map[string]any{"match_all": map[string]any{}}, "boost_mode": "replace",
		"script_score": map[string]any{"script": map[string]any{"source": trustScript, "params": map[string]any{
			"now": s.now.UnixMilli(), "half_life": halfLives, "tier": tierTrust, "max": trustMax,
			"confidence": confidenceTrust, "outcomes": outcomeTrust, "age": ageTrust,
		}}},
	})
}
