package matcher_test

import (
	"testing"

	"agentlore/matcher"
)

// A title is of the kind whose signs or names it says, in whatever words of its own project; a title that merely shares some is of none.
func TestKinds(t *testing.T) {
	t.Parallel()
	kinds := matcher.NewKinds(libraryUnits(t))
	for title, want := range map[string]string{
		"`TapirRouter.zap()` lacks any slippage check":                  "audit.slippage",
		"[M-03] The okapi vault can be swapped without a deadline":      "audit.swap-deadline",
		"GnuFarm breaks with fee-on-transfer tokens":                    "audit.fee-on-transfer",
		"An attacker can re-enter GnuFarm.exit":                         "audit.reentrancy",
		"_safeMint lets the receiver reenter TapirNFT":                  "audit.reentrancy",
		"G-07] use != 0 instead of > 0 in okapi loops":                  "gas.gt-zero",
		"Okapi's first depositor can inflate the share price":           "audit.erc4626-inflation",
		"Cache the okapi array's length outside of the loop":            "gas.array-length",
		"L2 sequencer downtime isn't considered by OkapiOracle":         "audit.oracle-sequencer",
		"GnuFarm pays rewards of a closed epoch again":                  "",
		"Anyone who holds an okapi can rename it":                       "",
		"Deposits of the gnu are slower than those of the tapir":        "",
		"The first release of TapirRouter was audited in three weeks":   "",
		"Protection of okapis: a proposal to fund the park for a month": "",
	} {
		got, found := kinds.Of(title)
		if id := ""; found || want != "" {
			if found {
				id = got.Entry
			}
			if id != want {
				t.Errorf("%q is of the kind %q (it says %q), want %q", title, id, got.Said, want)
			}
		}
	}
}
