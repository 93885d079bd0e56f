package curator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agentlore/lore"
)

// A packed profile must be the one that was packed, or stored links would not be what a second run finds.
func TestPackedProfilesAreTheSame(t *testing.T) {
	long := lore.Observation{Summary: strings.Repeat("again ", 40), Content: strings.Repeat("`setFee` in Pool.sol#L10-L300 takes 1000 and 0.25 again\n", 90)}
	for _, o := range []lore.Observation{{}, harvest, harvestToo, timelock, long, {Content: "```\nuint256 owed = balances[who];\n```"}} {
		want := NewProfile(o)
		got, err := UnpackProfile(want.Pack())
		if err != nil {
			t.Fatalf("%s: %v", o.Summary, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Profile{}, term{}, codeLines{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-packed +unpacked):\n%s", o.Summary, diff)
		}
	}
}

func TestDamagedProfilesAreRefused(t *testing.T) {
	packed := NewProfile(harvest).Pack()
	for cut := range packed {
		if _, err := UnpackProfile(packed[:cut]); err == nil {
			t.Fatalf("the first %d of %d bytes were taken", cut, len(packed))
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 { // whatever comes back, it doesn't panic and stays small
		damaged := append([]byte{}, packed...)
		damaged[random.IntN(len(damaged))] = byte(random.UintN(256))
		_, _ = UnpackProfile(damaged)
	}
}

func TestFrequenciesAreStored(t *testing.T) {
	var f Frequencies
	for _, o := range []lore.Observation{harvest, harvestToo, timelock} {
		f.Add(NewProfile(o))
	}
	encoded, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded) > 4096 {
		t.Errorf("three reports take %d bytes", len(encoded))
	}
	again, err := DecodeFrequencies(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if again.reports != f.reports || !slices.Equal(again.rows[0], f.rows[0]) || !slices.Equal(again.rows[1], f.rows[1]) {
		t.Error("frequencies came back changed")
	}
	for _, damaged := range [][]byte{nil, {9}, encoded[:len(encoded)/2]} {
		if _, err := DecodeFrequencies(damaged); err == nil {
			t.Errorf("%d bytes were taken for frequencies", len(damaged))
		}
	}
}

func TestQueryWordsAreTheTellingOnes(t *testing.T) {
	var f Frequencies
	for range 50 {
		f.Add(NewProfile(lore.Observation{Summary: "The contract loses funds", Content: "An attacker calls the function and users lose funds."}))
	}
	f.Add(NewProfile(harvest))
	words := strings.Fields(QueryWords(harvest, &f))
	for _, want := range []string{"harvestYield", "harvest", "accrueIndex", "pending"} {
		if !slices.Contains(words, want) {
			t.Errorf("words %v don't have %s", words, want)
		}
	}
	for _, common := range []string{"funds", "the", "https"} {
		if slices.Contains(words, common) {
			t.Errorf("words %v have %s", words, common)
		}
	}
	if got := QueryWords(lore.Observation{Summary: "0x" + strings.Repeat("ab", 20)}, &f); got != "" {
		t.Errorf("a report without words asks for %q", got)
	}
}
