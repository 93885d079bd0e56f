package cache_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/enginetest"
)

func TestOpenRefusesABadURLWithoutRepeatingIt(t *testing.T) {
	for _, url := range []string{
		"http://localhost:6379",
		"localhost:6379",
		"redis://user:tulip#orchid@localhost:6379", // an unescaped # ends the host: Go's own error quotes the password
		"redis://localhost:6379/tulip",
		"redis://localhost:6379?tulip=1",
		"unix://",
	} {
		r, err := cache.Open(cache.Config{URL: url})
		if err == nil {
			_ = r.Close()
			t.Errorf("%q was accepted", url)
		} else if strings.Contains(err.Error(), "tulip") {
			t.Errorf("the error repeats what may be a password: %v", err)
		}
	}
}

func TestOpenStartsWithoutAServer(t *testing.T) {
	server := enginetest.StartRedis(t)
	server.Kill()
	var log record
	r := open(t, server.URL(), "p", func(c *cache.Config) { c.Log = log.logger() })
	if got := r.State(context.Background()); got != cache.StateDown {
		t.Errorf("state %q, want down", got)
	}
	if _, err := r.Get(t.Context(), "x"); !errors.Is(err, cache.ErrUnavailable) {
		t.Errorf("Get: %v, want ErrUnavailable", err)
	}
	server.Restart()
	awaitState(t, r, cache.StateOK)
	mustSet(t, r, "x", "value")
	if lines := strings.Count(log.String(), "\n"); lines != 2 {
		t.Errorf("want one line for down and one for up, got:\n%s", &log)
	}
}

func TestAbsentRedisIsLegal(t *testing.T) {
	r := open(t, "", "p")
	if got := r.State(context.Background()); got != cache.StateAbsent {
		t.Errorf("state %q, want absent", got)
	}
	if _, err := r.Get(t.Context(), "x"); !errors.Is(err, cache.ErrUnavailable) {
		t.Errorf("Get: %v, want ErrUnavailable", err)
	}
	if err := r.Set(t.Context(), "x", "v", time.Minute); !errors.Is(err, cache.ErrUnavailable) {
		t.Errorf("Set: %v, want ErrUnavailable", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestCallsFailAfterClose(t *testing.T) {
	r := open(t, enginetest.RedisURL(t), enginetest.Prefix(t))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Get(t.Context(), "x"); !errors.Is(err, cache.ErrUnavailable) {
		t.Errorf("Get after Close: %v", err)
	}
}

// A TLS listener in front of a private server: rediss:// must speak TLS and must not accept a certificate of anybody.
func TestTLSIsSpokenAndVerified(t *testing.T) {
	server := enginetest.StartRedis(t)
	front := tlsFront(t, strings.TrimSuffix(strings.TrimPrefix(server.URL(), "redis://"), "/0"))
	r := open(t, "rediss://"+front, "p")
	if got := r.State(context.Background()); got != cache.StateDown {
		t.Errorf("an unknown certificate was accepted: state %q", got)
	}
	insecure := open(t, "rediss://"+front+"?skip_verify=true", "p")
	mustSet(t, insecure, "x", "value")
	wantValue(t, insecure, "x", "value")
}

func tlsFront(t *testing.T, backend string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", backend)
			if err != nil {
				_ = in.Close()
				continue
			}
			go pipe(in, out)
			go pipe(out, in)
		}
	}()
	return listener.Addr().String()
}

// pipe copies until one side ends, and then ends the other.
func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}
