package index

import (
	"testing"
	"time"
)

// A copy takes half of what the store can do, whatever it has to do beside.
func TestPaceFollowsTheStore(t *testing.T) {
	var p pace
	steps := []struct {
		name      string
		documents int64
		running   time.Duration
		throttled int64
		want      int // 0: stays as it is
	}{
		{"too little is copied to tell", 750, time.Second, 0, 0},
		{"a quick store: 1,000 documents in 500 ms of work", 1000, 1250 * time.Millisecond, 750, 1000},
		{"still quick, too little since", 1250, 1500 * time.Millisecond, 900, 0},
		{"busy now: 1,000 documents in 4 s of work", 2000, 6250 * time.Millisecond, 1750, 125},
		{"the longer it waits the slower it isn't", 3000, 14250 * time.Millisecond, 8750, 500},
		{"no work that can be measured", 4000, 14250 * time.Millisecond, 8750, 0},
	}
	for _, step := range steps {
		rate, due := p.next(copyStatus{Created: step.documents - 500, Updated: 500, Throttled: step.throttled, running: step.running})
		if due != (step.want > 0) || rate != step.want {
			t.Errorf("%s: %d %v, want %d", step.name, rate, due, step.want)
		}
	}
}
