package scrubber

// spread removes secrets whose parts stand in several fields.
func (s *Scrubber) spread(fields []field, t tally) bool { return false }
