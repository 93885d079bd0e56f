package lore

// Act is what a fix asks its reader to do, in fixed words.
type Act string

// AsksFor is one thing that a fix asks its reader to do.
type AsksFor struct {
	Act  Act    `json:"act"`
	What string `json:"what,omitempty"`
}

func (a AsksFor) String() string { return string(a.Act) + " " + a.What }
