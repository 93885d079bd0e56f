package lore

import (
	"encoding/json"
	"errors"
)

// Rating is how useful a submitter thinks its report is, a whole number from 1 to 10.
type Rating int

// UnmarshalJSON reads a whole number in any spelling: JSON knows no integers, and to JSON Schema 7.0 and 7e0 are the
// integer 7. Errors: what isn't a whole number; the range is the schema's to check.
func (r *Rating) UnmarshalJSON(data []byte) error {
	var number float64
	if err := json.Unmarshal(data, &number); err != nil {
		return errors.New("rating: not a number")
	}
	if number != float64(int(number)) {
		return errors.New("rating: not a whole number")
	}
	*r = Rating(number)
	return nil
}
