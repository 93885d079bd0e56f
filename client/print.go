package client

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"agentlore/ask"
)

// Plain returns a text as a terminal may show it: without control and format characters, by which stored text could move the cursor,
// hide what stands before it or set the window's title. Line ends stay.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return ' '
		}
		return r
	}, text)
}

// printer prints for people. The zero width, of what is no terminal, breaks no lines and has no colours: a program reads it.
type printer struct {
	io.Writer
	width   int // columns
	colours bool
}

// Columns of a terminal: lines over maxWidth are hard to read, and below minWidth there is no room beside the names.
const (
	minWidth  = 40
	maxWidth  = 100
	indention = 12
)

// Select graphic rendition of ECMA-48.
const (
	bold  = "1"
	dim   = "2"
	red   = "1;31"
	green = "1;32"
	amber = "1;33"
)

// printer returns how to print on w. NO_COLOR, whatever it says, means no colours (no-color.org).
func (s service) printer(w io.Writer) printer {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return printer{Writer: w}
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		width = minWidth
	}
	return printer{w, max(minWidth, min(width, maxWidth)), s.NoColour == ""}
}

// in returns a text in a colour.
func (p printer) in(colour, text string) string {
	if !p.colours {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// line prints a named text; nothing where the text is empty.
func (p printer) line(colour, name, text string) {
	if text == "" {
		return
	}
	lines := strings.Split(p.wrap(Plain(text)), "\n")
	fmt.Fprintf(p, "  %s %s\n", p.in(colour, fmt.Sprintf("%-*s", indention-3, name)), strings.Join(lines, "\n"+strings.Repeat(" ", indention)))
}

// wrap breaks the lines of a text between words. A word that is longer than a line, such as an address, stays whole, so that it can be copied.
func (p printer) wrap(text string) string {
	if p.width == 0 {
		return text
	}
	var out strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		column := 0
		for _, word := range strings.Fields(line) {
			length := utf8.RuneCountInString(word)
			switch {
			case column == 0:
			case column+1+length > p.width-indention:
				out.WriteByte('\n')
				column = 0
			default:
				out.WriteByte(' ')
				column++
			}
			out.WriteString(word)
			column += length
		}
	}
	return out.String()
}

// answer prints an answer.
func (p printer) answer(answer ask.Answer) {
	colour := map[ask.Verdict]string{ask.Known: green, ask.Similar: amber, ask.Unknown: red}[answer.Verdict]
	if answer.Problem == nil {
		fmt.Fprintln(p, p.in(colour, string(answer.Verdict)))
	} else {
		fmt.Fprintf(p, "%s %s\n", p.in(colour, string(answer.Verdict)+":"), p.in(bold, Plain(answer.Problem.Title)))
		p.problem(*answer.Problem)
	}
	for _, other := range answer.Also {
		p.line(dim, "also", other.Title+"  "+other.ID)
		p.line(dim, "when", other.When)
		p.line(dim, "", other.Fix)
	}
	if answer.LookUp != "" {
		p.line(dim, "look up", answer.LookUp+"; then ask again with --more, and --tried for what did not help")
	}
	if answer.Problem != nil && answer.Problem.Revision != "" {
		p.line(dim, "next", outcomeCommandOf(*answer.Problem)+" (or failed, or unsafe), when you have used it")
		return
	}
	switch {
	case answer.Problem != nil: // an asset's answer
		p.line(dim, "next", "agentlore get "+answer.Problem.ID+" has all of it")
	default:
		p.line(dim, "next", "agentlore question, with the same text, keeps it until it is known")
		p.line(dim, "", "agentlore submit --summary ... --content - --resolution ..., when you know more")
	}
}

// outcomeCommandOf returns the command that reports that a problem's fix worked.
func outcomeCommandOf(problem ask.KnownProblem) string {
	id, revision := problem.Used()
	return strings.TrimSuffix("agentlore outcome "+id+" worked --revision="+revision, " --revision=")
}

// problem prints what is known of a problem, but its title.
func (p printer) problem(problem ask.KnownProblem) {
	for _, warning := range problem.Warnings {
		p.line(red, "WARNING", fmt.Sprintf("%s: %s", warning.Code, warning.Detail))
	}
	p.line(dim, "when", problem.When)
	p.line(dim, "cause", problem.Cause)
	if problem.Disputed {
		p.line(red, "DISPUTED", "owners with standing say that it failed or does harm")
	}
	p.line(bold, "fix", problem.Fix)
	if problem.FixWithheld != "" {
		p.line(red, "no fix", "it is left out ("+string(problem.FixWithheld)+"): read it under its author's name at "+problem.URL)
	}
	for _, other := range problem.Alternatives {
		p.line(dim, "one voice", other.Resolution)
	}
	for _, asked := range problem.AsksFor {
		p.line(dim, "asks for", asked.String())
	}
	p.line(dim, "applies", strings.Join(append(problem.Applies.Chain, problem.Applies.Versions), " "))
	p.line(dim, "evidence", problem.Evidence.String())
	p.line(dim, "id", problem.ID)
}
