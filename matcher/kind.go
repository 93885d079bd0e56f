package matcher

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// Kind is the entry of the reference library that a title is a case of.
type Kind struct {
	Entry string // id of the entry whose kind it is: where the entry that was found is a variant of another one, that one
	Said  string // the sign or name of the library that the title says
}

// Kinds finds of which entry's kind a title is. It is safe for concurrent use.
type Kinds struct {
	families []string // of each unit, the entry whose variant it is, or its own
	phrases  []phrase
	by       map[string][]int   // phrases by term
	rarity   map[string]float64 // of each term of a phrase
}

// phrase is a sign or a name of a unit.
type phrase struct {
	unit   int
	text   string
	terms  []string // each once
	rarest string   // of them
	weight float64  // the sum of rarities
	sign   bool
	// literal is what a title must say side by side: a message of a program, or a sign that is one word among stop
	// words.
	literal string
}

const (
	// leastCovered is how much of a name a title must say, by rarity. A sign must be said wholly.
	leastCovered = 0.72
	// wholeName is up to how many words a name must be said wholly: "incorrect calculation" isn't an "incorrect fee
	// calculation".
	wholeName = 5
	// leastDense is how much of what a title says between the first and the last word of a name must be the name's,
	// by rarity.
	leastDense = 0.5
	// signGap is how many other words may stand between those of a sign.
	signGap = 2
	// leastWeight is the least rarity that a name must share with a title: that of two words that the library seldom
	// uses.
	leastWeight = 8
	// foreignRarity is what a word counts that the library never uses, mostly a name of the project.
	foreignRarity = 2
	// questions begins the ids of entries that answer a question. No problem is a case of one.
	questions = "practice."
)

// NewKinds returns the kinds of units of the reference library, of which it reads reference, category, summary,
// names, shared, asked and signs. Units that agents earned are of no kind of their own.
func NewKinds(units []lore.KnowledgeUnit) *Kinds {
	k := &Kinds{by: map[string][]int{}, rarity: map[string]float64{}}
	for _, unit := range units {
		entry := unit.Reference
		if entry == nil || strings.HasPrefix(entry.ID, questions) && entry.Family == "" {
			continue
		}
		k.families = append(k.families, cmp.Or(entry.Family, entry.ID))
		for _, text := range unit.Signs {
			k.add(unit.Category, text, true)
		}
		for _, text := range slices.Concat(unit.Names, unit.Shared, unit.Asked, []string{unit.Summary}) {
			k.add(unit.Category, text, false)
		}
	}
	for term, of := range k.by {
		k.rarity[term] = math.Log(float64(len(k.phrases)) / (float64(len(of)) + 0.5))
	}
	for i := range k.phrases {
		p := &k.phrases[i]
		for _, term := range p.terms {
			if p.weight += k.rarity[term]; p.rarest == "" || k.rarity[term] > k.rarity[p.rarest] {
				p.rarest = term
			}
		}
	}
	return k
}

// add adds a phrase of the unit that was added last.
func (k *Kinds) add(category lore.Category, text string, sign bool) {
	words := KindTerms(text)
	if strings.IndexByte(text, ' ') < 0 && !sign { // a name in code is met as it is: its parts say nothing by themselves
		words = nil
	}
	slices.Sort(words)
	if words = slices.Compact(words); len(words) == 0 {
		return
	}
	for _, word := range words {
		k.by[word] = append(k.by[word], len(k.phrases))
	}
	literal := ""
	finding := category == lore.CategorySecurity || category == lore.CategoryOptimization
	if all := wordsSaid(text); !sign && !finding || sign && len(words) == 1 && strings.Count(all, " ") > 2 {
		literal = all
	}
	k.phrases = append(k.phrases, phrase{unit: len(k.families) - 1, text: text, terms: words, sign: sign, literal: literal})
}

// wordsSaid returns all words of a text in lower case, each between two spaces.
func wordsSaid(text string) string {
	var said strings.Builder
	said.WriteByte(' ')
	for _, word := range terms.Words(plain(text)) {
		for _, part := range terms.Parts(word) {
			said.WriteString(strings.ToLower(part) + " ")
		}
	}
	return said.String()
}

// Of returns the kind of a title.
func (k *Kinds) Of(title string) (Kind, bool) {
	words, all := KindTerms(title), ""
	shared := make([]float64, len(k.phrases)) // the rarity that each has in common with the title
	var seen []string
	for _, word := range words {
		if slices.Contains(seen, word) {
			continue
		}
		seen = append(seen, word)
		for _, i := range k.by[word] {
			shared[i] += k.rarity[word]
		}
	}
	best, score := -1, 0.0
	for i, weight := range shared {
		p := &k.phrases[i]
		missing := weight < p.weight-1e-9
		if weight == 0 || missing && (p.sign || len(p.terms) <= wholeName) {
			continue
		}
		if !p.sign && (weight < leastCovered*p.weight || weight < leastWeight || !slices.Contains(seen, p.rarest)) {
			continue
		}
		if p.literal != "" {
			if all = cmp.Or(all, wordsSaid(title)); !strings.Contains(all, p.literal) {
				continue
			}
		}
		if s := k.score(p, words); s > score || s == score && s > 0 && i < best {
			best, score = i, s
		}
	}
	if best < 0 {
		return Kind{}, false
	}
	return Kind{k.families[k.phrases[best].unit], k.phrases[best].text}, true
}

// score returns how well a title says a phrase in the stretch of words where it says it best; 0: it doesn't.
func (k *Kinds) score(p *phrase, words []string) (best float64) {
	for from := range words {
		if !slices.Contains(p.terms, words[from]) {
			continue
		}
		said, all := 0.0, 0.0
		var found []string
		for i, word := range words[from:] {
			rarity, known := k.rarity[word]
			if !known {
				rarity = foreignRarity
			}
			if !slices.Contains(p.terms, word) {
				all += rarity
				continue
			}
			if !slices.Contains(found, word) {
				found = append(found, word)
				said, all = said+rarity, all+rarity
			}
			switch {
			case p.sign && len(found) == len(p.terms) && i+1 <= len(p.terms)+signGap:
				best = max(best, said)
			case !p.sign && said >= leastCovered*p.weight && said >= leastWeight && said >= leastDense*all:
				best = max(best, said*said/p.weight*math.Sqrt(said/all))
			}
		}
	}
	return best
}

// markup is what of a title isn't read as words: tags and addresses.
var markup = regexp.MustCompile(`(?i)</?(?:a|b|i|br|h[1-6]|code|p|ins|sup|strong)\b[^>]*>|\]\([^)]*\)|https?://\S+`)

// operators are what a title says by signs alone.
var operators = regexp.MustCompile(`\+\+|--|\+=|-=|!=|==|&&|\|\||>=|<=|<<|>>|\*\*|>`)

// numbering begins titles in lists of findings, as [G-02] or 3. does.
var numbering = regexp.MustCompile(`^\W*(?:[A-Za-z]{1,4}[-\x{2010}-\x{2013}]\d{1,3}|\d{1,3}[.)\]-])\W*`)

// plain returns a title without markup and number.
func plain(title string) string {
	return numbering.ReplaceAllString(strings.TrimSpace(markup.ReplaceAllString(title, " ")), "")
}

// PlainTitle returns the words of a title in lower case, without markup and number.
func PlainTitle(title string) string {
	return strings.ToLower(strings.Join(strings.Fields(plain(title)), " "))
}

// KindTerms returns the words of a title, in their order, as kinds compare them: stems, with one word for what
// reports say in many.
func KindTerms(title string) (found []string) {
	title = plain(title)
	at := 0
	for start, word := range terms.Words(title) {
		found = append(found, operators.FindAllString(title[at:start], -1)...)
		at = start + len(word)
		if terms.IsEncoded(word) {
			continue
		}
		for _, part := range terms.Parts(word) {
			found = appendKindTerm(found, strings.ToLower(part))
		}
	}
	return append(found, operators.FindAllString(title[at:], -1)...)
}

func appendKindTerm(found []string, part string) []string {
	if same, known := synonyms[part]; known {
		return append(found, same)
	}
	if rest, negated := strings.CutPrefix(part, "un"); negated {
		if same, known := synonyms[rest]; known && part != "unchecked" {
			return append(found, "no", same)
		}
	}
	if len(part) < 2 && !(part[0] >= '0' && part[0] <= '9') && part != "i" || terms.IsStop(part) {
		return found
	}
	return append(found, terms.Stem(part))
}

// synonyms are words that reports use for one another, by what stands for them.
var synonyms = func() map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(synonymTable) {
		row := strings.Fields(line)
		for _, word := range row {
			words[word] = row[0]
		}
	}
	return words
}()

const synonymTable = `no not missing lack lacks lacking lacked without absence absent isn doesn aren don hasn never omitted neglects fail fails cannot insufficient insufficiently inadequate
check checks checked checking checker validate validated validation validates verify verified verification verifies verifying validating
0 zero
blacklist blacklisted blacklists blacklisting blocklist blocklisted blocklists denylist
reentrancy reentrant reenter reentrancies reentered reentering nonreentrant
deposit deposits depositor depositors depositing deposited depositer
use uses using
`
