package tracker

import (
	"regexp"
	"slices"
	"strings"
)

const (
	// maxError is how much of the pasted error is kept, in bytes: enough for an error with what caused it.
	maxError = 6000
	// around is how many lines before and behind one that tells are kept of a long log.
	around = 1
	// ends is how many lines of the beginning and the end of a long log are kept.
	ends = 3
)

var (
	// tells are words of lines that say what went wrong.
	tells = regexp.MustCompile(
		`(?i)\b(?:error|err|errors|exception|fail|failed|fails|failure|fatal|panic|panicked|revert|reverted|abort|aborted|denied|refused|` +
			`invalid|cannot|can['’]t|unable|unexpected|time(?:d )?out|not found|undefined|unknown|rejected|mismatch|caused by|assertion|overflow|` +
			`insufficient|exceed(?:s|ed)|missing|expired|underpriced|too (?:low|high|large|many))\b|[A-Za-z](?:Error|Exception)\b|\bE[A-Z]{4,}\b|-32\d{3}\b`,
	)
	// severe are lines that tell more than others of a long log.
	severe = regexp.MustCompile(
		`\b(?:ERROR|FATAL|CRIT|CRITICAL|PANIC|EROR|Error:|error:|panic:|Caused by|reverted)\b|[A-Za-z](?:Error|Exception)\b`,
	)
	// loggedLine is one that a program wrote, outside of a block of code.
	loggedLine = regexp.MustCompile(
		`^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN|FATAL|INFO|DEBUG)\b|` +
			`[A-Za-z.]*(?:Error|Exception)\b.*:|(?:error|panic|fatal)\b.{0,12}:|Traceback \(most recent|Caused by:| {2,}at \S+|\s+File ")`,
	)
	// span is a piece of code within a line.
	span = regexp.MustCompile("`([^`\n]{4,200})`")
)

// takeError returns the error that a text holds, as it was pasted, and the rest of the text.
func takeError(text string) (pasted, rest string) {
	var errors []string
	rest = fenced.ReplaceAllStringFunc(text, func(block string) string {
		inner := unfenced(block)
		if !tells.MatchString(inner) || isCode(block) {
			return block
		}
		errors = append(errors, inner)
		return "\n"
	})
	rest = outsideFences(rest, func(part string) string {
		var kept, logged []string
		for line := range strings.SplitSeq(part, "\n") {
			if loggedLine.MatchString(line) || strings.HasPrefix(line, "    ") && tells.MatchString(line) {
				logged = append(logged, strings.TrimRight(line, " \t"))
				continue
			}
			kept = append(kept, line)
		}
		if len(logged) == 0 || !slices.ContainsFunc(logged, tells.MatchString) {
			return part
		}
		errors = append(errors, strings.Join(logged, "\n"))
		return strings.Join(kept, "\n")
	})
	if len(errors) == 0 {
		errors, rest = takePrinted(rest)
	}
	if len(errors) == 0 { // a sentence may quote it
		for _, found := range span.FindAllStringSubmatch(rest, -1) {
			if message := strings.TrimSpace(found[1]); isMessage(message) && !slices.Contains(errors, message) {
				errors = append(errors, message)
			}
		}
	}
	return condense(strings.Join(errors, "\n")), strings.TrimSpace(blank.ReplaceAllString(rest, "\n\n"))
}

// isMessage reports whether a piece of code in a sentence is what a program says, and no name of a function or a command.
func isMessage(text string) bool {
	words := len(strings.Fields(text))
	return tells.MatchString(text) && words >= 2 || errorCode.MatchString(text) ||
		words >= messageWords && speaks.MatchString(text)
}

// speaks is a message behind the name of what says it, or behind its code.
var speaks = regexp.MustCompile(`^[A-Za-z][\w-]{1,30}: [A-Za-z]`)

// messageWords is how many words a message has at least that is told by its place alone.
const messageWords = 3

// errorCode is a code that a program gives its errors, such as QVX-1042 or ERR_LANE_CLOSED.
var errorCode = regexp.MustCompile(
	`^(?:[A-Z]{2,10}[-_]\d{2,6}|ERR_[A-Z_]{4,}|E_[A-Z_]{4,}|[A-Z][A-Za-z0-9]+Error|0x[0-9a-f]{8})$`,
)

// languages are marks of blocks that hold a program rather than what it printed.
var languages = regexp.MustCompile(
	`^\s*(?:` + "```|~~~" + `)\s*(?:solidity|sol|js|javascript|ts|typescript|go|golang|rust|rs|python|py|java|c|cpp|move|toml|yaml|yml|json5|dockerfile|diff|vyper)\b`,
)

// isCode reports whether a block is a piece of a program. JSON may be an answer with an error.
func isCode(block string) bool { return languages.MatchString(block) }

// unfenced returns what stands in a block of code.
func unfenced(block string) string {
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) > 0 {
		lines = lines[1:]
	}
	if n := len(lines); n > 0 && fence.MatchString(lines[n-1]) {
		lines = lines[:n-1]
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// condense keeps of a long log its ends, the lines that tell and those around them. The last that are severe count
// most: a log ends with what broke it.
func condense(log string) string {
	if len(log) <= maxError {
		return log
	}
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		if len(line) > maxError/8 {
			lines[i] = strings.ToValidUTF8(line[:maxError/8], "") + " …"
		}
	}
	keep := make([]bool, len(lines))
	left := maxError
	mark := func(i int) {
		if i >= 0 && i < len(lines) && !keep[i] && left > len(lines[i]) {
			keep[i] = true
			left -= len(lines[i]) + 3
		}
	}
	for i := range min(ends, len(lines)) {
		mark(len(lines) - 1 - i)
		mark(i)
	}
	seen := map[string]bool{} // what is repeated tells nothing new
	for _, pattern := range []*regexp.Regexp{severe, tells} {
		for i, line := range slices.Backward(lines) {
			key := digits.ReplaceAllString(line, "0")
			if !pattern.MatchString(line) || seen[key] || left < maxError/8 {
				continue
			}
			seen[key] = true
			for near := i - around; near <= i+around; near++ {
				mark(near)
			}
		}
	}
	var out []string
	for i, line := range lines {
		switch {
		case keep[i]:
			out = append(out, line)
		case len(out) > 0 && out[len(out)-1] != "…":
			out = append(out, "…")
		}
	}
	return strings.Join(out, "\n")
}

var digits = regexp.MustCompile(`[0-9a-fA-F]*\d[0-9a-fA-F]*`)
