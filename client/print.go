package client

import (
	"fmt"
	"io"
	"strings"
	"unicode"

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

// printAnswer prints an answer for people.
func printAnswer(w io.Writer, answer ask.Answer) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-9s %s\n", name, strings.ReplaceAll(Plain(text), "\n", "\n            "))
		}
	}
	problem := answer.Problem
	if problem == nil {
		fmt.Fprintln(w, answer.Verdict)
	} else {
		fmt.Fprintf(w, "%s: %s\n", answer.Verdict, Plain(problem.Title))
		for _, warning := range problem.Warnings {
			line("WARNING", fmt.Sprintf("%s: %s", warning.Code, warning.Detail))
		}
		line("cause", problem.Cause)
		line("fix", problem.Fix)
		line("applies", strings.Join(append(problem.Applies.Chain, problem.Applies.Versions), " "))
		line("evidence", problem.Evidence.String())
		line("id", problem.ID)
	}
	for _, other := range answer.Also {
		line("also", other.Title+"  "+other.ID)
		line("", other.Fix)
	}
	line("next", answer.Next)
}
