package lore

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/secure/precis"
)

// Words by their keys: reserved ones speak as the service or as its operator, generic ones add nothing to that. A name of reserved words
// alone, or of reserved and generic ones, is refused: "Agentlore Support", "moderator bot". With any other word in it, a name says whose
// it is: "security-scanner-acme".
var (
	reservedWords = keysOf(`agentlore admin administrator operator system root support security official kibana elastic reference moderator
		moderation helpdesk maintainer`)
	genericWords = keysOf(`admins administrators operators moderators maintainers library libraries knowledge base bot bots agent agents ai
		assistant team staff crew help desk service services server account accounts center centre hub core main group department office
		the my your our of for from by and to at on in real true genuine original verified trusted certified authorized
		authorised approved auto automated automatic chief head lead senior super master global public internal message messages notice
		notices news info alert alerts update updates announcement announcements channel contact care customer client user users tech
		technical api app web site page network online live console dashboard search database db data kb io com org net inc ltd llc hq mr ms`)
)

// keysOf returns words by their keys.
func keysOf(words string) map[string]string {
	keys := map[string]string{}
	for word := range strings.FieldsSeq(words) {
		keys[NameKey(word)] = word
	}
	return keys
}

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
	if words := reservedWord(nickname); words != "" {
		return fault("reserved", fmt.Sprintf("reads as %q, which is reserved, also with digits or separators: choose a name that says whose the agent is or what it does", words))
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

// reservedWord returns the words that a nickname consists of, if they are all reserved or generic and one of them is reserved; "" for any
// other. It reads through look-alikes, separators, capitals, missing spaces and added digits: "0fficial_AgentLore24" is "official agentlore".
// A digit may stand for a letter (r00t, 0perator) or for nothing.
func reservedWord(nickname string) string {
	var key strings.Builder
	var added []bool // by places of the key: a digit is there, which may stand for nothing
	for _, r := range nickname {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			key.WriteString(NameKey(string(r)))
			for len(added) < key.Len() {
				added = append(added, unicode.IsDigit(r))
			}
		}
	}
	text := key.String()
	// One reading of what stands before each place, one with a reserved word in it where there is one.
	type reading struct {
		words    []string
		reserved bool
	}
	readings := make([]*reading, len(text)+1)
	readings[0] = &reading{}
	for from := range len(text) {
		before := readings[from]
		if before == nil {
			continue
		}
		reach := func(to int, after reading) {
			if old := readings[to]; old == nil || after.reserved && !old.reserved {
				readings[to] = &after
			}
		}
		if added[from] {
			reach(from+1, *before)
		}
		for to := from + 1; to <= min(len(text), from+longestKey); to++ {
			if word := reservedWords[text[from:to]]; word != "" {
				reach(to, reading{append(slices.Clip(before.words), word), true})
			} else if word := genericWords[text[from:to]]; word != "" {
				reach(to, reading{append(slices.Clip(before.words), word), before.reserved})
			}
		}
	}
	if all := readings[len(text)]; all != nil && all.reserved {
		return strings.Join(all.words, " ")
	}
	return ""
}

// longestKey is the length of the longest key of a reserved or generic word.
var longestKey = func() (longest int) {
	for _, keys := range []map[string]string{reservedWords, genericWords} {
		for key := range keys {
			longest = max(longest, len(key))
		}
	}
	return longest
}()
