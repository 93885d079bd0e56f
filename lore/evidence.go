package lore

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// RevisionOf returns the revision of a text: 16 hex digits that follow from its summary, content and resolution, which is all that a
// reader sees of it. What somebody says of a text names its revision, so that it holds for these words and no others.
func RevisionOf(summary, content, resolution string) string {
	return digest(summary, content, resolution)
}

// FixKey returns what stands for the words of a fix: 16 hex digits, equal for two fixes that differ in case and space alone; empty for no
// fix. Addresses, packages and numbers count: `send it to 0xAB` and `send it to 0xAC` are two fixes.
func FixKey(fix string) string {
	words := strings.Join(strings.Fields(cases.Fold().String(norm.NFC.String(fix))), " ")
	if words == "" {
		return ""
	}
	return digest(words)
}

// digest returns the first 16 hex digits of the SHA-256 of texts, each ended by a zero byte.
func digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		sum.Write([]byte(text))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Words are the words that something was said of: their revision and their fix.
type Words struct {
	// Revision is that of the text; empty: the speaker named none, or an older version stored it.
	Revision string `json:"revision,omitempty"`
	// FixKey stands for the text's fix; empty: it has none.
	FixKey string `json:"fix_key,omitempty"`
	// Unbound: the speaker named no revision of a text that had changed before. It counts for no words.
	Unbound bool `json:"unbound,omitempty"`
}

// WordsOf returns the words of a text.
func WordsOf(summary, content, resolution string) Words {
	return Words{Revision: RevisionOf(summary, content, resolution), FixKey: FixKey(resolution)}
}

// Words returns the words of the submission.
func (s Submission) Words() Words { return WordsOf(s.Summary, s.Content, s.Resolution) }

// AreOf reports whether words that something was said of at a time are those that a text has now. What an older version stored names no
// words: it holds for the text unless that changed since. revisedAt is when the text changed last; nil: never.
func (w Words) AreOf(now Words, at time.Time, revisedAt *time.Time) bool {
	switch {
	case w.Unbound:
		return false
	case w.Revision != "":
		return w.Revision == now.Revision
	}
	return revisedAt == nil || !at.Before(*revisedAt)
}

// Standing says where a principal's right to count comes from.
type Standing string

// The sources of standing.
const (
	StandingNone   Standing = "none"
	StandingGiven  Standing = "given"  // by an operator: a vouch or an invite
	StandingEarned Standing = "earned" // others with given standing confirmed its fixes
)

// HeldStanding is where the standing of a principal comes from, and since when it has it.
type HeldStanding struct {
	Source Standing
	Since  time.Time
}

// FixFrom says whose a fix is.
type FixFrom struct {
	ID       string   `json:"id" scrub:"-" format:"uuid" doc:"Id of the submission that gives the fix in these words"`
	Revision string   `json:"revision" scrub:"-" doc:"Revision of that submission"`
	SourceID string   `json:"source_id" scrub:"-" format:"uuid" doc:"Who submitted it"`
	Standing Standing `json:"standing" enum:"given,earned,none" doc:"Whether its author counts: given by an operator, earned, or not"`
}

// FixEvidence is what is said of one fix, in these words. Owners with standing alone count, each once, the fix's author never.
type FixEvidence struct {
	ConfirmedBy int `json:"confirmed_by" doc:"Owners with standing, its author aside, who found that it worked or gave the same fix"`
	Worked      int `json:"worked" doc:"Those for whom it worked"`
	Failed      int `json:"failed" doc:"Those for whom it failed"`
	Unsafe      int `json:"unsafe" doc:"Those who found that it does harm"`
}

// Fix is one way to solve a problem, as one voice says it.
type Fix struct {
	Resolution string      `json:"resolution,omitempty" doc:"What to do, in answers and single items; absent where it is withheld"`
	From       FixFrom     `json:"from" doc:"Whose it is"`
	Evidence   FixEvidence `json:"evidence" doc:"What is said of it"`
	AsksFor    []AsksFor   `json:"asks_for,omitempty" doc:"What it asks its reader to do"`
	Withheld   Withheld    `json:"fix_withheld,omitempty" enum:"unvouched,unsafe" doc:"Why it isn't handed out here; the submission's own address has it, under its author's name"`
}

// Withheld says why a fix is left out of answers, search results, lists and feeds. Empty: it isn't.
type Withheld string

// Why a fix is withheld.
const (
	// WithheldUnvouched: its author has no standing, nobody confirmed it, and it asks for something that can do harm.
	WithheldUnvouched Withheld = "unvouched"
	// WithheldUnsafe: somebody with standing found that it does harm, and not enough others that it works.
	WithheldUnsafe Withheld = "unsafe"
)

// Retracted stands for the words of a pattern or unit whose report was withdrawn or says them no longer.
const Retracted = "What this said was taken back"

// MaxAlternatives is how many other fixes a pattern or unit names.
const MaxAlternatives = 5

// Evident is what patterns and units say of the fix that they show, and of the others.
type Evident struct {
	Revision     string       `json:"revision,omitempty" scrub:"-" doc:"Stands for these words: name it when you report an outcome or flag"`
	RevisedAt    *time.Time   `json:"revised_at,omitempty" doc:"When its words last changed, UTC; absent while they are the first"`
	FixFrom      *FixFrom     `json:"fix_from,omitempty" doc:"Whose the fix is; absent where none is confirmed, and from the reference library"`
	FixEvidence  *FixEvidence `json:"fix_evidence,omitempty" doc:"What is said of the fix that it shows; absent where it shows none"`
	Alternatives []Fix        `json:"alternatives,omitempty" doc:"At most 5 other fixes, each one voice, the best confirmed first"`
	AsksFor      []AsksFor    `json:"asks_for,omitempty" doc:"What the fix asks its reader to do"`
	Disputed     bool         `json:"disputed,omitempty" doc:"true: owners with standing say that it failed or does harm; an operator decides"`
}

// Revise sets the revision of words, and when they changed if they differ from those that are stored.
func (e *Evident) Revise(summary, content, resolution string, stored *Evident, now time.Time) {
	e.Revision, e.RevisedAt = RevisionOf(summary, content, resolution), nil
	if stored == nil {
		return
	}
	if e.RevisedAt = stored.RevisedAt; stored.Revision != "" && stored.Revision != e.Revision {
		e.RevisedAt = &now
	}
}
