package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// jsonMember is one member as it is written: the name with its quotes, the value as text or, of an object, as members.
type jsonMember struct {
	name  string
	value string
	inner []jsonMember
}

// written returns the text of an object.
func written(members []jsonMember) string {
	parts := make([]string, len(members))
	for i, m := range members {
		value := m.value
		if m.inner != nil {
			value = written(m.inner)
		}
		parts[i] = m.name + ":" + value
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// membersOf returns an object's members in the order of their names.
func membersOf(object map[string]any) []jsonMember {
	var members []jsonMember
	for _, name := range slices.Sorted(maps.Keys(object)) {
		m := jsonMember{name: quotedJSON(name)}
		if inner, is := object[name].(map[string]any); is {
			m.inner = membersOf(inner)
		} else {
			m.value = quotedJSON(object[name])
		}
		members = append(members, m)
	}
	return members
}

// jsonVariants makes hostile spellings of objects, the same ones for the same seed.
type jsonVariants struct {
	*rand.Rand
	made int
}

// of returns a variant of an object: up to three changes of members' names, number and nesting, or none.
func (v *jsonVariants) of(object map[string]any) string {
	v.made++
	members := membersOf(object)
	for range v.IntN(4) {
		at := &members
		for i := range members {
			if members[i].inner != nil && v.IntN(3) == 0 {
				at = &members[i].inner
			}
		}
		if len(*at) > 0 {
			v.change(at)
		}
	}
	text := written(members)
	switch v.IntN(24) {
	case 0:
		text += v.oneOf(`{}`, `,`, text, `]`, `null`, `// more`, "\x00", `}`)
	case 1:
		text = v.oneOf(`[`+text+`]`, `{"body":`+text+`}`, `{"arguments":`+text+`}`, "\xef\xbb\xbf"+text, quotedJSON(text))
	case 2:
		text = " \r\n\t" + strings.Replace(text, ":", " : ", 1) + "\n"
	}
	return text
}

// change makes one change of an object.
func (v *jsonVariants) change(members *[]jsonMember) {
	i := v.IntN(len(*members))
	m := &(*members)[i]
	switch v.IntN(9) {
	case 0: // another spelling of the name
		m.name = v.respelt(m.name)
	case 1: // escapes: the same name for every reader
		m.name = v.escaped(m.name)
	case 2, 3: // another spelling beside the right one, with a value that the schema may not allow
		*members = append(*members, jsonMember{name: v.respelt(m.name), value: v.value()})
		v.swap(*members, i)
	case 4: // the same name twice, once perhaps escaped
		*members = append(*members, jsonMember{name: v.oneOf(m.name, v.escaped(m.name)), value: v.oneOf(v.value(), m.value, `null`)})
		if (*members)[len(*members)-1].value == "" {
			(*members)[len(*members)-1].value = `{}`
		}
		v.swap(*members, i)
	case 5: // a member that no schema has
		*members = append(*members, jsonMember{name: v.oneOf(`"title"`, `"__proto__"`, `"source_id"`, `"tier"`, `""`, `"summary.x"`, `"target.id"`, `"tags[0]"`), value: v.value()})
	case 6: // nested one deeper
		text := m.value
		if m.inner != nil {
			text = written(m.inner)
		}
		m.inner, m.value = nil, v.oneOf(`[`+text+`]`, `{`+m.name+`:`+text+`}`, `{"value":`+text+`}`)
	case 7: // another value
		m.inner, m.value = nil, v.value()
	case 8: // nothing, in either way
		if v.IntN(2) == 0 {
			m.inner, m.value = nil, `null`
		} else {
			*members = append((*members)[:i:i], (*members)[i+1:]...)
		}
	}
}

// swap puts the last member before another one in half of the cases: some readers take the first of two, some the last.
func (v *jsonVariants) swap(members []jsonMember, i int) {
	if last := len(members) - 1; v.IntN(2) == 0 {
		members[i], members[last] = members[last], members[i]
	}
}

// lookAlikes are letters that some reader folds to, or shows as, another one.
var lookAlikes = map[rune][]string{
	's': {"ſ", "S", "ѕ", "ｓ", "\\u017f"}, 'k': {"K", "K", "\\u212A"}, 'i': {"ı", "İ", "і", "I"}, 'e': {"е", "é", "e\u0301", "E"},
	'a': {"а", "A", "ａ"}, 'o': {"о", "0", "O"}, 'c': {"с", "C"}, 'n': {"ո", "N"}, 'm': {"M", "ｍ"}, 'y': {"у", "Y"}, 't': {"T", "τ"}, '_': {"-", "‿", ""},
}

// respelt returns another spelling of a quoted name: other case, letters that fold to or look like others, invisible ones.
func (v *jsonVariants) respelt(name string) string {
	bare := strings.Trim(name, `"`)
	if bare == "" {
		return `" "`
	}
	switch v.IntN(6) {
	case 0:
		return `"` + strings.ToUpper(bare) + `"`
	case 1:
		return `"` + strings.ToUpper(bare[:1]) + bare[1:] + `"`
	case 2:
		return `"` + bare + v.oneOf(" ", `\u0000`, "\u200b", "\u00ad", `\t`, `\ud800`, "\ufeff", "s", "\xff") + `"`
	}
	var spelt strings.Builder
	done := false
	for _, letter := range bare {
		if others := lookAlikes[letter]; len(others) > 0 && !done && v.IntN(2) == 0 {
			spelt.WriteString(others[v.IntN(len(others))])
			done = true
			continue
		}
		spelt.WriteRune(letter)
	}
	if !done {
		return `"` + strings.ToUpper(bare) + `"`
	}
	return `"` + spelt.String() + `"`
}

// escaped writes letters of a quoted name as escapes.
func (v *jsonVariants) escaped(name string) string {
	bare := strings.Trim(name, `"`)
	var spelt strings.Builder
	for i, letter := range bare {
		if letter < 0x80 && letter != '\\' && (i == 0 || v.IntN(3) == 0) {
			fmt.Fprintf(&spelt, v.oneOf(`\u%04x`, `\u%04X`), letter)
			continue
		}
		spelt.WriteRune(letter)
	}
	return `"` + spelt.String() + `"`
}

// value returns a value that some member may have and most may not.
func (v *jsonVariants) value() string {
	switch v.IntN(10) {
	case 0:
		return `"` + strings.Repeat("x", 200_000) + `"`
	case 1:
		return `[` + strings.Repeat(`"tag",`, 4_999) + `"tag"]`
	case 2:
		return fmt.Sprintf(`["tag%d"]`, v.made)
	case 3, 4:
		return fmt.Sprintf(`"made up %d"`, v.made)
	case 5:
		return v.oneOf(`"accounts"`, `"god"`, `"_all"`, `"submissions,accounts"`, `"../accounts"`)
	case 6:
		return v.oneOf(`7`, `7.0`, `70e-1`, `-1`, `11`, `1e400`, `true`)
	case 7:
		return v.oneOf(`{}`, `[]`, `[[]]`, `{"a":1,"a":2}`, `[null]`)
	case 8:
		return v.oneOf(`"\ud800"`, "\"\xff\"", `"\u0000"`)
	}
	return `null`
}

// oneOf returns one of some texts.
func (v *jsonVariants) oneOf(texts ...string) string { return texts[v.IntN(len(texts))] }

// pairs and halves are escaped surrogates: two that make a character, and what is left without a partner.
var (
	surrogatePair = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
	surrogateHalf = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)
)

// readStrictly is the tests' own strict reader of one JSON value: valid UTF-8 and syntax, nothing behind it, no name twice.
func readStrictly(text string) (value any, ok bool) { return readText(text, false) }

// readText is readStrictly, which may leave numbers as they are written: one that is too large matters only where it is read as a number.
func readText(text string, asWritten bool) (value any, ok bool) {
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) || surrogateHalf.MatchString(surrogatePair.ReplaceAllString(text, "")) {
		return nil, false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if asWritten {
		decoder.UseNumber()
	}
	value, ok = readValue(decoder)
	_, err := decoder.Token()
	return value, ok && err == io.EOF
}

func readValue(decoder *json.Decoder) (value any, ok bool) {
	token, err := decoder.Token()
	if err != nil {
		return nil, false
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, false
			}
			_, twice := object[name.(string)]
			inner, read := readValue(decoder)
			if twice || !read {
				return nil, false
			}
			object[name.(string)] = inner
		}
		value = object
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			inner, read := readValue(decoder)
			if !read {
				return nil, false
			}
			list = append(list, inner)
		}
		value = list
	default:
		return token, true
	}
	_, err = decoder.Token()
	return value, err == nil
}

// withoutNulls returns a value without members that are null: they count as absent.
func withoutNulls(value any) any {
	object, is := value.(map[string]any)
	if !is {
		return value
	}
	rest := map[string]any{}
	for name, inner := range object {
		if inner != nil {
			rest[name] = withoutNulls(inner)
		}
	}
	return rest
}

// quotedJSON returns a value's JSON without escapes of HTML.
func quotedJSON(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSpace(text.String())
}
