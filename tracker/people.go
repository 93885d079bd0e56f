package tracker

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Mask returns what stands for a person: a keyed hash of the handle, so that readers can tell people apart, and nobody
// finds out who they are.
type Mask func(handle string) string

var (
	// mention is @handle, and not a scope such as @acme/sdk, an address of mail, or a decorator in code.
	mention = regexp.MustCompile(`(^|[^\w@/.` + "`" + `])@([A-Za-z0-9][\w.-]{0,38})`)
	// docTags are no handles: comments in code have them, and package managers.
	docTags = regexp.MustCompile(`^(?:dev|param|notice|returns?|inheritdoc|title|author|custom|override|deprecated|see|since|todo|` +
		`throws|example|latest|next|beta|alpha|rc|types|media|import|property|typeparam)$`)
	// profile is the address of a person's page.
	profile = regexp.MustCompile(`(https?://[^\s/)]+/(?:users?|u|profile)/)([\w.-]+)(/[\w.-]+)?`)
)

// mentions reports whether a text speaks to somebody.
func mentions(text, handle string) bool {
	for _, found := range mention.FindAllStringSubmatch(text, -1) {
		if strings.EqualFold(strings.TrimRight(found[2], ".-"), handle) {
			return true
		}
	}
	return false
}

// withoutPeople returns a text in which people are masked: whom it mentions, and the handles of those who speak in the
// thread, where they tell a person (`qorvex-fan42`, or behind "thanks").
func withoutPeople(text string, handles []string, mask Mask) string {
	if strings.Contains(text, "@") {
		text = outsideFences(text, func(part string) string { return replaceMentions(part, mask) })
	}
	text = profile.ReplaceAllStringFunc(text, func(address string) string {
		parts := profile.FindStringSubmatch(address)
		return parts[1] + mask(parts[2])
	})
	for _, handle := range handles {
		if len(handle) < 3 || isNumber(handle) || !strings.Contains(strings.ToLower(text), strings.ToLower(handle)) {
			continue
		}
		word := regexp.QuoteMeta(handle)
		if tellsPerson(handle) {
			text = regexp.MustCompile(
				`(?i)(^|[^\w@-])`+word+`($|[^\w-])`,
			).ReplaceAllString(
				text,
				"${1}"+mask(handle)+"${2}",
			)
			continue
		}
		text = regexp.MustCompile(
			`(?i)(\b(?:thanks|thank you|thx|cc|by|hi|hello|hey|from)\b[, ]+|(?:github|gitlab)\.com/)`+word+`\b`,
		).
			ReplaceAllString(
				text,
				"${1}"+mask(handle),
			)
	}
	return text
}

func replaceMentions(text string, mask Mask) string {
	var out strings.Builder
	from := 0
	for _, at := range mention.FindAllStringSubmatchIndex(text, -1) {
		handle := strings.TrimRight(text[at[4]:at[5]], ".-")
		end := at[4] + len(handle)
		if end < len(text) && text[end] == '/' || docTags.MatchString(handle) { // a package's scope, or a team
			continue
		}
		out.WriteString(text[from : at[4]-1])
		out.WriteString(mask(handle))
		from = end
	}
	return out.String() + text[from:]
}

// tellsPerson reports whether a handle is no word that a text may have by chance.
func tellsPerson(handle string) bool {
	return len(handle) >= 5 &&
		strings.ContainsFunc(handle, func(r rune) bool { return unicode.IsDigit(r) || r == '-' || r == '_' })
}

func isNumber(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
}

// handles returns the handles of all who speak in a thread, longest first.
func (t Thread) handles() (found []string) {
	add := func(person Person) {
		if person.Handle != "" && !slices.Contains(found, person.Handle) {
			found = append(found, person.Handle)
		}
	}
	add(t.Asker)
	for _, comment := range t.Comments {
		add(comment.Author)
	}
	for _, change := range t.Changes {
		add(change.Author)
	}
	slices.SortStableFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found
}
