package curator

import (
	"slices"
	"strconv"
	"strings"

	"agentlore/lore"
)

// Kinds keep a word, a name and a number that are spelt alike apart.
const (
	kindWord     = 'w'
	kindName     = 'i'
	kindGram     = 'g'
	kindFile     = 'f'
	kindCodeLine = 'l'
	kindNumber   = 'n'
)

// Limits of a profile. leadLength is the first paragraph or two, where reports say what they are about; the rest are
// bounds against pasted data.
const (
	leadLength    = 400 // bytes
	maxCodePlaces = 40
	leastCodeLine = 12 // characters without space; "return true;" and brackets are in all code
)

// term is a word, name or number of a text and how often it is there. Its id is a hash of kind and spelling, the same in
// every process, so that stored frequencies stay valid. 32 bits are enough: of two reports with 300 terms each, one pair in
// 50,000 has two that are taken for one.
type term struct {
	id    uint32
	count int
}

// codeLines is lines of a file that a report points at.
type codeLines struct {
	file     uint32
	from, to int
}

// Profile is what a report is compared by. It holds no text.
type Profile struct {
	title, titleGrams, titleNames, lead, prose, all, names, code, lines, numbers, files []term
	places                                                                              []codeLines
	length                                                                              int // of the content, in bytes
}

// counts gathers terms: an id for each time that one is there.
type counts []uint32

func (c *counts) add(kind byte, spelling string) { *c = append(*c, termID(kind, spelling)) }

// addWord counts a word in lower case as its stem. Fillers, numbers and single letters don't count.
func (c *counts) addWord(word string) {
	if len(word) > 1 && (word[0] < '0' || word[0] > '9') && (len(word) > longestFiller || !fillers[word]) {
		c.add(kindWord, stem(word))
	}
}

// terms returns the counts in order of id.
func (c counts) terms() []term {
	slices.Sort(c)
	distinct := 0
	for i, id := range c {
		if i == 0 || id != c[i-1] {
			distinct++
		}
	}
	sorted := make([]term, 0, distinct)
	for i, id := range c {
		if i == 0 || id != c[i-1] {
			sorted = append(sorted, term{id, 0})
		}
		sorted[len(sorted)-1].count++
	}
	return sorted
}

// sum returns the terms of two lists together, those of the second each so many times.
func sum(terms, others []term, times int) []term {
	all := make([]term, 0, len(terms)+len(others))
	for _, other := range others {
		for len(terms) > 0 && terms[0].id < other.id {
			all, terms = append(all, terms[0]), terms[1:]
		}
		other.count *= times
		if len(terms) > 0 && terms[0].id == other.id {
			other.count += terms[0].count
			terms = terms[1:]
		}
		all = append(all, other)
	}
	return append(all, terms...)
}

// termID is FNV-1a, 64 bits folded to 32, of kind and spelling.
func termID(kind byte, spelling string) uint32 {
	const offset, prime = 14695981039346656037, 1099511628211
	hash := (uint64(offset) ^ uint64(kind)) * prime
	for i := range len(spelling) {
		hash = (hash ^ uint64(spelling[i])) * prime
	}
	return uint32(hash>>32) ^ uint32(hash)
}

// NewProfile takes a scrubbed observation apart. Category, tags, ecosystem and who reported it play no part: independent
// reporters choose them differently, and an import may carry a judge's verdict in its tags.
func NewProfile(o lore.Observation) *Profile {
	var title, titleNames, prose, code, names, lead counts
	p := &Profile{length: len(o.Content)}

	summary := withoutMachineValues(o.Summary)
	addText(summary, &title, &titleNames)
	addSpans(summary, &titleNames)
	p.titleGrams = grams(summary)

	body := withoutMachineValues(o.Content + "\n" + o.Resolution)
	p.addPlaces(body)
	body = withoutLinks(body)
	p.numbers = numbers(summary + " " + body)
	blocks, text := codeBlocks(body)
	for _, block := range blocks {
		addText(block, &code, &names)
	}
	p.lines = linesOfCode(blocks)

	addSpans(text, &names)
	text = strings.TrimSpace(withoutHeadings(text))
	addText(text, &prose, &names)
	addText(text[:min(len(text), leadLength)], &lead, nil)

	// The title says most: its words count three times in all, and belong to the lead.
	p.title, p.titleNames, p.prose, p.code = title.terms(), titleNames.terms(), prose.terms(), code.terms()
	p.all = sum(sum(p.prose, p.code, 1), p.title, titleCounts)
	for _, word := range p.title {
		lead = append(lead, word.id)
	}
	p.lead = lead.terms()
	p.names = sum(names.terms(), p.titleNames, 1)
	return p
}

// addText counts words as stems, and names in code both whole (as names, where those are asked for) and by their parts (as
// words).
func addText(text string, plain, names *counts) {
	eachWord(text, func(word string, called bool) {
		if !isName(word) && !(called && len(word) > 2) {
			plain.addWord(strings.ToLower(word))
			return
		}
		if names != nil {
			names.add(kindName, strings.ToLower(strings.Trim(word, "_")))
		}
		eachNamePart(word, plain.addWord)
	})
}

// addSpans counts what stands in single backquotes as names: authors mark names in code so, plain words too.
func addSpans(text string, names *counts) {
	eachCodeSpan(text, func(span string) {
		eachWord(span, func(word string, _ bool) {
			if len(word) > 2 {
				names.add(kindName, strings.ToLower(strings.Trim(word, "_")))
			}
		})
	})
}

// grams are the runs of four letters of a title: they match over misspellings and word forms.
func grams(title string) []term {
	var found counts
	folded := lettersAndDigits(strings.ToLower(title))
	for i := 0; i+4 <= len(folded); i++ {
		found.add(kindGram, folded[i:i+4])
	}
	return found.terms()
}

var separators = strings.NewReplacer(",", "", "_", "")

// numbers are those of two digits or more, without separators: amounts, fees, error codes.
func numbers(text string) []term {
	var found counts
	eachNumber(text, func(match string) {
		if match = separators.Replace(strings.TrimRight(match, ".")); len(match) > 1 {
			found.add(kindNumber, match)
		}
	})
	return found.terms()
}

// linesOfCode are the lines of code blocks without space, comments, diff marks and line numbers.
func linesOfCode(blocks []string) []term {
	var found counts
	for _, block := range blocks {
		for _, line := range strings.Split(strings.Trim(block, "`"), "\n") {
			line = strings.TrimLeft(strings.TrimSpace(line), "+-0123456789|:>/ ")
			line, _, _ = strings.Cut(line, "//")
			line = strings.Join(strings.Fields(line), "")
			if len(line) >= leastCodeLine {
				found.add(kindCodeLine, line)
			}
		}
	}
	return found.terms()
}

// addPlaces finds source files, and lines in them where given: file.sol#L10-L20, file.rs:10.
func (p *Profile) addPlaces(text string) {
	var files counts
	eachCodePlace(text, func(name, first, last string) {
		file := strings.ToLower(name)
		files.add(kindFile, file)
		if first == "" || len(p.places) >= maxCodePlaces {
			return
		}
		from, _ := strconv.Atoi(first) // a few digits
		to := from
		if last != "" {
			to, _ = strconv.Atoi(last)
		}
		place := codeLines{termID(kindFile, file), min(from, to), max(from, to)}
		if !slices.Contains(p.places, place) {
			p.places = append(p.places, place)
		}
	})
	p.files = files.terms()
}
