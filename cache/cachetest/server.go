// Package cachetest gives tests a real Redis: the development engine's for what a store decides, and a private process for
// outages, since only a process of one's own may be stopped and killed.
package cachetest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what must happen. Nothing measured depends on it.
const patience = 20 * time.Second

// URL returns the address of a Redis that the test may share with others, so it keeps to a Prefix of its own: REDIS_URL
// where that is set, else a private server.
func URL(tb testing.TB) string {
	tb.Helper()
	if url := os.Getenv("REDIS_URL"); url != "" {
		return url
	}
	return Start(tb).URL()
}

// Prefix returns a prefix for keys that no other test uses.
func Prefix(tb testing.TB) string {
	return fmt.Sprintf("test_%d_%d", os.Getpid(), time.Now().UnixNano())
}

// Server is a redis-server process of this test alone. It ends with the test.
type Server struct {
	tb      testing.TB
	program string
	folder  string
	port    int
	process *exec.Cmd
}

// Start starts a private server on a free port. Without redis-server on the PATH the test is skipped, or fails when
// AGENTLORE_TEST_ENGINE=required.
func Start(tb testing.TB) *Server {
	tb.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		const hint = "redis-server is not on the PATH: install it (apt-get install redis-server) to run this test"
		if os.Getenv("AGENTLORE_TEST_ENGINE") == "required" {
			tb.Fatal(hint)
		}
		tb.Skip(hint)
	}
	s := &Server{tb: tb, program: program, folder: tb.TempDir(), port: freePort(tb)}
	tb.Cleanup(s.Kill)
	s.Restart()
	return s
}

// URL returns the server's address; it stays the same over restarts.
func (s *Server) URL() string { return fmt.Sprintf("redis://127.0.0.1:%d/0", s.port) }

// Restart starts the server where it is not running, with what the last SAVE kept (see Do).
func (s *Server) Restart() {
	s.tb.Helper()
	s.process = exec.Command(s.program, "--port", fmt.Sprint(s.port), "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no", "--dir", s.folder, "--dbfilename", "dump.rdb", "--loglevel", "warning")
	s.process.Stdout, s.process.Stderr = os.Stderr, os.Stderr
	if err := s.process.Start(); err != nil {
		s.tb.Fatalf("start redis-server: %v", err)
	}
	Eventually(s.tb, "the private redis-server answers", func() bool {
		answer, err := s.send("PING")
		return err == nil && answer == "+PONG"
	})
}

// Kill ends the process as a power cut would. What was not saved is lost.
func (s *Server) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	s.process = nil
}

// Stop halts the process: connections stay open, and nothing answers.
func (s *Server) Stop() { s.signal(syscall.SIGSTOP) }

// Continue ends Stop. The server then does all that was sent to it meanwhile.
func (s *Server) Continue() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal os.Signal) {
	s.tb.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		s.tb.Fatalf("signal redis-server: %v", err)
	}
}

// Do sends one inline command of plain words, past the code under test, and returns the first line of the answer.
func (s *Server) Do(command string) string {
	s.tb.Helper()
	answer, err := s.send(command)
	if err != nil || strings.HasPrefix(answer, "-") {
		s.tb.Fatalf("redis command failed: %s %v", answer, err)
	}
	return answer
}

func (s *Server) send(command string) (string, error) {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.port), time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := fmt.Fprintf(conn, "%s\r\n", command); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err
}

// Eventually polls until holds, and fails the test when that takes too long.
func Eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			tb.Fatalf("not within %s: %s", patience, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func freePort(tb testing.TB) int {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
