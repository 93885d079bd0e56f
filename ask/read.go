// Package ask turns what an agent pastes into a question, and what was found into an answer: it reads a log for its messages, and
// judges whether a known problem is the one that was asked about. It does no I/O.
package ask

import (
	"regexp"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// Question is what a text asks.
type Question struct {
	// Messages are the lines that say what went wrong, in their order; the whole text where it is no log.
	Messages []string
	// Rest is what else the text says.
	Rest string
	// Cause is what stands behind the last "Caused by"; "" where nothing does.
	Cause string
	// Plain says that it is one line of words, as people ask, and nothing that a program prints.
	Plain bool
	// Foreign is the program, of no concern to Web3, that printed the text; "" where none did, or something in it is of Web3.
	Foreign string
	// Entities are what the text names exactly, as lore.Entities finds it, but for addresses and hashes beside other words: they are of
	// the asker's own and say nothing of the problem.
	Entities []string
}

var (
	escapes    = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)
	timestamps = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\[\d\d-\d\d\|\d\d:\d\d:\d\d(?:\.\d+)?\]|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} \d\d:\d\d:\d\d|\b\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:AM|PM)?\b`)
	// paths keep their last part: a source file's name tells something, the folders before it are the asker's own.
	paths     = regexp.MustCompile(`(?:https?://[^\s"'<>()]+)|(?:(?:[A-Za-z]:)?(?:\.{0,2}/)[\w@.+-]+(?:/[\w@.+-]+)+/?)`)
	hexadecim = regexp.MustCompile(`\b(?:0x)?[0-9a-fA-F]{16,}\b`)
	encoded   = regexp.MustCompile(`\b[1-9A-HJ-NP-Za-km-z]{32,}\b`)
	uuids     = regexp.MustCompile(`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`)
)

// frames are lines of a stack trace or a call tree, and quoted lines of code: where it happened, not what.
var frames = regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
	`at (?:async )?\S.*[:(]\S*\d+\)?$`,          // JavaScript, Java; Rust's second line
	`at (?:async )?[\w.$<>]+ \([^)]*\)$`,        // JavaScript without a place
	`File "[^"]*", line \d+`,                    // Python
	`\d+: +(?:0x[0-9a-f]+ - )?[\w<>]+(?:::|\.)`, // Rust
	`goroutine \d+ \[`,                          // Go
	`created by \S+`,
	`\S+\.go:\d+`,
	`[\w/*()-]*[./][\w./*()-]*\((?:\)|(?:0x[0-9a-f]+|\.\.\.|\{).*\))$`, // Go; without a package it is a custom error, as in Panic(0x11)
	`[│├└┌─]`, `[|+` + "`" + `\\]-`, `\|(?:\s|$)`, // call trees
	`-+> \S+:\d+`,  // a compiler's place
	`>?\s*\d+ \| `, // code
	`\|? +\^+\s*$`,
	`Program (?:log: Instruction|\w+ (?:invoke|consumed|success))`, // Solana
	`[$>] \S`, // a shell's prompt
}, "|") + `)`)

// telling are words that a line holds which says what went wrong.
var telling = regexp.MustCompile(`(?i)\b(?:err|errors?|\w+Error|exceptions?|\w+Exception|panic\w*|fatal|crit|critical|fail(?:s|ed|ure|ing)?|revert(?:s|ed)?|cannot|can't|could ?n[o']t|couldn't|unable|invalid|denied|rejected|refused|forbidden|unauthorized|unsupported|not (?:found|supported|available|allowed|a function|in the)|insufficient|exceed(?:s|ed)?|too (?:low|high|large|many|few|deep|long)|time[d-]? ?out|missing|mismatch|incompatible|unexpected|unknown|undefined|killed|out of (?:memory|gas)|warn|warning|deprecated|stale|expired|wrong|engine_result)\b|"(?:message|error|err|code)" *:`)

// causes begins a line that says what caused the error above: of Java, Rust, Node and Hardhat.
var causes = regexp.MustCompile(`(?i)^\s*(?:caused by|\[?cause\]?) ?:`)

// plain is one line without the marks of programs.
var plain = regexp.MustCompile(`^[^\n{}\[\]"=;<>|\x60]{1,300}$`)

// causeLines is how many lines are read of what caused an error: Rust has it on those below.
const causeLines = 3

// python is the last line of a Python traceback.
var python = regexp.MustCompile(`^[A-Za-z_][\w.]*(?:: |$)`)

// Read reads a text: a question in words, an error message, or a log with stack traces. What has nothing but a trace asks about that.
func Read(text string) Question {
	text = escapes.ReplaceAllString(strings.ToValidUTF8(text, " "), "")
	text = strings.NewReplacer(lore.ScrubMarker, " ", "\r\n", "\n", `\n`, "\n", `\"`, `"`).Replace(text)
	var q Question
	var rest, trace, cause []string
	traced := false // the line before was a frame
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if frames.MatchString(line) {
			trace, traced = append(trace, line), true
			continue
		}
		switch clean := Clean(line); {
		case clean == "":
		case causes.MatchString(line):
			cause, q.Messages = []string{clean}, append(q.Messages, clean)
		case len(cause) > 0 && len(cause) < causeLines:
			cause, q.Messages = append(cause, clean), append(q.Messages, clean)
		case telling.MatchString(clean), traced && python.MatchString(line):
			q.Messages = append(q.Messages, clean)
		default:
			rest = append(rest, clean)
		}
		traced = false
	}
	if len(q.Messages) == 0 { // no log: what is there is what is asked
		q.Messages, rest = rest, nil
	}
	if len(q.Messages) == 0 {
		for _, line := range trace {
			if clean := Clean(line); clean != "" {
				q.Messages = append(q.Messages, clean)
			}
		}
	}
	q.Rest, q.Cause = strings.Join(rest, "\n"), causes.ReplaceAllString(strings.Join(cause, "\n"), "")
	q.Foreign = foreign(text)
	q.Plain = plain.MatchString(strings.TrimSpace(text))
	q.Entities = entitiesOf(text)
	return q
}

// Clean returns a line without what carries no meaning for others: times, ids, hashes, addresses and the folders of paths.
func Clean(line string) string {
	line = timestamps.ReplaceAllString(line, " ")
	if strings.Contains(line, "/") {
		line = paths.ReplaceAllStringFunc(line, func(path string) string {
			if strings.Contains(path, "://") {
				return " " + path + " "
			}
			parts := strings.Split(strings.TrimRight(path, "/"), "/")
			return " " + parts[len(parts)-1] + " "
		})
	}
	line = hexadecim.ReplaceAllString(uuids.ReplaceAllString(line, " "), " ")
	line = encoded.ReplaceAllStringFunc(line, func(run string) string {
		if terms.IsEncoded(run) {
			return " "
		}
		return run
	})
	return strings.Join(strings.Fields(line), " ")
}

// entitiesOf returns what a text names exactly. An address or a hash counts only where it is all that was asked.
func entitiesOf(text string) []string {
	found := lore.Entities(text)
	var telling []string
	for _, entity := range found {
		if !terms.IsEncoded(entity) || len(entity) <= len("0x12345678") {
			telling = append(telling, entity)
		}
	}
	if len(telling) == 0 && len(strings.Fields(text)) <= 2 {
		return found
	}
	return telling
}
