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
// each thread; those that are made later have that of the thread that makes them.
func giveWay() error {
	threads, err := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		id, fault := strconv.Atoi(thread.Name())
		if fault == nil {
			fault = syscall.Setpriority(syscall.PRIO_PROCESS, id, backgroundNice)
		}
		if !errors.Is(fault, syscall.ESRCH) { // it has ended
			err = errors.Join(err, fault)
		}
	}
	return err
}
