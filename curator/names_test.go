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

// A pasted error is met by what its own program prints, and by nothing that any program may print.
func TestNamesInPastes(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"2026-01-10T08:59:12Z ERROR relay loop ended\nError: LaneCursorBehindError: lane cursor 812 is behind checkpoint 815\n    at advance (/srv/a.js:88:11)": "LaneCursorBehindError | lane cursor {n} is behind checkpoint {n}",
		"rpc error: code = ResourceExhausted desc = lane window exhausted: 64 of 64 in flight":                                                                  "lane window exhausted: {n} of {n} in flight | lane window exhausted",
		"execution reverted: InvalidLaneProof()":                                         "InvalidLaneProof",
		"LaneNonceReused(uint64 nonce): nonce 77 was used by another signer":             "LaneNonceReused",
		"Error: QVX-1042 checkpoint has 3 of 5 signatures":                               "QVX-1042 | QVX-1042 checkpoint has {n} of {n} signatures",
		"caused by: attestation store is read only: snapshot in progress":                "attestation store is read only: snapshot in progress | attestation store is read only",
		"fatal: lane guard was held for 30s by sender-3":                                 "lane guard was held for {n} by sender-{n}",
		"lane window shrank from 812 to 815 (topic=orders)":                              "lane window shrank from {n} to {n} (topic=orders)",
		"two lines\nlane window shrank from 812 to 815":                                  "",
		"QVX-1042 lane slot is parked (slot=2)":                                          "QVX-1042 | QVX-1042 lane slot is parked (slot={n})",
		"LANE_MESSAGE_PENDING":                                                           "LANE_MESSAGE_PENDING",
		"context deadline exceeded":                                                      "",
		"TypeError: Cannot read properties of undefined (reading 'length')":              "",
		"panic: runtime error: index out of range [3] with length 3":                     "",
		"dial tcp 127.0.0.1:8545: connect: connection refused":                           "",
		"Error: HTTP request of an ERC-20 failed with status 429, ERR_HTTP_HEADERS_SENT": "",
		"execution reverted":                                                             "",
		"INFO imported block 1000 in 4 ms, 50 messages":                                  "",
	} {
		if got := strings.Join(pastedNames(pasted), " | "); got != want {
			t.Errorf("%q has the names %q, want %q", pasted, got, want)
		}
	}
}

// Of a title whose words an operator stands for, codes are names too.
func TestCodesInTitles(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"QVX-1042: lane slot is parked":    "QVX-1042",
		"Start fails (LANE-71)":            "LANE-71",
		"ERC-20 transfers fail with UTF-8": "",
		"Lane stops on AWS us-east-1":      "",
	} {
		if got := strings.Join(codesIn(title), ", "); got != want {
			t.Errorf("%q has the codes %q, want %q", title, got, want)
		}
	}
}
