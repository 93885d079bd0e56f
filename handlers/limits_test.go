package handlers

import "testing"

func TestLimitsAreChecked(t *testing.T) {
	good := Limits{Register: "20-H", Write: "120-M", Read: LimitOff, Export: "5-D"}
	if err := good.Check(); err != nil {
		t.Errorf("good limits: %v", err)
	}
	for _, form := range []string{"", "0-M", "-1-M", "120", "120-X", "off ", "120-M-M", "1e3-M"} {
		bad := good
		bad.Write = form
		if bad.Check() == nil {
			t.Errorf("the limit %q was taken", form)
		}
	}
}
