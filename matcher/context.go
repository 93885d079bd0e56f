package matcher

import (
	"regexp"
	"slices"
	"strings"

	"agentlore/lore"
)

// Surroundings is where a name stands: by it a name that several programs print means one of them.
type Surroundings struct {
	// Text is all that was pasted, as it came: what Find searches for names may be a part of it.
	Text string
	// Ecosystem is what the question is about; empty: any.
	Ecosystem string

	words []token
	// The ids of Solana programs that the text says failed, and of those that it says did not.
	failed, succeeded []string
}

// programEnded is the line of a Solana log that says how a program ended: an error is of one that failed.
var programEnded = regexp.MustCompile(`\bProgram ([1-9A-HJ-NP-Za-km-z]{32,44}) (failed|success)\b`)

// programID is a context that is the id of a Solana program.
var programID = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)

// read splits the text, once.
func (s *Surroundings) read() {
	if s.words != nil {
		return
	}
	s.words = wordsOf(s.Text)
	for _, line := range programEnded.FindAllStringSubmatch(s.Text, -1) {
		if line[2] == "failed" {
			s.failed = append(s.failed, line[1])
		} else {
			s.succeeded = append(s.succeeded, line[1])
		}
	}
}

// meaning is what the surroundings of a shared name say of a unit that has it.
type meaning int

const (
	meant    meaning = iota // a word of its context is there
	open                    // nothing there tells
	excluded                // what is there is another program's
)

// means returns what the surroundings say of a unit with a context. A log names many Solana programs that did not
// fail, so where it says which one failed only that one's id counts: "Program Tokenkeg… failed: custom program error:
// 0x4".
func (s *Surroundings) means(unit *lore.KnowledgeUnit) meaning {
	s.read()
	ids := slices.ContainsFunc(unit.Context, programID.MatchString)
	if ids && len(s.failed) > 0 {
		if slices.ContainsFunc(unit.Context, func(word string) bool { return slices.Contains(s.failed, word) }) {
			return meant
		}
		return excluded
	}
	for _, word := range unit.Context {
		if !slices.Contains(s.succeeded, word) && s.has(word) {
			return meant
		}
	}
	return open
}

// has reports whether a word of a context is in the text, or is its ecosystem. One that ends in * stands for all
// words that begin so.
func (s *Surroundings) has(context string) bool {
	if s.Ecosystem != "" && context == s.Ecosystem {
		return true
	}
	prefix, isPrefix := strings.CutSuffix(context, "*")
	wanted := wordsOf(prefix)
	if len(wanted) == 0 {
		return false
	}
	for at := range s.words {
		if len(s.words)-at < len(wanted) {
			return false
		}
		last := len(wanted) - 1
		for i, word := range wanted {
			found := s.words[at+i].folded
			if found != word.folded && !(isPrefix && i == last && strings.HasPrefix(found, word.folded)) {
				break
			}
			if i == last {
				return true
			}
		}
	}
	return false
}
