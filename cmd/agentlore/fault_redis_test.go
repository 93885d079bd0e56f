package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// Redis emptied in the middle of traffic, again and again: it holds no record, so nobody notices.
func TestRedisFlushedUnderTraffic(t *testing.T) {
	t.Parallel()
	redis := enginetest.StartRedis(t)
	both := serveTwo(t, "--redis-url="+redis.URL(), "--rate-write=1000000-M", "--rate-read=1000000-M")
	x := startTraffic(t, both)
	revoked := both[0].register(t, "revoked before the flush")
	for _, s := range both {
		if !s.accepts(t, revoked.token) {
			t.Error("a new token is refused")
		}
	}
	flags := append(storeFlags(t, both[0].prefix), revoked.name)
	if status, _, stderr := run(t, append([]string{"token", "revoke", "--why=a test"}, flags...)...); status != 0 {
		t.Fatalf("revoke: status %d, %s", status, stderr)
	}
	for _, s := range both {
		enginetest.Within(t, 10*time.Second, "the token is refused", func() bool { return !s.accepts(t, revoked.token) })
	}
	for range 5 {
		redis.Do("FLUSHALL")
		x.during(t, "Redis emptied (FLUSHALL)", 400*time.Millisecond)
		for _, s := range both {
			if s.accepts(t, revoked.token) {
				t.Error("a revoked token is accepted after FLUSHALL")
			}
		}
	}
	x.end()
	for _, got := range x.refused {
		t.Errorf("a request failed: %d %s", got.status, got.body)
	}
	for _, err := range x.failed {
		t.Errorf("a request failed: %v", err)
	}
	wantAllStored(t, both, x)
}

// A Redis that wants TLS and a password, as one beyond the own host should: secrets and the authority come from files, and
// every way to get them wrong is named, without repeating a password.
func TestRedisWithTLSAndPassword(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		enginetest.Missing(t, "redis-server is not on the PATH")
	}
	folder := t.TempDir()
	certificate, key := selfSigned(t, folder)
	password := strings.Repeat("pw", 8) + enginetest.NewPrefix()
	address := freeAddress(t)
	_, port, _ := strings.Cut(address, ":")
	server := exec.Command(program, "--port", "0", "--tls-port", port, "--bind", "127.0.0.1", "--tls-cert-file", certificate, "--tls-key-file", key,
		"--tls-ca-cert-file", certificate, "--tls-auth-clients", "no", "--requirepass", password, "--save", "", "--dir", folder, "--loglevel", "warning")
	var said text
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	enginetest.Eventually(t, "Redis listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	file := filepath.Join(folder, "password")
	wrong := filepath.Join(folder, "wrong")
	for name, content := range map[string]string{file: password + "\n", wrong: "not" + password} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	prefix := sharedService(t).prefix
	s := serve(t, prefix, "--redis-url=rediss://"+address+"/0", "--redis-password-file="+file, "--redis-ca="+certificate, "--rate-write=1000000-M")
	me := s.register(t, "behind-tls-"+enginetest.NewPrefix())
	s.submit(t, me, observation("over TLS "+me.id))
	if health := decode[map[string]any](t, s.get(t, "/health")); health["status"] != "ok" {
		t.Errorf("health is %v", health)
	}
	if calls := metric(t, s, `agentlore_redis_calls_total{result="served"}`); calls == "0" || calls == "" {
		t.Error("Redis was never asked")
	}
	for what, flags := range map[string][]string{
		"a wrong password": {"--redis-password-file=" + wrong, "--redis-ca=" + certificate}, "no password": {"--redis-ca=" + certificate}, "an unknown authority": {"--redis-password-file=" + file},
	} {
		flags = append(append([]string{"check", "--listen=127.0.0.1:0", "--redis-url=rediss://" + address + "/0"}, storeFlags(t, prefix)...), flags...)
		status, stdout, stderr := run(t, flags...)
		if status != 1 || !strings.Contains(stdout, "fault    Redis") || strings.Contains(stdout+stderr, password) {
			t.Errorf("%s: status %d, %s %s; want a fault of Redis and no password", what, status, stdout, stderr)
		}
	}
}

// selfSigned writes a certificate for 127.0.0.1, which is its own authority, and its key.
func selfSigned(t *testing.T, folder string) (certificateFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("certificate.pem", "CERTIFICATE", certificate), write("key.pem", fmt.Sprint("PRIVATE", " KEY"), private)
}
