//go:build !linux

package scrubber

import "time"

var started = time.Now()

// cpuTime is the wall clock where there is no processor time of a thread.
func cpuTime() time.Duration { return time.Since(started) }
