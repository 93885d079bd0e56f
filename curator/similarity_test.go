package curator

import (
	"fmt"
	"strings"
	"testing"

	"agentlore/lore"
)

// weighed returns the vectors of observations among forty others of the same trade.
func weighed(observations ...lore.Observation) []*Vector {
	var frequencies Frequencies
	subjects := []string{"bridge relayer", "lending pool", "price oracle", "staking vault", "auction house", "token vesting", "governor", "fee splitter"}
	faults := []string{"rounds down on withdrawal", "accepts a stale value", "can be called by anyone", "reverts after an upgrade", "loses rewards"}
	for _, subject := range subjects {
		for _, fault := range faults {
			frequencies.Add(NewProfile(lore.Observation{Summary: "The " + subject + " " + fault, Content: "Users of the " + subject + " lose funds."}, "", ""))
		}
	}
	profiles := make([]*Profile, len(observations))
	for i, o := range observations {
		kind := "rewards"
		if strings.Contains(o.Summary, "Timelock") {
			kind = "timelock"
		}
		profiles[i] = NewProfile(o, "", kind)
		frequencies.Add(profiles[i])
	}
	vectors := make([]*Vector, len(profiles))
	for i, p := range profiles {
		vectors[i] = frequencies.Weigh(p)
	}
	return vectors
}

var (
	harvest = lore.Observation{Summary: "`harvestYield` pays the first caller all rewards", Content: "## Detail\n`harvestYield` reads `pendingYield` before `accrueIndex` ran, " +
		"so whoever calls first takes what belongs to all.\nhttps://example.org/blob/main/YieldVault.sol#L40-L58\n```solidity\nuint256 owed = pendingYield[msg.sender];\naccrueIndex();\n```"}
	harvestToo = lore.Observation{Summary: "First caller of harvestYield steals the rewards of others", Content: "In YieldVault.sol#L44 the function harvestYield() takes pendingYield " +
		"and only then calls accrueIndex(). Everybody else gets nothing.\n```solidity\n  uint256 owed = pendingYield[msg.sender]; // too early\n```"}
	timelock = lore.Observation{Summary: "Timelock delay can be set to zero", Content: "`setDelay` in Governor.sol#L12 has no lower bound, so an admin queues and executes at once."}
)

func TestSimilarityTellsOneThingFromAnother(t *testing.T) {
	similarity, err := LearnedSimilarity()
	if err != nil {
		t.Fatal(err)
	}
	v := weighed(harvest, harvestToo, timelock)
	same, other := similarity.Probability(v[0], v[1]), similarity.Probability(v[0], v[2])
	if same < 0.6 || other > LinkFloor/2 {
		t.Errorf("two reports of one thing: %.2f, of two things: %.2f", same, other)
	}
	if back := similarity.Probability(v[1], v[0]); back != same {
		t.Errorf("%.4f one way, %.4f the other", same, back)
	}
}

func TestFeaturesSeeWhatReportsShare(t *testing.T) {
	v := weighed(harvest, harvestToo, timelock)
	alike, unlike := Features(v[0], v[1]), Features(v[0], v[2])
	for i, name := range FeatureNames() {
		switch name {
		case "numbers_cosine", "length_ratio":
			continue // nothing to share here, or unlike by chance
		}
		if alike[i] <= unlike[i] {
			t.Errorf("%s: %.3f for the same thing, %.3f for another", name, alike[i], unlike[i])
		}
		if alike[i] < 0 || alike[i] > 1.2 {
			t.Errorf("%s is %.3f", name, alike[i])
		}
	}
}

// What the scrubber left, addresses and hashes would otherwise be the rarest, and so the weightiest, words of all.
func TestMachineValuesCarryNoWeight(t *testing.T) {
	plain := NewProfile(lore.Observation{Summary: "Vault is drained", Content: "by and"}, "", "")
	valued := NewProfile(lore.Observation{Summary: "Vault is drained [SCRUBBED]", Content: "by 0x" + strings.Repeat("aB", 20) + " [SCRUBBED] and " + strings.Repeat("fe3", 20)}, "", "")
	if got, want := fmt.Sprint(valued.terms), fmt.Sprint(plain.terms); got != want {
		t.Errorf("terms %s, want %s", got, want)
	}
}

func TestPlacesInCode(t *testing.T) {
	tests := []struct {
		a, b         string
		shared, near bool
	}{
		{"Vault.sol#L10-L20", "https://example.org/x/vault.sol#L18", true, true},
		{"Vault.sol#L10-L20", "Vault.sol:22", false, true},
		{"Vault.sol#L10-L20", "Vault.sol#L900", false, false},
		{"Vault.sol#L10-L20", "Pool.sol#L10-L20", false, false},
		{"Vault.sol", "Vault.sol", false, false},
	}
	for _, test := range tests {
		a, b := NewProfile(lore.Observation{Content: test.a}, "", ""), NewProfile(lore.Observation{Content: test.b}, "", "")
		shared, near := comparePlaces(a.places, b.places)
		if shared > 0 != test.shared || near > 0.5 != test.near {
			t.Errorf("%s and %s: shared %.2f, near %.2f", test.a, test.b, shared, near)
		}
	}
}

func TestWeightsOfAnotherVersionAreRefused(t *testing.T) {
	for _, weights := range []string{`{"trees":[{"if":"no_such_feature","below":1,"then":{},"else":{}}]}`, `{"trees":[{"if":"all_cosine","below":1,"then":{}}]}`, `{`} {
		if _, err := ParseSimilarity([]byte(weights)); err == nil {
			t.Errorf("%s was accepted", weights)
		}
	}
}
