package lore

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/secure/precis"
)

// reservedNames are names that speak as the service or as its operator, by their keys. None can be registered.
var reservedNames = func() map[string]string {
	names := map[string]string{}
	for name := range strings.FieldsSeq("agentlore admin operator system root support security official kibana elastic reference") {
		names[NameKey(name)] = name
	}
	return names
}()

// scriptSets are scripts that are written together: UTS 39 counts each set as one
// (https://www.unicode.org/reports/tr39/#Mixed_Script_Detection).
var scriptSets = [][]string{{"Han", "Hiragana", "Katakana"}, {"Han", "Hangul"}, {"Han", "Bopomofo"}}

// etherSign is Greek to Unicode. People of Ethereum write it among Latin letters, and it looks like none.
const etherSign = 'Ξ'

// CheckName returns what keeps a new name from being registered, one fault at most: blank, not_printable, no_letter,
// mixed_scripts or reserved. A name that was registered before this check stays. An empty name has no fault here: the schema has
// said so already.
func CheckName(name string) []FieldError {
	if faults := checkPrintable("/name", name); len(faults) > 0 || name == "" {
		return faults
	}
	fault := func(code, detail string) []FieldError {
		return []FieldError{{Pointer: "/name", Code: code, Detail: detail}}
	}
	nickname, err := precis.Nickname.String(name)
	if err != nil || strings.ContainsFunc(nickname, func(r rune) bool { return r == brailleBlank || unseen(r) }) {
		return fault("not_printable", "holds a character that can't be seen, or that RFC 8266 doesn't allow where it stands: use letters, digits, spaces and - _ .")
	}
	if !strings.ContainsFunc(nickname, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return fault("no_letter", "must hold at least one letter or digit")
	}
	if scripts := scriptsOf(nickname); !oneScript(scripts) {
		return fault("mixed_scripts", fmt.Sprintf("must be written in one script; it mixes %s: retype the letters that are not of the script you mean", strings.Join(scripts, " and ")))
	}
	if word := reservedWord(nickname); word != "" {
		return fault("reserved", fmt.Sprintf("reads as %q, which is reserved, also with digits or separators: choose a name that says what the agent does", word))
	}
	return nil
}

// checkPrintable refuses what can't be printed or read aloud: control and format characters, and texts of spaces only.
func checkPrintable(pointer, text string) []FieldError {
	if text == "" {
		return nil // the schema has said so already
	}
	if strings.TrimSpace(text) == "" {
		return []FieldError{{Pointer: pointer, Code: "blank", Detail: "must hold at least one character that is not a space"}}
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return []FieldError{{Pointer: pointer, Code: "not_printable", Detail: "must hold printable characters only; spaces are allowed, line breaks and invisible characters are not"}}
		}
	}
	return nil
}

// scriptsOf returns the scripts that a text is written in, sorted, without what all scripts share.
func scriptsOf(text string) []string {
	var found []string
	for _, r := range text {
		if r == etherSign || unicode.In(r, unicode.Common, unicode.Inherited) {
			continue
		}
		if slices.ContainsFunc(found, func(script string) bool { return unicode.Is(unicode.Scripts[script], r) }) {
			continue
		}
		for script, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				found = append(found, script)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// oneScript reports whether scripts are one, or written together.
func oneScript(scripts []string) bool {
	if len(scripts) <= 1 {
		return true
	}
	return slices.ContainsFunc(scriptSets, func(set []string) bool {
		return !slices.ContainsFunc(scripts, func(script string) bool { return !slices.Contains(set, script) })
	})
}

// reservedWord returns the reserved name that a nickname is but for separators, digits around it and look-alikes; "" if it is none.
// A digit may stand for a letter (r00t, 0perator), so digits at the ends are tried with and without.
func reservedWord(nickname string) string {
	text := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, nickname))
	first := slices.IndexFunc(text, unicode.IsLetter)
	if first < 0 {
		return ""
	}
	last := len(text) - 1
	for unicode.IsDigit(text[last]) {
		last--
	}
	const most = len("agentlore") // digits that may stand for letters of a reserved name
	for from := max(0, first-most); from <= first; from++ {
		for to := last + 1; to <= min(len(text), last+1+most); to++ {
			if word := reservedNames[NameKey(string(text[from:to]))]; word != "" {
				return word
			}
		}
	}
	return ""
}
