package handlers

import (
	"testing"
	"time"
)

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

// Who waits as long as he is told finds a new window, whatever fraction of a second the counter has cut off.
func TestSecondsLeft(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	for window := 1; window <= 120; window += 17 {
		for gone := time.Duration(0); gone < time.Duration(window)*time.Second; gone += 137 * time.Millisecond {
			began := start.Add(gone * 31 % time.Second)
			end, now := began.Add(time.Duration(window)*time.Second), began.Add(gone)
			wait := time.Duration(secondsLeft(end.Unix(), now, window)) * time.Second
			if early := end.Sub(now.Add(wait)); early > 0 {
				t.Fatalf("a window of %d s, %s after its beginning: %s is too short by %s", window, gone, wait, early)
			}
			if wait > end.Sub(now)+2*time.Second {
				t.Fatalf("a window of %d s, %s after its beginning: %s is far too long", window, gone, wait)
			}
		}
	}
}
