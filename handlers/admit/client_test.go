package admit_test

import (
	"net/http"
	"net/netip"
	"testing"

	"agentlore/handlers/admit"
)

// The client is the last address that a trusted proxy vouches for, whatever stands before it.
func TestClient(t *testing.T) {
	t.Parallel()
	proxies, err := admit.ParseProxies([]string{"127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		peer   string
		header []string
		want   string
	}{
		{"198.51.100.1:4000", []string{"203.0.113.1"}, "198.51.100.1"}, // no proxy: the header is its own
		{"127.0.0.1:4000", nil, "127.0.0.1"},
		{"127.0.0.1:4000", []string{"203.0.113.1"}, "203.0.113.1"},
		{"[::ffff:127.0.0.1]:4000", []string{"203.0.113.1"}, "203.0.113.1"},
		{"127.0.0.1:4000", []string{"192.0.2.9, 203.0.113.1 , 10.1.2.3"}, "203.0.113.1"},
		{"127.0.0.1:4000", []string{"192.0.2.9", "203.0.113.1"}, "203.0.113.1"}, // a proxy that adds a line of its own
		{"127.0.0.1:4000", []string{"203.0.113.1", "10.1.2.3"}, "203.0.113.1"},
		{"127.0.0.1:4000", []string{"203.0.113.1:5123"}, "203.0.113.1"},
		{"127.0.0.1:4000", []string{"[2001:db8::1]:5123"}, "2001:db8::1"},
		{"127.0.0.1:4000", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"127.0.0.1:4000", []string{"2001:db8::1%eth0, 2001:db8:ffff::2"}, "2001:db8::1"},
		{"127.0.0.1:4000", []string{"203.0.113.1, unknown, 10.1.2.3"}, "10.1.2.3"}, // junk vouches for nobody
		{"127.0.0.1:4000", []string{"203.0.113.1,"}, "127.0.0.1"},
		{"127.0.0.1:4000", []string{"10.1.2.3, 10.1.2.4"}, "10.1.2.3"},
		{"", []string{"203.0.113.1"}, "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: test.peer, Header: http.Header{"X-Forwarded-For": test.header, "X-Real-Ip": {"192.0.2.77"}}}
		if got := proxies.Client(r).String(); got != test.want {
			t.Errorf("%s with %q is %s, want %s", test.peer, test.header, got, test.want)
		}
	}
	for _, wrong := range []string{"", "10.0.0.0/33", "proxy.example", "127.0.0.1:80"} {
		if _, err := admit.ParseProxies([]string{wrong}); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
}

// An IPv6 host has a whole /64 to choose addresses from, and a site a /48.
func TestNetworks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][]string{
		"203.0.113.7": {"203.0.113.7/32"}, "2001:db8:1:2:ffff::1": {"2001:db8:1:2::/64", "2001:db8:1::/48"}, "::1": {"::/64", "::/48"},
	} {
		got := admit.Networks(netip.MustParseAddr(address))
		if len(got) != len(want) {
			t.Fatalf("%s: %v", address, got)
		}
		for i := range got {
			if got[i].String() != want[i] {
				t.Errorf("%s: %v, want %v", address, got, want)
			}
		}
	}
}
