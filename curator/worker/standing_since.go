package worker

import (
	"context"
	"time"
)

// StandingSince returns since when a principal had standing when cases were judged last; the zero time: it had none. Errors: the store's.
func StandingSince(ctx context.Context, states States, principal string) (time.Time, error) {
	stored, err := loadStanding(ctx, states)
	since, _ := earnedAt(stored.Marks[principal])
	return since, err
}
