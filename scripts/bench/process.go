package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a program of ours under measurement, with its output in a file.
type process struct {
	name  string
	cmd   *exec.Cmd
	log   string // file of its standard error
	began time.Time
	ended chan struct{}
	err   error // once ended
	stops sync.Once
}

// stopAfter is how long a program has to end by itself; the service lets requests under way finish for 20 s.
const stopAfter = 25 * time.Second

// start starts a program that writes its log to a file of its name in the work folder. environment comes on top of ours.
func (b *bench) start(name string, stdin io.Reader, stdout io.Writer, environment []string, path string, arguments ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(b.Work, name+".log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	p.cmd = exec.Command(path, arguments...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, log
	p.cmd.Env = append(os.Environ(), environment...)
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		p.err = p.cmd.Wait()
		log.Close()
		close(p.ended)
	}()
	return p, nil
}

// pid returns its process number.
func (p *process) pid() int { return p.cmd.Process.Pid }

// stop ends it, by force where it doesn't end by itself.
func (p *process) stop() {
	p.stops.Do(func() {
		select {
		case <-p.ended:
			return
		default:
		}
		p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(stopAfter):
			say("   %s (process %d) did not stop in %s; ending it by force", p.name, p.pid(), stopAfter)
			p.cmd.Process.Kill()
			<-p.ended
		}
	})
}

// wait waits until it has ended by itself.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.ended:
		if p.err != nil {
			return p.failure(p.err.Error())
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// logged returns what it has written to its standard error so far, "" where that can't be read.
func (p *process) logged() string {
	text, _ := os.ReadFile(p.log)
	return string(text)
}

// failure says what went wrong, with the end of the log.
func (p *process) failure(what string) error {
	lines := strings.Split(strings.TrimSpace(p.logged()), "\n")
	return fmt.Errorf("%s: %s; the end of %s:\n%s", p.name, what, p.log, strings.Join(lines[max(0, len(lines)-5):], "\n"))
}

// until calls ready every few milliseconds until it is true. It fails when the program ends before that, or after limit.
func (p *process) until(ctx context.Context, limit time.Duration, ready func() bool) error {
	for deadline := time.Now().Add(limit); !ready(); {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.ended:
			return p.failure("ended too early")
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return p.failure(fmt.Sprintf("not ready after %s", limit))
		}
	}
	return nil
}

// resident returns its resident memory in bytes, 0 where the system doesn't say.
func (p *process) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid()))
	if err != nil {
		return 0
	}
	return statusBytes(string(text), "VmRSS")
}

// statusBytes reads a size out of /proc/PID/status.
func statusBytes(status, field string) int64 {
	for line := range strings.Lines(status) {
		if value, found := strings.CutPrefix(line, field+":"); found {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// processorTime returns the time that processors have worked for it, 0 where the system doesn't say.
func (p *process) processorTime() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid()))
	if err != nil {
		return 0
	}
	return statTime(string(text))
}

// tick is the unit of times in /proc, fixed for user space on Linux.
const tick = 10 * time.Millisecond

// statTime reads user and system time out of /proc/PID/stat. Fields are counted behind the last ")": a name may hold
// spaces.
func statTime(stat string) time.Duration {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}

// watchMemory samples the resident memory until the returned function is called, which returns the largest.
func (p *process) watchMemory() (largest func() int64) {
	done, told := make(chan struct{}), make(chan int64)
	go func() {
		most := p.resident()
		for {
			select {
			case <-time.After(200 * time.Millisecond):
				most = max(most, p.resident())
			case <-done:
				told <- most
				return
			}
		}
	}()
	return sync.OnceValue(func() int64 { close(done); return <-told })
}
