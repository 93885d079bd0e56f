package tracker

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// What takes a resolution away again, or leaves it to be read first.

// moreIsSaid is the doubt about a resolution after which something else is said than thanks.
const moreIsSaid = "the asker or a maintainer says more than thanks afterwards"

// corrected returns what a maintainer says is right in place of what was said before.
func (t *talk) corrected() (Choice, bool) {
	for i, comment := range slices.Backward(t.Comments) {
		if comment.Author.Role != Maintainer || !t.eligible[i] || !says(comment.Body, corrects, asks) ||
			!helps(withoutFalseHelp(comment.Body)) {
			continue
		}
		spoken := slices.ContainsFunc(t.Comments[:i], func(c Comment) bool {
			return !c.Author.Bot && (helps(c.Body) || suggests(c.Body))
		})
		acceptedLater := slices.ContainsFunc(t.Comments[i:], func(c Comment) bool { return c.Accepted })
		if !spoken || acceptedLater || t.deniedAfter(comment.CreatedAt) || t.questionDenies() {
			return Choice{}, false
		}
		doubt := t.doubtAfter(comment.CreatedAt)
		for _, later := range t.Comments[i+1:] {
			if later.Author.is(t.Asker) && !mentions(later.Body, comment.Author.Handle) && t.speaksTo(later.Body, i) {
				doubt = "the asker thanks somebody else"
			}
		}
		return Choice{
			Kind: Corrected, Text: resolutionText(comment), By: comment.Author,
			Why: "a maintainer corrects what was said before", Doubt: doubt,
		}, true
	}
	return Choice{}, false
}

// answered returns the last thing that a maintainer said to do, where a maintainer later closes the thread as answered,
// or where that is all that was said since, a command alone. Nobody says that it helped.
func (t *talk) answered() (Choice, bool) {
	if !t.Closed || t.Declined {
		return Choice{}, false
	}
	saysSo := false
	for i, comment := range slices.Backward(t.Comments) {
		if comment.Author.Role != Maintainer || comment.Author.Bot || !t.eligible[i] {
			if comment.Author.Bot || comment.Author.is(t.Asker) {
				return Choice{}, false
			}
			continue
		}
		if !saysSo && says(comment.Body, wasAnswered) {
			saysSo = true
			continue
		}
		alone := isCommand(comment.Body)
		advises := helps(comment.Body) && (strings.Contains(comment.Body, "`") || says(comment.Body, firmly, asks)) &&
			!slices.ContainsFunc(sentences(comment.Body), isQuestion)
		if !advises || !saysSo && !alone || t.deniedAfter(comment.CreatedAt) {
			return Choice{}, false
		}
		return Choice{
			Kind: Closing, Text: resolutionText(comment), By: comment.Author,
			Why: "a maintainer's answer, after which the thread was closed", Doubt: "nobody says that it helped",
		}, true
	}
	return Choice{}, false
}

// warnedAfter reports whether a maintainer warns after a time.
func (t *talk) warnedAfter(at time.Time) bool {
	for i, comment := range t.Comments {
		if comment.CreatedAt.After(at) && t.eligible[i] && comment.Author.Role == Maintainer &&
			says(comment.Body, warns, courteous) {
			return true
		}
	}
	return false
}

// doubtAfter returns the doubt that there is where the asker or a maintainer says more after a time than thanks, or
// that it is closed.
func (t *talk) doubtAfter(at time.Time) string {
	for i, comment := range t.Comments {
		if comment.CreatedAt.After(at) && t.eligible[i] && !comment.Author.Bot &&
			(comment.Author.is(t.Asker) || comment.Author.Role == Maintainer) && !isPlain(comment.Body) {
			return moreIsSaid
		}
	}
	return ""
}

// isPlain reports whether a comment says no more than thanks, that it worked, that it is out, or that it is closed.
func isPlain(text string) bool {
	if fenced.MatchString(text) {
		return false
	}
	return !slices.ContainsFunc(sentences(text), func(sentence string) bool {
		return isQuestion(sentence) || hedges.MatchString(sentence) ||
			!courteous.MatchString(sentence) && !worked.MatchString(sentence) && !released.MatchString(sentence) &&
				!named.MatchString(sentence)
	})
}

// tellsMore reports whether a comment that says that something worked also says what else to do.
func tellsMore(text string) bool {
	return slices.ContainsFunc(sentences(text), func(sentence string) bool {
		if worked.MatchString(sentence) {
			return more.MatchString(sentence)
		}
		return hedges.MatchString(sentence) || instructs.MatchString(sentence) && !courteous.MatchString(sentence)
	})
}

// edited is where the asker adds something to the question later.
var edited = regexp.MustCompile(`(?im)(?:^|[.!?*_] *)[*_#]*(?:update[d]?|edit(?:ed)?)\b[^:\n]{0,16}[:—–-]`)

// ofAnswers is what speaks of answers.
var ofAnswers = either(`\b(?:answers?|solutions?|fix(?:ed|es)?|work(?:s|ed|ing|around)?|solved?)\b`)

// addedToQuestion returns what the asker added to the question later.
func (t *talk) addedToQuestion() string {
	at := edited.FindStringIndex(t.Body)
	if at == nil {
		return ""
	}
	return t.Body[at[1]:]
}

// questionDenies reports whether the asker later says in the question that what was said doesn't help.
func (t *talk) questionDenies() bool {
	added := t.addedToQuestion()
	return says(added, failed) && says(added, ofAnswers) || says(added, retracts)
}

// doubtOfQuestion returns the doubt that there is where the asker later speaks of answers in the question.
func (t *talk) doubtOfQuestion() string {
	if added := t.addedToQuestion(); says(added, ofAnswers) && !isPlain(added) {
		return "the asker later says more of it in the question"
	}
	return ""
}

// codeSpan is a piece of code in a sentence.
var codeSpan = regexp.MustCompile("`[^`\n]*`")

// isAdvice reports whether a comment says what to do by more than that it names a piece of code.
func isAdvice(text string) bool {
	return fenced.MatchString(text) || slices.ContainsFunc(sentences(text), func(sentence string) bool {
		return shortAdvice.MatchString(sentence) || instructs.MatchString(codeSpan.ReplaceAllString(sentence, "``"))
	})
}

// doubtOfWords returns the doubt that the words of a choice raise by themselves.
func doubtOfWords(choice Choice) string {
	switch {
	case choice.Kind != Merged && !isAdvice(choice.Text):
		return "it may be no advice"
	case choice.By.Role != Maintainer && mayHarm(choice.Text):
		return "it can do harm, or leads elsewhere"
	}
	return ""
}

// confirmingPart returns the sentence of a comment that says that something worked, behind its "but" where it has one.
func confirmingPart(text string) string {
	for _, sentence := range sentences(text) {
		if worked.MatchString(sentence) {
			return behindBut(sentence)
		}
	}
	return ""
}

// behindBut returns what stands behind the last "but" of a sentence, or all of it where it has none.
func behindBut(sentence string) string {
	if all := but.FindAllStringIndex(sentence, -1); len(all) > 0 {
		return sentence[all[len(all)-1][1]:]
	}
	return sentence
}

// isMeToo reports whether a comment begins by saying that its author has the problem too, and doesn't say what helped.
func isMeToo(text string) bool { return meToo.MatchString(said(text)) && !says(text, worked, failed) }

// sharedWords counts the words of some length that two texts have, by their first letters.
func sharedWords(a, b string) (count int) {
	const stem = 5
	has := map[string]bool{}
	for _, word := range longWord.FindAllString(strings.ToLower(b), -1) {
		has[word[:stem]] = true
	}
	for _, word := range longWord.FindAllString(strings.ToLower(a), -1) {
		if has[word[:stem]] {
			count++
			delete(has, word[:stem])
		}
	}
	return count
}

var longWord = regexp.MustCompile(`[a-z_]{5,}`)
