package search

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
)

// questioner makes questions that may be costly out of real texts, and others out of those.
type questioner struct {
	*rand.Rand
	words, titles, entities []string
}

func newQuestioner(documents []lore.Submission) *questioner {
	q := &questioner{Rand: rand.New(rand.NewPCG(7, 0))}
	seen := map[string]bool{}
	for _, document := range documents {
		q.titles = append(q.titles, document.Summary)
		q.entities = append(q.entities, document.Entities...)
		for _, word := range strings.Fields(strings.ToLower(document.Summary + " " + document.Content)) {
			seen[strings.Trim(word, ".,;:()`'\"")] = true
		}
	}
	for _, word := range slices.Sorted(maps.Keys(seen)) {
		if len(word) > 2 && len(word) <= maxCorrectable && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" {
			q.words = append(q.words, word)
		}
	}
	q.entities = append(q.entities, "CVE-2024-12345", "EIP-1559", "0x"+strings.Repeat("ab", 20))
	return q
}

func (q *questioner) one(of []string) string { return of[q.IntN(len(of))] }

func (q *questioner) letters(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('a' + q.IntN(26))
	}
	return string(text)
}

// slip returns a word with so many letters changed, swapped, left out or doubled.
func (q *questioner) slip(word string, slips int) string {
	for range slips {
		if len(word) < 3 {
			return word
		}
		at := 1 + q.IntN(len(word)-2)
		switch q.IntN(4) {
		case 0:
			word = word[:at] + word[at+1:at+2] + word[at:at+1] + word[at+2:]
		case 1:
			word = word[:at] + word[at+1:]
		case 2:
			word = word[:at] + word[at:at+1] + word[at:]
		default:
			word = word[:at] + q.letters(1) + word[at+1:]
		}
	}
	return word
}

// atom returns something that q may be made of.
func (q *questioner) atom() string {
	word := q.one(q.words)
	switch q.IntN(16) {
	case 0, 1, 2:
		return q.slip(word, 1)
	case 3:
		return q.slip(word, 2)
	case 4:
		return word
	case 5:
		return word[:min(len(word), minPrefix+q.IntN(maxPrefix))]
	case 6:
		return q.letters(2 + q.IntN(20))
	case 7:
		return strings.Repeat(q.letters(1), 1+q.IntN(60))
	case 8:
		return string([]rune{rune(0x4e00 + q.IntN(0x5000)), rune(0x3041 + q.IntN(80)), rune(0x1f300 + q.IntN(0x200))}[q.IntN(3)])
	case 9:
		return strings.Map(func(r rune) rune { return 'а' + (r-'a')%32 }, word) // Cyrillic
	case 10:
		return q.one(q.entities)
	case 11:
		return fmt.Sprint(q.IntN(3000))
	case 12:
		return acronyms[q.IntN(len(acronyms))].short
	case 13:
		return acronyms[q.IntN(len(acronyms))].long
	case 14:
		return q.one([]string{"the", "is", "of", "a", "with", "não", "e\u0301t\u00e9", "l'eau"})
	default:
		return strings.ToUpper(word[:1]) + q.slip(word[1:], q.IntN(2))
	}
}

// joiners stand between atoms; an empty one makes camelCase of capitals.
var joiners = []string{" ", " ", " ", "-", ".", "_", "::", "/", ""}

// cut returns a text at the length that the service takes.
func cut(text string) string {
	runes := []rune(strings.ToValidUTF8(text, ""))
	return lore.QueryText(string(runes[:min(len(runes), lore.MaxQueryLength)]))
}

// fresh returns a q of atoms, or of nothing but mistyped words.
func (q *questioner) fresh() string {
	joiner, mistyped := q.one(joiners), q.IntN(2) == 0
	var parts []string
	for range 4 + q.IntN(120) {
		if mistyped {
			parts = append(parts, q.slip(q.one(q.words), q.IntN(3)))
		} else {
			parts = append(parts, q.atom())
		}
	}
	return cut(strings.Join(parts, joiner))
}

// mutated returns a q that is like another one.
func (q *questioner) mutated(text string) string {
	words := strings.Fields(text)
	for range 1 + q.IntN(6) {
		at := q.IntN(len(words) + 1)
		switch kind := q.IntN(6); {
		case len(words) == 0 || kind == 0:
			words = slices.Insert(words, at, q.atom())
		case kind == 1 && len(words) > 1:
			words = slices.Delete(words, max(0, at-1), max(1, at))
		case kind == 2:
			words[q.IntN(len(words))] = q.atom()
		case kind == 3:
			i := q.IntN(len(words))
			words[i] = q.slip(words[i], 1)
		case kind == 4:
			words = slices.Insert(words, at, q.slip(q.one(q.words), 1), q.slip(q.one(q.words), 1))
		default:
			words[q.IntN(len(words))] += q.one(joiners) + q.atom()
		}
	}
	return cut(strings.Join(words, " "))
}

// parameters returns a query for a text, with what else a caller may ask for.
func (q *questioner) parameters(text string) lore.SearchQuery {
	query := lore.SearchQuery{Text: text, Limit: 1 + q.IntN(100), Offset: q.IntN(901), Full: q.IntN(2) == 0, Facets: q.IntN(2) == 0, Explain: q.IntN(2) == 0}
	if q.IntN(4) == 0 {
		query.Types = []lore.ItemType{lore.SearchTypes()[q.IntN(len(lore.SearchTypes()))].Type}
	}
	if q.IntN(4) == 0 {
		query.Filter = lore.Filter{Tier: q.IntN(3), Status: []string{"", "active", "flagged"}[q.IntN(3)], Since: daysAgo(q.IntN(3000)), Tag: q.one([]string{"", "defi"})}
	}
	query.Newest = q.IntN(8) == 0
	return query
}

// tried is a q and what it cost.
type tried[C cmp.Ordered] struct {
	query lore.SearchQuery
	cost  C
}

// climb tries questions, three in four of them mutations of the costliest ones so far, and returns those.
func climb[C cmp.Ordered](tries, keep int, q *questioner, make func(text string) lore.SearchQuery, cost func(lore.SearchQuery, C) C) []tried[C] {
	var best []tried[C]
	for range tries {
		text := q.fresh()
		if len(best) > 0 && q.IntN(4) > 0 {
			text = q.mutated(best[q.IntN(len(best))].query.Text)
		}
		query := make(text)
		var least C
		if len(best) == keep {
			least = best[keep-1].cost
		}
		if c := cost(query, least); len(best) < keep || c > least {
			best = append(best, tried[C]{query, c})
			slices.SortStableFunc(best, func(a, b tried[C]) int { return cmp.Compare(b.cost, a.cost) })
			best = best[:min(len(best), keep)]
		}
	}
	return best
}

// sharedData reads a file of the shared data.
func sharedData[T any](t *testing.T, name string) (all []T) {
	t.Helper()
	file, err := os.Open(filepath.Join(os.Getenv("AGENTLORE_DATA"), name))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for lines := json.NewDecoder(unpacked); ; {
		var one T
		if err := lines.Decode(&one); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}
