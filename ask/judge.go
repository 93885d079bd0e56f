package ask

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"agentlore/lore"
	"agentlore/terms"
)

// Candidate is a problem that may be the one that was asked about.
type Candidate struct {
	lore.SearchHit
	// Name is the name of its own by which the text names it, and NameWeight how much that tells (see matcher.Match); "" and 0: none.
	Name       string
	NameWeight int
	// Ambiguous says that several programs print the name, and that the text says nothing of which; Context is what it would say of this one.
	Ambiguous bool
	Context   []string
	// Wraps says that what names it only reports another error, or follows one.
	Wraps bool
	// Elsewhere says that it is of another ecosystem than was asked about.
	Elsewhere bool
}

// Corpus says how rare words are.
type Corpus struct {
	Frequencies map[string]int64 // documents that have a word, in lower case
	Documents   int64
	// Corrected is the text with its misspelt words corrected; empty: none was.
	Corrected string
}

// Features are what speaks for a candidate, each 0..1.
type Features struct {
	NameMatch float64 // what its name in the text tells
	Strong    float64 // 1: that name is hardly there by chance
	Coverage  float64 // the share of the telling words, by their weights, that it has
	Title     float64 // the share that its title and names have
	Mass      float64 // the weight of the telling words that it has
	Score     float64 // of search, of the best one's
	Fix       float64 // 1: it says what to do
	Reference float64 // 1: it is of the reference library
	Unknown   float64 // the share of the text's words, by what they would tell, that no document knows
	Shares    bool    // it has an address, package or rare identifier that the text names
	OtherPort bool    // it is of what listens on another port than the text's
}

// fit is how well a candidate fits, to order candidates by. The weights are those of a conditional logit model over the asks of
// ../shared/data whose right results are known.
func (f Features) fit() float64 {
	return 2.87*f.NameMatch + 1.45*f.Coverage + 1.45*f.Title + 3.11*f.Score + 0.66*f.Fix + 1.54*f.Reference
}

// chance is how likely the best candidate is what was asked about, 0..1: a logistic model over the same asks, and over made-up ones that
// nothing is known of. It tells similar from unknown.
// A few everyday words are in many problems: all of them are no sign of one, unless it is named.
func (f Features) chance() float64 {
	told := 1.0
	if f.Strong == 0 && !f.Shares {
		told = min(1, f.Mass/enoughMass)
	}
	sum := -1.86 + 2.55*f.Strong + told*(1.56*f.Coverage*(1-f.Unknown)+1.05*f.Title) - 1.76*f.Unknown + 1.06*f.Mass
	return 1 / (1 + math.Exp(-sum))
}

const (
	// similarFrom is the least chance at which the best candidate is called similar: of 383 judged asks, the best one was right in one
	// of three between 0.30 and 0.35, and in one of nine below. plainFrom is the least chance for a question in plain
	// words, which has fewer telling words than a paste.
	similarFrom = 0.30
	plainFrom   = 0.28
	// earnedFrom is the chance from which on words name what agents earned.
	earnedFrom = 0.6
	// enoughMass is the Mass below which words tell less than they cover: two words that one document in 30,000 has, and an everyday one.
	enoughMass = 0.6
	// rareWeight is from which weight on an identifier names a problem: one document in a thousand has it.
	rareWeight = 7
	// nearMass is the weight of the words of the text that a candidate beside the first has at least: two that one document in fifty has. Half
	// of it will do where that is the share nearCoverage of what the text tells.
	nearMass     = 12
	nearCoverage = 0.25
	// sameCause is the share of the words behind "Caused by" that a candidate has at least which is about them.
	sameCause = 0.5
	// elsewhere is what a candidate of another ecosystem than was asked about loses of its fit, invalid what a report does that judges
	// refused, wrapper what one loses that the text names by words that stand around any error, where it names another for sure.
	elsewhere = 1.5
	invalid   = 3
	wrapper   = 3
)

// Judged is a candidate with what speaks for it.
type Judged struct {
	Candidate
	Features
	// Words are the rarest words of the text that it has, three at most.
	Words []string
	// Deeper says that the text tells what caused the error that it is named by, and that it says nothing of that.
	Deeper bool
}

// Judge puts candidates in order, best first, and says whether the first is known. It depends on nothing else: the same candidates give
// the same judgement.
func Judge(q Question, corpus Corpus, candidates []Candidate) (Verdict, []Judged) {
	words := tellingWords(q, corpus)
	top, named, shared := 1.0, false, false
	for _, c := range candidates {
		top, named, shared = max(top, c.Score), named || c.NameWeight >= strongName && !c.Ambiguous, shared || c.Ambiguous
	}
	judged, fits := make([]Judged, len(candidates)), map[string]float64{}
	for i, c := range candidates {
		// Beside a code that several programs print, what stands around it names nothing: `InstructionError` around `{"Custom":1}`.
		if name := q.nameOf(c); name != "" && !shared {
			c.Name, c.NameWeight = name, fullName
		}
		f, common := words.features(c)
		f.Score = c.Score / top
		f.Shares, f.OtherPort = f.Shares || q.entityOf(c) != "", q.otherPort(c)
		judged[i], fits[c.ID] = Judged{Candidate: c, Features: f, Words: common}, f.fit()
		if c.Elsewhere || f.OtherPort {
			fits[c.ID] -= elsewhere
		}
		if slices.Contains(c.Tags, lore.InvalidTag) {
			fits[c.ID] -= invalid
		}
		if named && c.Name != "" && (c.NameWeight < strongName || c.Ambiguous) || shared && !c.Ambiguous && c.NameWeight < strongName {
			fits[c.ID] -= wrapper
		}
	}
	slices.SortStableFunc(judged, func(a, b Judged) int { return cmp.Compare(fits[b.ID], fits[a.ID]) })
	vouchedFirst(judged)
	switch {
	case len(judged) == 0, judged[0].Name == "" && !judged[0].named() && (judged[0].chance() < q.similarFrom() || q.Foreign != "" || judged[0].sharesFrameAlone()):
		return Unknown, judged
	case shared && judged[0].NameWeight < strongName: // what stands around a code of several programs is no sign of one
		return Similar, judged
	}
	judged[0].Deeper = q.deeper(corpus, judged[0])
	if !judged[0].surelyMeant() || judged[0].backing() != byService {
		return Similar, judged
	}
	return Known, judged
}

// frameWords are words by which languages report any error: "ModuleNotFoundError: No module named".
var frameWords = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`error errors exception failed failure fatal uncaught unhandled promise rejection traceback recent panicked
		typeerror referenceerror syntaxerror rangeerror valueerror keyerror runtimeerror attributeerror importerror modulenotfounderror
		undefined null none object attribute property properties reading cannot function method constructor defined named module modules
		import imported export exports require required package packages resolve resolved unexpected expected token index range`) {
		set[word] = true
	}
	return set
}()

// sharesFrameAlone reports whether all that a candidate has of the text is how a language reports errors.
func (j Judged) sharesFrameAlone() bool {
	return !slices.ContainsFunc(j.Words, func(word string) bool { return !frameWords[strings.ToLower(word)] })
}

// similarFrom returns the chance from which on the best candidate is similar.
func (q Question) similarFrom() float64 {
	if q.Plain {
		return plainFrom
	}
	return similarFrom
}

// named reports whether the text has a name of the candidate that is hardly there by chance. What agents earned has few names: nearly all of its words
// will do, unless only an operator has approved it, from a thread: nobody has met it since.
func (j Judged) named() bool {
	earned := j.Type == lore.TypeKnowledgeUnit && j.SearchHit.Reference == nil && !(j.byOperator() && j.Ref != "")
	return j.NameWeight >= strongName || earned && j.chance() >= earnedFrom
}

// surelyMeant reports whether the candidate is what was asked about, if it may be believed: the text names it, and nothing speaks for another
// one. Words alone never do: of 2,146 made-up pastes whose entry was taken out, 214 have nearly all words of a neighbour.
func (j Judged) surelyMeant() bool {
	return j.named() && !j.Ambiguous && !j.Wraps && !j.Elsewhere && !j.OtherPort && !j.Deeper && !j.readOnce() && j.Type != lore.TypeAsset
}

// deeper reports whether the text says what caused the error that a candidate is named by, and the candidate says nothing of that.
func (q Question) deeper(corpus Corpus, j Judged) bool {
	if q.Cause == "" || j.Name != "" && hasName(q.Cause, j.Name) {
		return false
	}
	f, _ := tellingWords(Question{Messages: []string{q.Cause}}, Corpus{Frequencies: corpus.Frequencies, Documents: corpus.Documents}).features(j.Candidate)
	return f.Coverage*(1-f.Unknown) < sameCause
}

// variable is a part of a name that varies.
var variable = regexp.MustCompile(`\{[a-z_]+\}`)

// hasName reports whether a text has the longest part of a name that doesn't vary.
func hasName(text, name string) bool {
	longest := ""
	for _, part := range variable.Split(name, -1) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(longest)))
}

// readOnce reports whether only one reader has checked a library entry, and nobody has said that its fix worked.
func (j Judged) readOnce() bool {
	entry := j.SearchHit.Reference
	return entry != nil && entry.CheckedAgain == "" && (j.Outcomes == nil || j.Outcomes.Worked == 0)
}

// vouchedFirst moves the first candidate that would be known before an unconfirmed report that leads. Otherwise a
// stranger could push an answer back by repeating the words of the question.
func vouchedFirst(judged []Judged) {
	if len(judged) == 0 || judged[0].backing() != byNobody {
		return
	}
	i := slices.IndexFunc(judged, func(j Judged) bool {
		return j.backing() == byService && j.surelyMeant()
	})
	if i > 0 {
		best := judged[i]
		copy(judged[1:i+1], judged[:i])
		judged[0] = best
	}
}

// nameOf returns what a candidate is named by where that is all that was asked: an address, a chain's id, a selector. TokenError is not
// all of TokenError::MintRequiredForTransfer.
func (q Question) nameOf(c Candidate) string {
	text := strings.Join(q.Messages, " ")
	entity := q.entityOf(c)
	if entity == "" || len(strings.Fields(text)) > len(q.Entities) {
		return ""
	}
	if rest := strings.ReplaceAll(strings.ToLower(text), strings.ToLower(entity), ""); len(rest) < len(text) && letters(rest) >= moreNames {
		return ""
	}
	return entity
}

// moreNames is how many letters and digits beside an entity are another name.
const moreNames = 8

func letters(text string) (count int) {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			count++
		}
	}
	return count
}

// ports are those behind a local or numeric address, as in "connect ECONNREFUSED 127.0.0.1:8545".
var ports = regexp.MustCompile(`(?:\blocalhost|\b\d{1,3}(?:\.\d{1,3}){3}|::1\]?):(\d{2,5})\b`)

// otherPort reports whether a candidate's title and names are of ports, and of none that the text has: 8900 is Solana's, 8545 isn't, and the
// words around them are those of any connection.
func (q Question) otherPort(c Candidate) bool {
	asked := portsIn(q.Messages...)
	its := portsIn(append([]string{c.Summary}, c.Names...)...)
	return len(asked) > 0 && len(its) > 0 && !slices.ContainsFunc(its, func(port string) bool { return slices.Contains(asked, port) })
}

func portsIn(texts ...string) (found []string) {
	for _, text := range texts {
		for _, match := range ports.FindAllStringSubmatch(text, -1) {
			found = append(found, match[1])
		}
	}
	return found
}

// entityOf returns what the text names exactly that a candidate has too, or "".
func (q Question) entityOf(c Candidate) string {
	for _, entity := range q.Entities {
		if slices.Contains(c.Entities, entity) {
			return entity
		}
	}
	return ""
}

// backing is who stands for a candidate's words.
type backing int

// Who stands for them.
const (
	byNobody  backing = iota // reports of the problem, however many, and voices on what to do
	byOne                    // one with standing confirmed the fix, or more of what is no knowledge for another reason
	disputed                 // owners with standing say that it failed or does harm
	byService                // the library, an operator, or two with standing who confirmed the fix: the rules of knowledge
)

// backing returns who stands for the candidate: that alone is known which the service itself says.
func (j Judged) backing() backing {
	switch {
	case j.Disputed:
		return disputed
	case j.Type == lore.TypeKnowledgeUnit || j.Type == lore.TypeAsset:
		return byService
	case j.FixEvidence != nil && j.FixEvidence.ConfirmedBy > 0:
		return byOne
	}
	return byNobody
}

// byOperator reports whether the fix is knowledge only because an operator said so: no agent has confirmed it.
func (j Judged) byOperator() bool {
	return j.backing() == byService && j.Type == lore.TypeKnowledgeUnit && j.SearchHit.Reference == nil && j.FixFrom != nil &&
		(j.FixEvidence == nil || j.FixEvidence.ConfirmedBy == 0)
}

// why says in words what a judgement rests on.
func (j Judged) why() (reasons []string) {
	if j.Ambiguous {
		reasons = append(reasons, j.ambiguity())
	} else if j.Name != "" {
		reasons = append(reasons, fmt.Sprintf("the text has its name %q", lore.CutAtWord(j.Name, maxName)))
	} else {
		reasons = append(reasons, fmt.Sprintf("no error text or code of it stands in yours; what both have is %s", quoted(j.Words)))
	}
	if j.Elsewhere {
		reasons = append(reasons, "it is of another ecosystem")
	}
	if j.OtherPort {
		reasons = append(reasons, "it is of another port")
	}
	if j.Deeper {
		reasons = append(reasons, `it says nothing of what stands behind "Caused by"`)
	}
	if j.Wraps && j.Name != "" {
		reasons = append(reasons, "it only passes on another error: look for that in the text")
	}
	if entry := j.SearchHit.Reference; entry != nil {
		reasons = append(reasons, fromLibrary(*entry, j.Outcomes))
	}
	switch backing := j.backing(); {
	case backing == disputed:
		reasons = append(reasons, "owners with standing say that its fix failed or does harm")
	case j.byOperator():
		reasons = append(reasons, "from "+cmp.Or(lore.OriginOf(j.Ref), "a report")+", by the operator")
	case backing == byOne && j.FixEvidence.ConfirmedBy == 1:
		reasons = append(reasons, "one owner with standing confirmed its fix")
	case backing == byOne:
		reasons = append(reasons, fmt.Sprintf("%d owners with standing confirmed its fix, and it is no knowledge yet", j.FixEvidence.ConfirmedBy))
	case backing == byNobody && j.Type == lore.TypeSubmission:
		reasons = append(reasons, "it is one report that nobody has confirmed")
	case backing == byNobody:
		reasons = append(reasons, "several report it, and nobody with standing confirmed a fix")
	}
	return reasons
}

// quoted writes words as a list.
func quoted(words []string) string {
	if len(words) == 0 {
		return "common words"
	}
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = fmt.Sprintf("%q", word)
	}
	return strings.Join(list, ", ")
}

// Near reports whether a candidate shares more with the text than a common word.
func (j Judged) Near() bool {
	mass := j.Mass * fullMass
	return slices.Contains(j.MatchedBy, "semantic") || j.Name != "" || j.Shares || mass >= nearMass || mass >= nearMass/2 && j.Coverage >= nearCoverage
}

// fromLibrary says how often an entry of the library was checked against its source, and whether anybody has said how its fix went.
func fromLibrary(entry lore.Reference, outcomes *lore.Outcomes) string {
	reason := "it is from the library, read once"
	if entry.CheckedAgain != "" {
		reason = "it is from the library, read twice"
	}
	if outcomes == nil || *outcomes == (lore.Outcomes{}) {
		reason += ", no outcome yet"
	}
	return reason
}

// maxName is how much of a name an answer repeats, in characters.
const maxName = 40

// question is the telling words of a question.
type question struct {
	words   []tellingWord
	weight  float64 // of all
	unknown float64
}

// tellingWord is a word of the messages that says something.
type tellingWord struct {
	text   string // as it was asked
	stem   string
	weight float64
	names  bool // hardly any document has it, and programs alone write such words
}

const (
	// tellingMost is how many of the rarest words count: beyond, a long text's are by chance.
	tellingMost = 16
	// fewDocuments is how many a corpus is taken to have at least: in a small one every word is frequent.
	fewDocuments = 5000
	// correctedShare is of the documents that are taken to have a word that was misspelt.
	correctedShare = 0.005
	// maxJudged is how much of a candidate's content is read, in bytes: what it is about stands at its beginning.
	maxJudged = 2 << 10
	// fullName is what a name must tell to leave no doubt, strongName what it must tell to be hardly there by chance: see
	// matcher.Match.
	fullName   = 6
	strongName = 3
	// fullMass is the weight of words beyond which more tell nothing: four that one document in 30,000 has.
	fullMass = 40
)

// tellingWords returns the rarest words of the question's messages. One that no document has, and that is no misspelling, tells nothing
// of a candidate.
func tellingWords(q Question, corpus Corpus) question {
	var found question
	seen := map[string]bool{}
	unknown := 0.0
	total := float64(max(corpus.Documents, fewDocuments))
	corrected := strings.ToLower(corpus.Corrected)
	count := func(text string, misspelt bool) {
		lower := strings.ToLower(text)
		stem := terms.Stem(lower)
		if seen[stem] || terms.IsStop(lower) || terms.IsNumber(text) || terms.IsEncoded(text) || len(lower) < 2 {
			return
		}
		seen[stem] = true
		documents := float64(corpus.Frequencies[lower])
		if misspelt {
			documents = correctedShare * total
		}
		if documents == 0 {
			if corrected == "" || strings.Contains(corrected, lower) { // else it was corrected
				unknown += terms.Rarity(total, 0)
			}
			return
		}
		weight := terms.Rarity(total, documents)
		parts := 0
		for range terms.Parts(text) {
			parts++
		}
		found.words = append(found.words, tellingWord{text, stem, weight, weight >= rareWeight && parts > 1})
	}
	for _, message := range q.Messages {
		for _, text := range terms.Words(message) {
			count(text, false)
		}
	}
	for _, text := range terms.Words(corpus.Corrected) {
		count(text, true)
	}
	slices.SortStableFunc(found.words, func(a, b tellingWord) int { return cmp.Compare(b.weight, a.weight) })
	found.words = found.words[:min(len(found.words), tellingMost)]
	for _, word := range found.words {
		found.weight += word.weight
	}
	if unknown > 0 {
		found.unknown = unknown / (unknown + found.weight)
	}
	return found
}

// mostShared is how many words an answer names that a candidate has.
const mostShared = 3

// stemsOf returns the stems of a candidate's title, names and asked lines, and those of all that it says.
func stemsOf(c Candidate) (title, all map[string]bool) {
	title = map[string]bool{}
	addStems(title, c.Summary)
	addStems(title, c.Names...)
	addStems(title, c.Asked...)
	all = maps.Clone(title)
	addStems(all, c.Content[:min(len(c.Content), maxJudged)], c.Resolution, c.Applies)
	addStems(all, c.Tags...)
	addStems(all, c.Ecosystem...)
	return title, all
}

// features returns what a candidate's words say, and the rarest of the question's words that it has.
func (q question) features(c Candidate) (f Features, words []string) {
	title, all := stemsOf(c)
	for _, word := range q.words {
		if all[word.stem] {
			if len(words) < mostShared {
				words = append(words, word.text)
			}
			f.Coverage += word.weight / q.weight
			f.Mass += word.weight
			f.Shares = f.Shares || word.names
		}
		if title[word.stem] {
			f.Title += word.weight / q.weight
		}
	}
	f.Mass = min(f.Mass, fullMass) / fullMass
	f.NameMatch = float64(min(c.NameWeight, fullName)) / fullName
	f.Strong, f.Fix, f.Reference = one(c.NameWeight >= strongName), one(c.Resolution != ""), one(c.SearchHit.Reference != nil)
	f.Unknown = q.unknown
	return f, words
}

func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// addStems adds the stems of texts' words, and of the parts of identifiers.
func addStems(stems map[string]bool, texts ...string) {
	for _, text := range texts {
		for _, word := range terms.Words(text) {
			stems[terms.Stem(strings.ToLower(word))] = true
			for _, part := range terms.Parts(word) {
				stems[terms.Stem(strings.ToLower(part))] = true
			}
		}
	}
}
