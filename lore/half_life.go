package lore

import "time"

// HalfLife is how long it takes until the age of a report of this category counts half.
func (c Category) HalfLife() time.Duration {
	const day = 24 * time.Hour
	switch c {
	case CategoryMarket:
		return 14 * day
	case CategoryOperational, CategoryFailure:
		return 60 * day
	case CategoryIntegration:
		return 180 * day
	}
	return 365 * day
}
