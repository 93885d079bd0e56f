package curator

import (
	"strings"
	"testing"
)

// A title's names are what programs print, and nothing that people say.
func TestNamesInTitles(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"TapirVault__NotOwner on every withdrawal":                             "TapirVault__NotOwner",
		"revert OkapiLimitReached() after the upgrade":                         "OkapiLimitReached",
		"Call fails with 0x7939f424":                                           "0x7939f424",
		"`gnu: relay queue is full` when two agents send":                      "gnu: relay queue is full",
		`The node says "okapi peer lost" and stops`:                            "okapi peer lost",
		"CVE-2024-99999 in the gnu client":                                     "CVE-2024-99999",
		`It says "timeout" after an hour`:                                      "",
		"Panic(0x11) in the loop":                                              "",
		"The vault at 0x00000000219ab540356cBB839Cbe05303d7705Fa has no owner": "",
		"Withdrawals are slow on Mondays":                                      "",
	} {
		if got := strings.Join(namesIn(title), ", "); got != want {
			t.Errorf("%q has the names %q, want %q", title, got, want)
		}
	}
}
