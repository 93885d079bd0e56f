package lore

import (
	"regexp"
	"strings"
)

// pastedError is the block that begins a content which holds an error as it was pasted. Whoever sorts a report's parts
// writes it so, and whoever looks for names in a report reads it: what else a content quotes may be another program's.
var pastedError = regexp.MustCompile("(?s)^Error:\n```\n(.*?)\n```(?:\n|$)")

// WithError returns a content that begins with an error as it was pasted.
func WithError(pasted, content string) string {
	if pasted = strings.TrimSpace(strings.ReplaceAll(pasted, "```", "'''")); pasted == "" {
		return content
	}
	return strings.TrimSpace("Error:\n```\n" + pasted + "\n```\n\n" + content)
}

// PastedError returns the error with which a content begins, as WithError wrote it; "" where it begins otherwise.
func PastedError(content string) string {
	if found := pastedError.FindStringSubmatch(content); found != nil {
		return found[1]
	}
	return ""
}
