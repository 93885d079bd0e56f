package tracker

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Kind says why something is taken for the resolution of a thread.
type Kind string

// The kinds, the surest first.
const (
	Page       Kind = "page"       // of a runbook: the operator's own words
	Accepted   Kind = "accepted"   // the answer that the asker accepted
	Corrected  Kind = "correction" // what a maintainer says is right, where others or they themselves said otherwise
	Confirmed  Kind = "confirmed"  // what the asker then says worked
	Closing    Kind = "closing"    // what a maintainer says who closes the thread
	Merged     Kind = "change"     // a merged change that says that it closes the thread
	Workaround Kind = "workaround" // what a maintainer calls one
	OwnAnswer  Kind = "asker"      // what the asker says solved it: nobody else does
	None       Kind = ""
)

// Choice is what is taken for the resolution of a thread, and why.
type Choice struct {
	Kind Kind
	Text string // in Markdown
	By   Person
	// Why says in words what decided, or why there is none.
	Why string
	// Doubt says why it is to be read before it is trusted; empty: nothing speaks against it.
	Doubt string
	// Nearest is what comes nearest to a resolution where there is none, for people to look at.
	Nearest string
	// Refused counts what was looked at and can be no resolution.
	Refused Refused
}

// Refused counts comments that are never a resolution.
type Refused struct{ Bots, Agreements, FalseHelp int }

// Vouched reports whether a maintainer or the asker stands for the choice: what an operator may trust as a whole.
func (c Choice) Vouched() bool {
	if c.Doubt != "" {
		return false
	}
	switch c.Kind {
	case Page, Accepted, Corrected, Confirmed, Closing, Workaround:
		return true
	case Merged:
		return c.By.Role == Maintainer
	}
	return false
}

// closingTime is how long before and after a thread was closed a comment belongs to that.
const closingTime = time.Hour

// talk is a thread while its resolution is looked for.
type talk struct {
	Thread
	refused  Refused
	eligible []bool   // by comment: it may be a resolution, or speak of one
	denials  []denial // by comment; nil: not read yet
}

// Choose returns the resolution of a thread. Of several it takes the surest kind, of a kind the last one. It takes none
// that the asker or a maintainer says later didn't help.
func Choose(thread Thread) Choice {
	t := &talk{Thread: thread, eligible: make([]bool, len(thread.Comments))}
	for i, comment := range t.Comments {
		t.eligible[i] = t.hear(comment)
	}
	choice := t.choose()
	choice.Refused = t.refused
	return choice
}

// hear reports whether a comment has a voice, and counts it otherwise.
func (t *talk) hear(comment Comment) bool {
	switch {
	case comment.Author.Bot:
		t.refused.Bots++
	case isFalseHelp(comment.Body) && !(comment.Author.Role == Maintainer && helps(withoutFalseHelp(comment.Body))):
		t.refused.FalseHelp++
	case isAgreement(comment.Body) && !saysWorked(comment.Body):
		t.refused.Agreements++
	default:
		return true
	}
	return false
}

func (t *talk) choose() Choice {
	if t.Page != "" {
		choice := Choice{Kind: Page, Text: t.Page, By: t.Asker, Why: "the page's own resolution"}
		if toDo.MatchString(t.Page) {
			choice.Doubt = "a part of it is still to be written"
		}
		return choice
	}
	for _, find := range []func() (Choice, bool){
		t.corrected, t.accepted, t.confirmed, t.closing, t.merged, t.answered, t.workaround, t.ownAnswer,
	} {
		if choice, found := find(); found {
			if choice.Kind != OwnAnswer { // which is never trusted
				choice.Doubt = cmp.Or(choice.Doubt, t.doubtOfQuestion(), doubtOfWords(choice))
			}
			choice.Text = strings.TrimSpace(choice.Text)
			return choice
		}
	}
	return Choice{Why: t.whyNone(), Nearest: t.nearest()}
}

// nearest returns the last comment that says what to do, though nobody stands for it.
func (t *talk) nearest() string {
	for i, comment := range slices.Backward(t.Comments) {
		if t.eligible[i] && (helps(comment.Body) || suggests(comment.Body)) {
			return resolutionText(comment)
		}
	}
	return ""
}

// accepted returns the answer that was accepted.
func (t *talk) accepted() (Choice, bool) {
	for i, comment := range slices.Backward(t.Comments) {
		if !comment.Accepted || !t.eligible[i] {
			continue
		}
		if t.deniedAfter(comment.CreatedAt) || t.questionDenies() {
			return Choice{}, false
		}
		if comment.Author.is(t.Asker) && comment.Author.Role != Maintainer {
			return Choice{
				Kind: OwnAnswer,
				Text: resolutionText(comment),
				By:   comment.Author,
				Why:  "the asker accepted an answer of their own",
			}, true
		}
		return Choice{
			Kind: Accepted,
			Text: resolutionText(comment),
			By:   comment.Author,
			Why:  "the asker accepted this answer",

			Doubt: t.doubtAfter(comment.CreatedAt),
		}, true
	}
	return Choice{}, false
}

// confirmed returns the comment of somebody else of which the asker says that it worked.
func (t *talk) confirmed() (Choice, bool) {
	for i, comment := range slices.Backward(t.Comments) {
		if !comment.Author.is(t.Asker) || !t.eligible[i] || !saysWorked(comment.Body) {
			continue
		}
		if says(comment.Body, solvedIt, failed) && suggests(comment.Body) { // what helped is their own
			return Choice{}, false
		}
		meant, sure, found := t.meant(i)
		if !found || t.deniedAfter(comment.CreatedAt) || t.questionDenies() {
			return Choice{}, false
		}
		helper := t.Comments[meant]
		if t.warnedAfter(helper.CreatedAt) {
			return Choice{}, false
		}
		doubt := t.doubtAfter(comment.CreatedAt)
		switch {
		case !sure:
			doubt = "the asker may mean another comment"
		case tellsMore(comment.Body):
			doubt = moreIsSaid
		}
		return Choice{
			Kind: Confirmed,
			Text: resolutionText(helper),
			By:   helper.Author,
			Why:  "the asker says afterwards that this worked",

			Doubt: doubt,
		}, true
	}
	return Choice{}, false
}

// meant returns which comment the asker's comment speaks of: of who is named, or the one that is quoted, or else the
// last one before it. Where that is a false helper's or a program's, or where its words are those of another, nobody
// can tell. It is sure where nobody else has said what to do since the asker last spoke.
func (t *talk) meant(at int) (meant int, sure, found bool) {
	body := t.Comments[at].Body
	for _, part := range []string{confirmingPart(body), body} {
		for i := at - 1; i >= 0; i-- {
			named := t.Comments[i].Author.Handle
			if named != "" && mentions(part, named) && t.eligible[i] && t.mayHelp(i) {
				return i, true, true
			}
		}
		if t.speaksTo(part, at) { // of somebody who said nothing that helps
			return 0, false, false
		}
	}
	if quoted := firstQuote(body); quoted != "" {
		for i := at - 1; i >= 0; i-- {
			if strings.Contains(squeezed(t.Comments[i].Body), quoted) {
				return i, true, t.eligible[i] && t.mayHelp(i)
			}
		}
	}
	var may []int
	for i := at - 1; i >= 0; i-- {
		comment := t.Comments[i]
		switch {
		case comment.Author.is(t.Asker):
			if len(may) > 0 {
				return may[0], len(may) == 1, t.likelyMeant(body, may)
			}
		case comment.Author.Bot, isAgreement(comment.Body), isMeToo(comment.Body):
		case len(may) == 0 && (!t.eligible[i] || !t.mayHelp(i)):
			return 0, false, false
		case t.eligible[i] && t.mayHelp(i):
			may = append(may, i)
		}
	}
	if len(may) == 0 {
		return 0, false, false
	}
	return may[0], len(may) == 1, t.likelyMeant(body, may)
}

// speaksTo reports whether a text speaks to somebody else who has spoken before a comment.
func (t *talk) speaksTo(text string, before int) bool {
	return slices.ContainsFunc(t.Comments[:before], func(c Comment) bool {
		return c.Author.Handle != "" && !c.Author.is(t.Asker) && mentions(text, c.Author.Handle)
	})
}

// likelyMeant reports whether the words of the asker speak no more of an earlier comment than of the first, which is
// the latest.
func (t *talk) likelyMeant(body string, may []int) bool {
	latest := sharedWords(body, t.Comments[may[0]].Body)
	return !slices.ContainsFunc(may[1:], func(i int) bool { return sharedWords(body, t.Comments[i].Body) > latest })
}

// mayHelp reports whether a comment is of somebody else and says what to do.
func (t *talk) mayHelp(i int) bool {
	comment := t.Comments[i]
	return !comment.Author.is(t.Asker) && (helps(comment.Body) || suggests(comment.Body))
}

// suggests reports whether a comment says what to try, asking or not: the asker has tried it by then.
func suggests(text string) bool {
	return (instructs.MatchString(said(text)) || fenced.MatchString(text)) && !says(text, ended) &&
		enoughWords(said(text))
}

// closing returns what a maintainer said when the thread was closed.
func (t *talk) closing() (Choice, bool) {
	if !t.Closed {
		return Choice{}, false
	}
	for i, comment := range slices.Backward(t.Comments) {
		inTime := t.ClosedAt.IsZero() ||
			comment.CreatedAt.After(t.ClosedAt.Add(-closingTime)) &&
				comment.CreatedAt.Before(t.ClosedAt.Add(closingTime))
		switch {
		case comment.Author.Bot && inTime && says(comment.Body, ended):
			return Choice{}, false // a program closed it
		case comment.Author.Role != Maintainer || comment.Author.Bot || !inTime:
			continue
		case !t.eligible[i]:
			continue
		case t.Declined && !says(comment.Body, firmly, asks) && !says(comment.Body, released):
			return Choice{}, false
		case !helps(withoutFalseHelp(comment.Body)):
			if says(comment.Body, ended) || says(comment.Body, noBug) {
				return Choice{}, false
			}
			continue
		case t.deniedAfter(comment.CreatedAt), t.questionDenies():
			return Choice{}, false
		}
		doubt := t.doubtAfter(comment.CreatedAt)
		if says(comment.Body, warns, courteous) && !says(comment.Body, corrects) {
			doubt = "a part of it warns"
		}
		text := resolutionText(comment)
		if change, named := t.changeIn(comment.Body); named {
			text += "\n\n" + changeText(change)
			doubt = cmp.Or(doubt, doubtOfChanges(change))
		}
		return Choice{
			Kind: Closing, Text: text, By: comment.Author, Why: "a maintainer's comment at the closing", Doubt: doubt,
		}, true
	}
	return Choice{}, false
}

// merged returns the last merged change that closes the thread.
func (t *talk) merged() (Choice, bool) {
	if !t.Closed || t.Declined || len(t.Changes) == 0 {
		return Choice{}, false
	}
	last := t.Changes[len(t.Changes)-1]
	if last.Author.Bot || t.deniedAfter(last.MergedAt) || isFalseHelp(last.Title+"\n"+last.Body) {
		return Choice{}, false
	}
	var text []string
	for _, change := range t.Changes {
		text = append(text, changeText(change))
	}
	return Choice{
		Kind: Merged,
		Text: strings.Join(text, "\n\n"),
		By:   last.Author,
		Why:  "the merged change " + last.Name + " closes it",

		Doubt: cmp.Or(t.doubtAfter(last.MergedAt), doubtOfChanges(t.Changes...)),
	}, true
}

// doubtOfChanges says why the texts of changes are to be read first: their authors may write into them what they like, after the merge too.
func doubtOfChanges(changes ...Change) string {
	for _, change := range changes {
		if change.Author.Role != Maintainer {
			return "a part of it is the text of a change whose author is no maintainer"
		}
	}
	return ""
}

// workaround returns what a maintainer calls a workaround in a thread that may be open.
func (t *talk) workaround() (Choice, bool) {
	for i, comment := range slices.Backward(t.Comments) {
		if comment.Author.Role == Maintainer && t.eligible[i] && says(comment.Body, isWorkaround, noWorkaround) &&
			helps(comment.Body) && !t.deniedAfter(comment.CreatedAt) {
			return Choice{
				Kind: Workaround,
				Text: resolutionText(comment),
				By:   comment.Author,
				Why:  "a maintainer calls this a workaround",

				Doubt: t.doubtAfter(comment.CreatedAt),
			}, true
		}
	}
	return Choice{}, false
}

// ownAnswer returns what the asker says solved it.
func (t *talk) ownAnswer() (Choice, bool) {
	for i, comment := range slices.Backward(t.Comments) {
		if comment.Author.is(t.Asker) && t.eligible[i] && says(comment.Body, solvedIt, failed) &&
			suggests(comment.Body) &&
			!says(comment.Body, byItself) &&
			!t.deniedAfter(comment.CreatedAt) {
			return Choice{
				Kind: OwnAnswer,
				Text: resolutionText(comment),
				By:   comment.Author,
				Why:  "the asker says what solved it; nobody else does",
			}, true
		}
	}
	return Choice{}, false
}

// manyDenials is how many others may say that something doesn't help before it is taken for none.
const manyDenials = 2

// deniedAfter reports whether the asker, a maintainer or several others say after a time that the problem is still
// there.
func (t *talk) deniedAfter(at time.Time) bool {
	if t.denials == nil {
		t.denials = make([]denial, len(t.Comments))
		for i, comment := range t.Comments {
			if t.eligible[i] {
				t.denials[i] = t.denialOf(comment)
			}
		}
	}
	others := 0
	for i, comment := range t.Comments {
		if !comment.CreatedAt.After(at) {
			continue
		}
		switch t.denials[i] {
		case denialThatCounts:
			return true
		case denialOfOthers:
			others++
		}
	}
	return others >= manyDenials
}

// denial is what a comment says against what helped.
type denial int

const (
	noDenial denial = iota
	denialOfOthers
	denialThatCounts // by the asker or a maintainer
)

// denialOf reads a comment, once: its author decides how often a thread asks for it.
func (t *talk) denialOf(comment Comment) denial {
	failed := saysFailed(comment.Body)
	switch {
	case comment.Author.Role == Maintainer && (failed || says(comment.Body, warns, courteous)),
		comment.Author.is(t.Asker) && (failed || says(comment.Body, retracts)):
		return denialThatCounts
	case failed:
		return denialOfOthers
	}
	return noDenial
}

// changeIn returns the change that a comment names: "Fixed by #57".
func (t *talk) changeIn(body string) (Change, bool) {
	for _, change := range slices.Backward(t.Changes) {
		if i := strings.LastIndexAny(change.Name, "#!"); i >= 0 && namesNumber(body, change.Name[i:]) {
			return change, true
		}
	}
	return Change{}, false
}

// namesNumber reports whether a text has #57, and not #570.
func namesNumber(text, number string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], number)
		if at < 0 {
			return false
		}
		from += at + len(number)
		if from == len(text) || text[from] < '0' || text[from] > '9' {
			return true
		}
	}
}

// whyNone says why a thread has no resolution.
func (t *talk) whyNone() string {
	switch {
	case len(t.Comments) == 0 && t.Asker == Person{Role: Maintainer}:
		return "the page's fix is still to be written"
	case t.Declined:
		return "closed as not planned or as a duplicate"
	case !t.Closed:
		return "open, and in no words that are understood somebody who can tell says what helped"
	case t.refused.Bots > 0 && t.refused.Bots == len(t.Comments):
		return "only programs speak"
	case slices.ContainsFunc(t.Comments, func(c Comment) bool { return !c.Author.Bot && saysFailed(c.Body) }):
		return "closed, and what was said to help is denied or nothing was said to help"
	}
	return "closed, and in no words that are understood the asker or a maintainer says what helped"
}
