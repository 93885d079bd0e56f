package handlers

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Moment is a parameter that says a time: a day, which begins at 00:00 UTC, or a time of RFC 3339. It is exported for
// the same reason as PageInput.
type Moment struct{ time.Time }

// UnmarshalText reads the parameter.
func (m *Moment) UnmarshalText(text []byte) (err error) {
	if m.Time, err = time.Parse(time.DateOnly, string(text)); err != nil {
		m.Time, err = time.Parse(time.RFC3339Nano, string(text))
	}
	return err
}

// Schema describes the parameter.
func (Moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, AnyOf: []*huma.Schema{
		{Type: huma.TypeString, Format: "date"}, {Type: huma.TypeString, Format: "date-time"},
	}}
}
