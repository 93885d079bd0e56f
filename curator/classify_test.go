package curator_test

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"agentlore/curator"
	"agentlore/lore"
)

func TestClassifyTypicalReports(t *testing.T) {
	cases := []struct {
		want lore.Category
		o    lore.Observation
	}{
		{lore.CategoryFailure, lore.Observation{Summary: "Fix crash when the block header is missing", Content: "The node panics with a nil error if the request times out. Handle the missing value and return the correct error."}},
		{lore.CategoryFailure, lore.Observation{Summary: "Return the correct error code when the query fails"}},
		{lore.CategorySecurity, lore.Observation{Summary: "An attacker can steal deposits by inflating the share price", Content: "The vault doesn't check the first deposit. A malicious user donates tokens before the victim's deposit, whose shares round down to zero: loss of funds."}},
		{lore.CategorySecurity, lore.Observation{Summary: "Missing access control lets anyone withdraw all funds", Content: "The function has no modifier, so a malicious caller drains the contract."}},
		{lore.CategoryOptimization, lore.Observation{Summary: "Cache the array length outside the loop to save gas", Content: "Reading storage in every iteration costs more gas than a local variable."}},
		{lore.CategoryOptimization, lore.Observation{Summary: "Avoid unnecessary allocations and clones in the hot loop"}},
		{lore.CategoryDiscovery, lore.Observation{Summary: "Add support for a new query endpoint", Content: "* feat: add endpoint for validator balances\n* add tests"}},
		{lore.CategoryOperational, lore.Observation{Summary: "Run the node with Docker Compose", Content: "Install Docker, then edit the config file, start the container with the following command and check the logs of your node."}},
		{lore.CategoryMarket, lore.Observation{Summary: "Raise the supply cap and lower the borrow rate of the stablecoin", Content: "The proposal increases the cap to 20M and lowers the interest rate slope by 2%, since liquidity and utilization of the market grew."}},
		{lore.CategoryInsight, lore.Observation{Summary: "Centralization risks of the protocol's architecture", Content: "Overall the codebase is of good quality, but the system relies on a trusted admin. We recommend decentralization of governance to reduce systemic risks."}},
		{lore.CategoryIntegration, lore.Observation{Summary: "Bridging tokens: how the bridge and its messenger connect both chains", Content: "You can use the bridge contract to deposit tokens; the relayer passes the message to the other chain, see the guide."}},
		{lore.CategoryPattern, lore.Observation{Summary: "Again and again: the node repeatedly fails to sync, every session", Content: "It recurs intermittently: the same error is returned again after every restart."}},
	}
	for _, c := range cases {
		got := curator.Classify(c.o)
		if got.Category != c.want {
			t.Errorf("%q: %s (%.2f, then %v, by %v), want %s", c.o.Summary, got.Category, got.Confidence, got.RunnersUp, got.Evidence, c.want)
		}
		if got.Confidence < 0.1 || got.Confidence > 1 {
			t.Errorf("%q: confidence %.2f", c.o.Summary, got.Confidence)
		}
		if len(got.Evidence) == 0 || len(got.Evidence) > 8 {
			t.Errorf("%q: evidence %v", c.o.Summary, got.Evidence)
		}
	}
}

func TestNothingSaidIsGeneral(t *testing.T) {
	for _, summary := range []string{"", "...", "привет", "0x12 34", "https://example.org/security/attack"} {
		got := curator.Classify(lore.Observation{Summary: summary})
		if got.Category != lore.CategoryGeneral || len(got.Evidence) != 0 {
			t.Errorf("%q: %s (%.2f) by %v", summary, got.Category, got.Confidence, got.Evidence)
		}
	}
}

// Evidence must be words of the report: it is shown to the one who wrote it.
func TestEvidenceIsInTheReport(t *testing.T) {
	o := lore.Observation{Summary: "Attacker drains the vault", Content: "A reentrancy in withdraw() lets a malicious user steal funds.", Resolution: "Add a guard."}
	text := strings.ToLower(o.Summary + o.Content + o.Resolution)
	for _, word := range curator.Classify(o).Evidence {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in the report", word)
		}
	}
}

func TestTheSubmittersCategoryIsNotLookedAt(t *testing.T) {
	o := lore.Observation{Summary: "Cache the array length to save gas"}
	first := curator.Classify(o)
	o.Category = lore.CategoryMarket
	if got := curator.Classify(o); !reflect.DeepEqual(got, first) {
		t.Errorf("%v, was %v", got, first)
	}
}

func TestClassifyIsTheSameForAllAtOnce(t *testing.T) {
	o := lore.Observation{Summary: "Wrong fee when the bridge deposits", Content: strings.Repeat("the fee is wrong and the message fails ", 50)}
	want := curator.Classify(o)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if got := curator.Classify(o); !reflect.DeepEqual(got, want) {
					t.Errorf("%v, was %v", got, want)
				}
			}
		})
	}
	group.Wait()
}

// Notes of changes and housekeeping tell of no failure.
func TestHousekeepingIsGeneral(t *testing.T) {
	for _, summary := range []string{"Bump library from 1.2.3 to 1.2.4", "Release v2.1.0", "Update changelog and readme", "chore(deps): update lint",
		"Rename variables and move types to another file", "Merge branch main"} {
		if got := curator.Classify(lore.Observation{Summary: summary}); got.Category != lore.CategoryGeneral {
			t.Errorf("%q: %s (%.2f) by %v", summary, got.Category, got.Confidence, got.Evidence)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	o := lore.Observation{Summary: "An attacker can steal deposits by inflating the share price",
		Content: strings.Repeat("The vault does not check the first deposit, so a malicious user donates tokens before it. ", 22)}
	for b.Loop() {
		curator.Classify(o)
	}
}
