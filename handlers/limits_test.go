package handlers

import "testing"

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
