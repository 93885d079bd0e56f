package tracker

import (
	"regexp"
	"slices"
	"strings"
)

// An error may have none of the words that tell one: "lane slot is parked". Then its place tells it: under a heading
// that says so, or as the only block of code.

var (
	// block is a block of code, fenced or indented.
	block = regexp.MustCompile("(?m)(?:^[ \t]*(?:```|~~~)[^\n]*\n(?:[^\n]*\n)*?[ \t]*(?:```|~~~)[ \t]*$)|" +
		"(?:^(?: {4}|\t)[^\n]*\n?)+")
	// commanded is a line that somebody typed.
	commanded = regexp.MustCompile(`^\s*(?:[$>#%]\s|\./|sudo |cd |export |npx? |yarn |pnpm |cargo |go |docker |curl |git |forge |cast )| --?[a-z]`)
	// programmed is a line of a program.
	programmed = regexp.MustCompile(`[;{}]\s*$|=>|:=|^\s*(?:const|let|var|func|fn|def|class|import|from|return|if|for|use|pragma|await)\s|^\s*//`)
	// setting is a line of a file of settings, or of a list of versions.
	setting = regexp.MustCompile(`^\s*(?:- )?["']?[\w.-]+["']?\s*[=:]\s*\S*,?\s*$|^\s*\[[\w.-]+\]\s*$`)
	// surroundings are what a program runs on.
	surroundings = regexp.MustCompile(`(?i)\b(?:ubuntu|debian|mac ?os|windows|linux|darwin|versions?|x86_64|amd64|arm64)\b`)
	// typed are languages of blocks that hold what somebody typed.
	typed = regexp.MustCompile("^\\s*(?:```|~~~)\\s*(?:sh|bash|shell|zsh|powershell|console|shell-session|ini|env|properties)\\b")
)

// takePrinted returns the error that a text without any telling word holds by its place, and the rest of the text.
func takePrinted(text string) (errors []string, rest string) {
	blocks := block.FindAllStringIndex(text, -1)
	var under, printed [][]int
	for _, at := range blocks {
		if !isPrinted(text[at[0]:at[1]]) {
			continue
		}
		printed = append(printed, at)
		if errorHeading.MatchString(headingAbove(text[:at[0]])) {
			under = append(under, at)
		}
	}
	chosen := under
	if len(chosen) == 0 && len(blocks) == 1 {
		chosen = printed
	}
	if len(chosen) == 0 {
		return nil, text
	}
	at := chosen[0]
	return []string{bare(text[at[0]:at[1]])}, text[:at[0]] + "\n" + text[at[1]:]
}

// isPrinted reports whether a block is what a program printed: no command, program, settings, nor what it runs on.
func isPrinted(text string) bool {
	if isCode(text) || typed.MatchString(text) {
		return false
	}
	lines := strings.Split(bare(text), "\n")
	settings := 0
	for _, line := range lines {
		if setting.MatchString(line) {
			settings++
		}
	}
	isJSON := strings.HasPrefix(strings.TrimSpace(lines[0]), "{") && strings.Contains(text, `"message"`)
	return isJSON || len(strings.Fields(bare(text))) >= messageWords && settings < len(lines) &&
		!surroundings.MatchString(text) && !slices.ContainsFunc(lines, programmed.MatchString) &&
		!commanded.MatchString(lines[0])
}

// bare returns what stands in a block, fenced or indented.
func bare(text string) string {
	if fence.MatchString(text) {
		return unfenced(text)
	}
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, "    "), "\t"))
	}
	return strings.Join(lines, "\n")
}

// headingAbove returns the words of the last heading of a text; "" where it has none.
func headingAbove(text string) string {
	lines := strings.Split(text, "\n")
	for _, line := range slices.Backward(lines) {
		if found := atxHeading.FindStringSubmatch(line); found != nil {
			return headingWords(found[2])
		}
		if found := boldLine.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			return headingWords(found[1])
		}
	}
	return ""
}
