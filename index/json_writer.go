package index

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// encodeQuery writes a query's body. Queries are built of maps, lists, strings and numbers; encoding/json sorts each map
// and looks up each value's type anew, which took longer than to build them. What it doesn't know goes to encoding/json.
func encodeQuery(body map[string]any) ([]byte, error) {
	return appendQuery(make([]byte, 0, 4<<10), body)
}

// appendQuery writes one value. Members of an object come in any order.
func appendQuery(to []byte, value any) (text []byte, err error) {
	switch value := value.(type) {
	case map[string]any:
		to = append(to, '{')
		for name, member := range value {
			to = append(appendText(to, name), ':')
			if to, err = appendQuery(to, member); err != nil {
				return nil, err
			}
			to = append(to, ',')
		}
		return closed(to, '}'), nil
	case []any:
		to = append(to, '[')
		for _, element := range value {
			if to, err = appendQuery(to, element); err != nil {
				return nil, err
			}
			to = append(to, ',')
		}
		return closed(to, ']'), nil
	case []string:
		to = append(to, '[')
		for _, element := range value {
			to = append(appendText(to, element), ',')
		}
		return closed(to, ']'), nil
	case string:
		return appendText(to, value), nil
	case bool:
		return strconv.AppendBool(to, value), nil
	case int:
		return strconv.AppendInt(to, int64(value), 10), nil
	case int64:
		return strconv.AppendInt(to, value, 10), nil
	}
	encoded, err := json.Marshal(value)
	return append(to, encoded...), err
}

// closed ends a list or an object, in place of the comma behind its last element.
func closed(to []byte, sign byte) []byte {
	if last := len(to) - 1; to[last] == ',' {
		to[last] = sign
		return to
	}
	return append(to, sign)
}

// appendText writes a string.
func appendText(to []byte, text string) []byte {
	start := len(to)
	to = append(to, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n':
			to = append(to, '\\', 'n')
		case c == '"' || c == '\\':
			to = append(to, '\\', c)
		case c < ' ' || c >= utf8.RuneSelf: // control characters, and what may not be UTF-8
			encoded, _ := json.Marshal(text) // a string can always be encoded
			return append(to[:start], encoded...)
		default:
			to = append(to, c)
		}
	}
	return append(to, '"')
}
