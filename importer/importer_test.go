package importer

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// However long its lines are, an import holds no more of a file at once than it says.
func TestLinesUnderWayAreBounded(t *testing.T) {
	line := strings.Repeat("x", maxLine-1)
	file := strings.NewReader(strings.Repeat(line+"\n", 40))
	var held, most, lines atomic.Int64
	full := make(chan struct{})
	i := &Importer{Now: time.Now}
	_, err := i.run(t.Context(), file, func(_ context.Context, text []byte) (outcome, error) {
		now := held.Add(int64(len(text)))
		defer held.Add(-int64(len(text)))
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
		}
		if lines.Add(1) == bytesAtOnce/maxLine { // the last that fits: all others are held until now
			close(full)
		}
		<-full
		return outcome{created: true}, nil
	})
	if err != nil || lines.Load() != 40 {
		t.Fatalf("%d lines of 40: %v", lines.Load(), err)
	}
	if most.Load() > bytesAtOnce {
		t.Errorf("%d bytes at once, want at most %d", most.Load(), bytesAtOnce)
	}
}
