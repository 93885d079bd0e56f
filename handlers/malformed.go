package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"agentlore/lore"
)

// malformed says what is wrong with a text that isn't JSON, by the code of the fault. The words are ours: the library's quote the text.
var malformed = map[string]string{
	"empty":             "it must hold one JSON object",
	"byte_order_mark":   "a byte order mark stands in front; send UTF-8 without one",
	"line_break":        `line breaks inside strings are written \n`,
	"control_character": `control characters inside strings are written as escapes, a tab \t`,
	"bad_escape": `a backslash inside a string is written \\; \u stands before 4 hexadecimal digits, ` +
		`for a surrogate together with its other half`,
	"not_utf8":       "a byte that is not UTF-8",
	"single_quote":   "names and strings stand in double quotes",
	"trailing_comma": "no comma stands behind the last member or item",
	"comment":        "JSON has no comments",
	"incomplete":     "it ends before the JSON does",
	"text_behind":    "one JSON value is taken, with nothing behind it",
	"unexpected": `a character that can't stand here: a comma, a bracket, quotes around a name or text are missing, ` +
		`or a double quote inside a string isn't written \"`,
}

// malformedPrefix begins the text of an error of unmarshalStrict about malformed JSON: behind it stand the fault's code, its place and
// a pointer to it, each after a line break but the first.
const malformedPrefix = "malformed "

// malformedError returns such an error. It repeats nothing of the data but, in the pointer, names of members.
func malformedError(data []byte, fault *jsontext.SyntacticError) error {
	offset := min(int(fault.ByteOffset), len(data))
	if errors.Is(fault, io.ErrUnexpectedEOF) { // the library points at the beginning of an escape that is cut off
		offset = len(data)
	}
	before := data[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Errorf("%s%s\nline %d, column %d (byte offset %d)\n%s", malformedPrefix, malformedCode(data, offset),
		bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1, offset, fault.JSONPointer)
}

// jsonSpace are the characters that may stand between JSON's others.
const jsonSpace = " \t\r\n"

// malformedCode returns the code of the fault at an offset. What stands before it is well-formed.
func malformedCode(data []byte, offset int) string {
	before, at := bytes.TrimLeft(data[:offset], jsonSpace), data[offset:]
	if len(at) == 0 && len(before) == 0 {
		return "empty"
	}
	if len(at) == 0 {
		return "incomplete"
	}
	inString, depth := scan(before)
	letter, size := utf8.DecodeRune(at)
	switch {
	case letter == utf8.RuneError && size == 1 && inString:
		return "not_utf8"
	case inString && (letter == '\n' || letter == '\r'):
		return "line_break"
	case inString && letter == '\\':
		return "bad_escape"
	case inString:
		return "control_character"
	case letter == '\ufeff' && offset == 0:
		return "byte_order_mark"
	case depth == 0 && bytes.HasSuffix(bytes.TrimRight(before, jsonSpace), []byte("}")):
		return "text_behind"
	case letter == '\'':
		return "single_quote"
	case letter == '/':
		return "comment"
	case letter == ',' && bytes.IndexAny(bytes.TrimLeft(at[1:], jsonSpace), "]}") == 0:
		return "trailing_comma"
	}
	return "unexpected"
}

// scan reports whether the beginning of a JSON text ends inside a string, and in how many objects and arrays.
func scan(text []byte) (inString bool, depth int) {
	for i := 0; i < len(text); i++ {
		switch letter := text[i]; {
		case letter == '"':
			inString = !inString
		case letter == '\\': // outside of strings none is well-formed
			i++
		case inString:
		case letter == '{' || letter == '[':
			depth++
		case letter == '}' || letter == ']':
			depth--
		}
	}
	return inString, depth
}

// malformedProblem returns the problem for the rest of a malformed text's error. It names the member with the fault where that is one of
// ours: in malformed JSON any word of a text may seem to be a name.
func (r inputRules) malformedProblem(fault string) *lore.Problem {
	code, rest, _ := strings.Cut(fault, "\n")
	place, pointer, _ := strings.Cut(rest, "\n")
	field := lore.FieldError{Code: code, Detail: malformed[code]}
	path := slices.Collect(jsontext.Pointer(pointer).Tokens())
	if parent, name, known := r.knownMembers(strings.Join(path, ".")); slices.Contains(known, name) {
		field.Pointer = parent + "/" + name
	}
	detail := "not JSON at " + place + ": " + field.Detail
	if code == "empty" {
		detail = "the body is empty: " + field.Detail
	}
	return &lore.Problem{Code: lore.CodeInvalidJSON, Detail: detail, Fields: []lore.FieldError{field}}
}

// encoded reports whether a body has a Content-Encoding. A charset there is a common mistake that does no harm.
func encoded(header http.Header) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(header.Values("Content-Encoding"), ","), ","), func(coding string) bool {
		return !slices.Contains([]string{"", "identity", "utf-8"}, strings.ToLower(strings.TrimSpace(coding)))
	})
}
