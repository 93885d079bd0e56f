// Package webhooktest helps tests of webhooks to receive, on this machine, what is sent to names of the public internet.
package webhooktest

import (
	"context"
	"net"
	"slices"
	"testing"
)

// Resolver returns a resolver by which every name has one address.
func Resolver(t testing.TB, address func() [4]byte) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for query := make([]byte, 512); ; {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			end := 12 + slices.Index(query[12:n], 0) + 5 // RFC 1035: header, name, type and class
			answer := slices.Concat(query[:2], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[12:end])
			if query[end-3] == 1 { // type A
				to := address()
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, to[0], to[1], to[2], to[3])
			}
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}
