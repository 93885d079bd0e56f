package tracker

import (
	"regexp"
	"strings"
)

// What of a comment is the resolution: its author's words without the frame around them.

var (
	greeting = regexp.MustCompile(
		`(?i)^(?:(?:hi|hello|hey|thanks|thank you|sorry|ok|okay)\b[^.!?\n:]{0,80}[.!,:]?|@[\w.-]+[,:]?)\s*$`,
	)
	signature = regexp.MustCompile(
		`(?im)^(?:signed-off-by|co-authored-by|cc|fyi|sent from my|best(?: regards)?|cheers|regards|kind regards)\b.*$`,
	)
	boxes  = regexp.MustCompile(`(?m)^[ \t]*[-*] \[[ xX]\].*$`)
	blank  = regexp.MustCompile(`\n{3,}`)
	images = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
)

// resolutionText returns what a comment says, without quotes, greetings, signatures, and lines that a false helper
// would write.
func resolutionText(comment Comment) string {
	text := comment.Body
	if comment.Author.Role == Maintainer {
		text = withoutFalseHelp(text)
	}
	text = outsideFences(text, func(part string) string { return struck.ReplaceAllString(part, "") })
	text = addressed.ReplaceAllString(strings.TrimSpace(quotesOutside(text)), "")
	return tidy(parting.ReplaceAllString(text, ""))
}

var (
	// struck is what is struck out.
	struck = regexp.MustCompile(`~~[^~\n]+~~`)
	// addressed is whom a comment speaks to.
	addressed = regexp.MustCompile(`^(?:(?:hi|hello|hey) )?(?:@[\w.-]+[,:]? ?)+`)
	// parting is a line that says no more than that the thread is closed.
	parting = regexp.MustCompile("(?im)^(?:closing|i['’]?(?:ll| will|m)? clos(?:e|ing)|feel free to (?:re-?)?open|" +
		"please (?:re-?open|comment)|let (?:me|us) know)\\b[^\n`\\d]{0,100}$")
)

// tidy drops from Markdown what tells a reader nothing.
func tidy(text string) string {
	text = comments.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")
	text = signature.ReplaceAllString(boxes.ReplaceAllString(images.ReplaceAllString(text, ""), ""), "")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for len(lines) > 1 && greeting.MatchString(strings.TrimSpace(lines[0])) {
		lines = lines[1:]
	}
	return strings.TrimSpace(blank.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
}

// quotesOutside drops quoted lines, but not those within blocks of code: `> require(x)` is a console's.
func quotesOutside(text string) string {
	return outsideFences(text, func(part string) string { return quotes.ReplaceAllString(part, "") })
}

// outsideFences returns a text whose parts outside of blocks of code are changed.
func outsideFences(text string, change func(string) string) string {
	var out strings.Builder
	from := 0
	for _, block := range fenced.FindAllStringIndex(text, -1) {
		out.WriteString(change(text[from:block[0]]))
		out.WriteString(text[block[0]:block[1]])
		from = block[1]
	}
	out.WriteString(change(text[from:]))
	return out.String()
}

// withoutFalseHelp drops the lines of a maintainer that a false helper could have written, such as one that invites to
// the project's chat.
func withoutFalseHelp(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !isFalseHelp(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// maxChange is how much of the description of a change is taken, in bytes: what follows are checklists.
const maxChange = 1500

// leftSigns is a line of which only signs are left.
var leftSigns = regexp.MustCompile(`(?m)^[ \t.,;:*-]+$`)

// closesClause is what a change says of what it closes, with the stop behind it.
var closesClause = regexp.MustCompile(closes.String() + `[.;,]?`)

// changeText returns what a change does: its title and the beginning of its description.
func changeText(change Change) string {
	text := "Change " + change.Name + ": " + strings.TrimSpace(change.Title)
	body := tidy(leftSigns.ReplaceAllString(closesClause.ReplaceAllString(change.Body, ""), ""))
	if body = cutAtLine(body, maxChange); body != "" {
		text += "\n" + body
	}
	return text
}

// cutAtLine cuts a text at a line's end.
func cutAtLine(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := text[:limit]
	if at := strings.LastIndexByte(cut, '\n'); at > 0 {
		cut = cut[:at]
	} else {
		cut = strings.ToValidUTF8(cut, "")
	}
	return strings.TrimSpace(cut) + " …"
}

// firstQuote returns the first line that a comment quotes, squeezed; "" where it quotes nothing that tells.
func firstQuote(text string) string {
	for _, line := range quotes.FindAllString(text, -1) {
		if line = squeezed(strings.TrimLeft(line, "> \t")); len(line) >= 12 {
			return line
		}
	}
	return ""
}

// squeezed returns a text in lower case with single spaces.
func squeezed(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
