//go:build linux

package scrubber

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this thread has used: on a shared machine the wall clock measures the
// neighbours. The caller locks itself to its thread.
func cpuTime() time.Duration {
	const thisThread = 1
	var u syscall.Rusage
	if err := syscall.Getrusage(thisThread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
