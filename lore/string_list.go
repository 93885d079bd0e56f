package lore

import (
	"encoding/json"
	"fmt"
)

// StringList reads a JSON string or an array of strings, since public catalogs write both.
type StringList []string

// UnmarshalJSON accepts "a" as well as ["a", "b"], and null as none.
func (l *StringList) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var one string
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		*l = StringList{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return fmt.Errorf("neither a string nor a list of strings")
	}
	*l = many
	return nil
}
