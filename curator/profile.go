package curator

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// Limits of a profile.
const (
	titleWeight   = 3   // a word of the title counts as often as three of the text, as in the store's merged field
	leadLength    = 400 // bytes: the first paragraph or two, where reports say what they are about
	longestWord   = 80  // bytes; longer runs of letters are data, the longest names in code have about 60
	maxCodePlaces = 40  // a bound against pasted data
)

// termKind keeps words, names in code and files that are spelt alike apart.
type termKind uint8

const (
	word termKind = 'w'
	name termKind = 'i'
	file termKind = 'f'

	projectName termKind = 'p'
	kindName    termKind = 'k'
)

// term is a word, name or the like and how often a report has it: in its title, in its lead, and in all, where a title's count
// titleWeight times. Its id is a hash of kind and spelling, the same in every process. 32 bits are enough: of two reports with
// 300 terms each, one pair in 50,000 shares an id by chance.
type term struct {
	id               uint32
	kind             termKind
	title, lead, all uint8
}

// codePlace is lines of a file that a report points at.
type codePlace struct {
	file     uint32
	from, to int32
}

// Profile is what a report is compared by. It holds no text, and one is a kilobyte or two.
type Profile struct {
	terms  []term // in order of id
	places []codePlace
	// project is a hash of the project that the report is about; 0: unknown.
	project uint32
	// kind is a hash of the kind that its title tells by the library; 0: none.
	kind uint32
}

// Size is about how many bytes a profile takes in memory.
func (p *Profile) Size() int { return 96 + 8*len(p.terms) + 12*len(p.places) }

// NewProfile takes a scrubbed observation apart. It leaves out category, tags, ecosystem and source: independent reporters choose them
// differently, and the tags of an import may hold a judge's verdict. project and kind may be empty: unknown.
func NewProfile(o lore.Observation, project, kind string) *Profile {
	p := &Profile{}
	if project != "" {
		p.project = termID(projectName, project)
	}
	if kind != "" {
		p.kind = termID(kindName, kind)
	}
	body := o.Content + "\n" + o.Resolution
	p.addWords(withoutLinks(o.Summary), true)
	p.addWords(withoutLinks(body), false)
	p.addPlaces(o.Summary + "\n" + body)
	p.gather()
	return p
}

func (p *Profile) add(kind termKind, spelling string, title, lead bool) {
	t := term{id: termID(kind, spelling), kind: kind, all: 1}
	if title {
		t.title, t.all = 1, titleWeight
	}
	if title || lead {
		t.lead = 1
	}
	p.terms = append(p.terms, t)
}

// gather makes one of all terms of the same id and sorts them.
func (p *Profile) gather() {
	slices.SortFunc(p.terms, func(a, b term) int { return cmp.Compare(a.id, b.id) })
	plus := func(a, b uint8) uint8 { return uint8(min(int(a)+int(b), math.MaxUint8)) }
	kept := p.terms[:0]
	for _, t := range p.terms {
		if last := len(kept) - 1; last >= 0 && kept[last].id == t.id {
			same := &kept[last]
			same.title, same.lead, same.all = plus(same.title, t.title), plus(same.lead, t.lead), plus(same.all, t.all)
			continue
		}
		kept = append(kept, t)
	}
	p.terms = slices.Clip(slices.Clone(kept))
}

// addWords counts the stems of words, and names in code whole as well: a name is of several parts, is called, or is quoted as code.
func (p *Profile) addWords(text string, title bool) {
	for start, word := range terms.Words(text) {
		end, lead := start+len(word), start < leadLength
		if len(word) > longestWord || isPlaceholder(word) {
			continue
		}
		parts := 0
		for _, part := range terms.Parts(word) {
			parts++
			p.addWord(strings.ToLower(part), title, lead)
		}
		called, quoted := end < len(text) && text[end] == '(', start > 0 && text[start-1] == '`'
		if len(word) > 2 && (parts > 1 || called || quoted) {
			p.add(name, strings.ToLower(strings.Trim(word, "_")), title, lead)
		}
	}
}

// addWord counts a word in lower case, unless it says nothing of what a report is about.
func (p *Profile) addWord(spelling string, title, lead bool) {
	if len(spelling) > 1 && !isDigit(spelling[0]) && !terms.IsStop(spelling) {
		p.add(word, terms.Stem(spelling), title, lead)
	}
}

// sourceLines finds the end of a source file's name, and the lines that may follow: file.sol, file.rs:10, file.sol#L10-L20.
var sourceLines = regexp.MustCompile(`\.(?:sol|vy|rs|go|move|cairo|ts|js|py|fc|tact|cpp|c|h)\b(?:(?:\?[^\s#)\]]*)?[#:]L?(\d{1,6})(?:C\d+)?(?:-L?(\d{1,6}))?)?`)

// addPlaces finds source files, and lines in them where given.
func (p *Profile) addPlaces(text string) {
	for _, at := range sourceLines.FindAllStringSubmatchIndex(text, -1) {
		begin := at[0]
		for begin > 0 && (isWordByte(text[begin-1]) || text[begin-1] == '.' || text[begin-1] == '-') {
			begin--
		}
		end := at[0] + 1
		for end < at[1] && isWordByte(text[end]) {
			end++
		}
		spelling := strings.ToLower(text[begin:end])
		p.add(file, spelling, false, false)
		if at[2] < 0 || len(p.places) >= maxCodePlaces {
			continue
		}
		from, _ := strconv.Atoi(text[at[2]:at[3]]) // a few digits
		to := from
		if at[4] >= 0 {
			to, _ = strconv.Atoi(text[at[4]:at[5]])
		}
		place := codePlace{termID(file, spelling), int32(min(from, to)), int32(max(from, to))}
		if !slices.Contains(p.places, place) {
			p.places = append(p.places, place)
		}
	}
}

// termID is FNV-1a, 64 bits folded to 32, of kind and spelling.
func termID(kind termKind, spelling string) uint32 {
	const offset, prime = 14695981039346656037, 1099511628211
	hash := (uint64(offset) ^ uint64(kind)) * prime
	for i := range len(spelling) {
		hash = (hash ^ uint64(spelling[i])) * prime
	}
	return uint32(hash>>32) ^ uint32(hash)
}
