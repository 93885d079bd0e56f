package handlers

import "testing"

// An IPv6 host has a whole /64 to choose addresses from: it is counted as one client.
func TestClientKey(t *testing.T) {
	for address, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7", "127.0.0.1": "127.0.0.1",
		"2001:db8:1:2::1": "2001:db8:1:2::/64", "2001:db8:1:2:ffff:ffff:ffff:ffff": "2001:db8:1:2::/64", "2001:db8:1:3::1": "2001:db8:1:3::/64",
		"fe80::1%eth0": "fe80::/64", "::1": "::/64", "": "unknown", "no address": "unknown", "203.0.113.7:80": "unknown",
	} {
		if got := clientKey(address); got != want {
			t.Errorf("clientKey(%q) is %q, want %q", address, got, want)
		}
	}
}

func TestLimitsAreCheckedAltogether(t *testing.T) {
	good := Config{Limits: Limits{Register: "20-H", Write: "120-M", Read: LimitOff, Export: "5-D"}, TrustedProxies: []string{"10.0.0.0/8", "::1"}}
	if err := good.Check(); err != nil {
		t.Errorf("a good configuration: %v", err)
	}
	for _, form := range []string{"", "0-M", "-1-M", "120", "120-X", "off ", "120-M-M", "1e3-M"} {
		bad := good
		bad.Limits.Write = form
		if bad.Check() == nil {
			t.Errorf("the limit %q was taken", form)
		}
	}
}
