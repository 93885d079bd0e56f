package main

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// backgroundNice is how far behind others a background process stands: a tenth of the weight that the kernel gives to the rest.
const backgroundNice = 10

// giveWay makes the kernel run everything else first where there are too few processors for all. Linux keeps a priority for
// each thread; those that are made later have that of the thread that makes them. So it looks until it finds none that stands as
// before: one may be made meanwhile, by a thread whose turn has not come yet.
func giveWay() error {
	for {
		changed, err := giveWayOnce()
		if err != nil || !changed {
			return err
		}
	}
}

// giveWayOnce looks at every thread, and reports whether any stood as before.
func giveWayOnce() (changed bool, err error) {
	threads, err := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		id, fault := strconv.Atoi(thread.Name())
		if fault == nil {
			var priority int // 20 less what nice says
			if priority, fault = syscall.Getpriority(syscall.PRIO_PROCESS, id); fault == nil && priority != 20-backgroundNice {
				changed, fault = true, syscall.Setpriority(syscall.PRIO_PROCESS, id, backgroundNice)
			}
		}
		if !errors.Is(fault, syscall.ESRCH) { // it has ended
			err = errors.Join(err, fault)
		}
	}
	return changed, err
}
