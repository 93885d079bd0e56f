package enginetest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// RedisServer is a redis-server process of one test alone, which may be stopped and killed. It ends with the test.
type RedisServer struct {
	tb      testing.TB
	folder  string
	port    int
	process *exec.Cmd
}

// StartRedis starts a private server on a free port, or skips the test where redis-server is not on the PATH.
func StartRedis(tb testing.TB) *RedisServer {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		Missing(tb, "redis-server is not on the PATH: install it (apt-get install redis-server) to run this test")
	}
	s := &RedisServer{tb: tb, folder: tb.TempDir(), port: freePort(tb)}
	tb.Cleanup(s.Kill)
	s.Restart()
	return s
}

// URL returns the server's address; it stays the same over restarts.
func (s *RedisServer) URL() string { return fmt.Sprintf("redis://127.0.0.1:%d/0", s.port) }

// Restart starts the server where it is not running, with what the last SAVE kept (see Do).
func (s *RedisServer) Restart() {
	s.tb.Helper()
	s.process = exec.Command("redis-server", "--port", fmt.Sprint(s.port), "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no", "--dir", s.folder, "--dbfilename", "dump.rdb", "--loglevel", "warning")
	s.process.Stdout, s.process.Stderr = os.Stderr, os.Stderr
	if err := s.process.Start(); err != nil {
		s.tb.Fatalf("start redis-server: %v", err)
	}
	Eventually(s.tb, "the private redis-server answers", func() bool { _, err := s.send("PING"); return err == nil })
}

// Kill ends the process as a power cut would. What was not saved is lost.
func (s *RedisServer) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	s.process = nil
}

// Stop halts the process: connections stay open, and nothing answers.
func (s *RedisServer) Stop() { s.signal(syscall.SIGSTOP) }

// Continue ends Stop. The server then does all that was sent to it meanwhile.
func (s *RedisServer) Continue() { s.signal(syscall.SIGCONT) }

func (s *RedisServer) signal(signal os.Signal) {
	s.tb.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		s.tb.Fatalf("signal redis-server: %v", err)
	}
}

// Do sends one command of plain words, past the code under test, and returns the answer as text.
func (s *RedisServer) Do(command string) string {
	s.tb.Helper()
	answer, err := s.send(command)
	if err != nil {
		s.tb.Fatalf("redis command failed: %v", err)
	}
	return answer
}

func (s *RedisServer) send(command string) (string, error) {
	client, err := connect(s.URL())
	if err != nil {
		return "", err
	}
	defer client.Close()
	var words []any
	for _, word := range strings.Fields(command) {
		words = append(words, word)
	}
	answer, err := client.Do(context.Background(), words...).Result()
	return fmt.Sprint(answer), err
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
