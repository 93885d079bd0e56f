package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	// calm is the share of the processors' time that the host may take in a round that counts. A tick is 0.06 % of two
	// processors in a round of eight seconds. At 2 % the 99th percentile of searches was a quarter above that of those during which
	// nothing was taken.
	calm = 0.005
	// againAtMost is how many rounds may be asked again, as a share of all: on a machine that is never calm the worst go.
	againAtMost = 0.5
)

// stolenTime returns the time for which this machine's processors wanted to work and were not let by the host that it is a
// guest of (steal, in /proc/stat); 0 where the system doesn't say. It is counted from the start of the machine.
func stolenTime() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return stolenIn(string(text))
}

// stolenIn reads the time out of /proc/stat, whose first line is of all processors together.
func stolenIn(stat string) time.Duration {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0
	}
	ticks, _ := strconv.ParseInt(fields[8], 10, 64)
	return time.Duration(ticks) * tick
}

// shareOfProcessors returns which part of all processors' time in a span this is.
func shareOfProcessors(taken, span time.Duration) float64 {
	return float64(taken) / float64(max(span, time.Millisecond)) / float64(runtime.NumCPU())
}
