package lore

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Verdict is what an operator decided.
type Verdict string

// The verdicts, by the collection of their subject. Two of one group take each other back: the later one counts.
const (
	VerdictAccept Verdict = "accept" // a suggestion is followed
	VerdictReject Verdict = "reject" // a suggestion is not

	VerdictConfirm Verdict = "confirm" // a safety flag is right: its item is hidden
	VerdictDismiss Verdict = "dismiss" // a safety flag is wrong: its item is shown

	VerdictApprove  Verdict = "approve"  // a submission may become knowledge, a unit stays; stands for a worked of an owner with standing
	VerdictWithdraw Verdict = "withdraw" // an item must not be relied on
	VerdictRestore  Verdict = "restore"  // takes a withdrawal or an approval back: the rules decide again

	VerdictSplit Verdict = "split" // a submission is not of one pattern with Others, whatever a similarity says
	VerdictMerge Verdict = "merge" // a submission is of one pattern with Others

	VerdictVouch   Verdict = "vouch"   // the principal of a source has standing
	VerdictInvite  Verdict = "invite"  // so has the principal that an invite is for
	VerdictUnvouch Verdict = "unvouch" // it has none, whatever it earned
	VerdictBan     Verdict = "ban"     // a source or principal is refused, and what it said counts for nothing
	VerdictUnban   Verdict = "unban"   // takes a ban back; standing doesn't come back with it

	VerdictRaise Verdict = "raise" // a principal or a network has Times its budgets; 1: the usual ones again

	VerdictRetry Verdict = "retry" // an item that curation set aside is tried again

	VerdictErase   Verdict = "erase"   // an item is deleted for good; the record is its tombstone
	VerdictRedact  Verdict = "redact"  // secrets were removed from an item
	VerdictRescrub Verdict = "rescrub" // the scrubber's present rules went over everything; Why ends with the counts

	VerdictIssue  Verdict = "issue"  // a source got a new token, those it had stopped
	VerdictRevoke Verdict = "revoke" // a source's token was refused from then on
)

// Principals stands for a collection in decisions about a principal, and Networks in those about a network: neither is a collection.
const (
	Principals Collection = "principals"
	Networks   Collection = "networks"
)

// verdictMatters groups the verdicts that take each other back.
var verdictMatters = map[Verdict]string{
	VerdictAccept: "suggestion", VerdictReject: "suggestion",
	VerdictConfirm: "flag", VerdictDismiss: "flag",
	VerdictApprove: "standing", VerdictWithdraw: "standing", VerdictRestore: "standing",
	VerdictSplit: "membership", VerdictMerge: "membership",
	VerdictVouch: "trust", VerdictInvite: "trust", VerdictUnvouch: "trust", VerdictBan: "trust", VerdictUnban: "trust",
	VerdictRaise: "budget", VerdictErase: "existence", VerdictRedact: "text", VerdictRescrub: "text",
	VerdictRetry: "curation",
	VerdictIssue: "token", VerdictRevoke: "token",
}

// Matter names the group of verdicts that take each other back. Of one subject and matter the latest decision counts; of
// membership, the latest that names a pair of submissions.
func (v Verdict) Matter() string { return verdictMatters[v] }

// Verdicts returns all verdicts, in order of their names.
func Verdicts() []Verdict { return slices.Sorted(maps.Keys(verdictMatters)) }

// Decision is what an operator decided about an item, with the operator's name and reason. Decisions are kept for ever and never changed: one
// that was wrong is followed by another.
type Decision struct {
	ID      string  `json:"id" scrub:"-"`
	Subject Target  `json:"subject"`
	Verdict Verdict `json:"decision"`
	// Object is what else it is about: the asset made from a suggestion, the item that a confirmed flag warns of, the
	// unit that replaces a withdrawn one, the pattern that a submission was split from; the pattern that an erased submission
	// was in, the item that an erased flag or suggestion was about.
	Object *Target `json:"object,omitempty"`
	// Others are, of a split or merge, the submissions that Subject is not, or is, of one pattern with: patterns come and
	// go as reports do, submissions stay. Of a vouch they are more principals. Of an erased item they are the items that the curator judges anew without it.
	Others []string `json:"others,omitempty" scrub:"-"`
	// Words are, of an approval, those that were approved.
	Words
	// Since is, of a revoked token, from when on what its source said is taken back: it was stolen then.
	Since *time.Time `json:"since,omitempty"`
	// Times is, of raised budgets, how many times the usual ones they are.
	Times int       `json:"times,omitempty"`
	Who   string    `json:"who"`
	Why   string    `json:"why"`
	At    time.Time `json:"at"` // to the millisecond, UTC
}

// DecisionFilter restricts a list of decisions; zero values restrict nothing.
type DecisionFilter struct {
	Since    time.Time // decided from then on
	Verdicts []Verdict
	Subjects []string // ids; empty but not nil: there are none
}

// Limits of a decision's texts, in characters.
const (
	MaxWhoLength = 128
	MaxWhyLength = 2000
)

// Normalise trims the texts.
func (d *Decision) Normalise() { d.Who, d.Why = strings.TrimSpace(d.Who), strings.TrimSpace(d.Why) }

// Check returns what is wrong with a decision as the operator gave it.
func (d Decision) Check() []FieldError {
	var faults []FieldError
	for _, text := range []struct {
		pointer, value string
		limit          int
	}{{"/who", d.Who, MaxWhoLength}, {"/why", d.Why, MaxWhyLength}} {
		if strings.TrimSpace(text.value) == "" {
			faults = append(faults, FieldError{Pointer: text.pointer, Code: "required", Detail: "is required"})
		}
		faults = append(faults, checkItems(text.pointer, []string{text.value}, text.limit)...)
	}
	return faults
}

// Erasure tells consumers of an export that an item is gone for good. It holds nothing of what the item said.
type Erasure struct {
	ID       string    `json:"id"`
	ErasedAt time.Time `json:"erased_at"` // to the millisecond, UTC
}

// ErasureID returns the id of the decision that erases an item. It follows from the item, so that an erasure that was killed and is
// run again is recorded once, and so that a reader who doesn't find an item learns with one look-up by id whether it was erased.
func ErasureID(item Target) string {
	return DerivedID("erase", string(item.Collection), item.ID)
}
