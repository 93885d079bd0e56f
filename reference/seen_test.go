package reference_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentlore/reference"
)

var (
	placeProof = regexp.MustCompile(`^([a-z0-9-]+):(.+):([1-9][0-9]*)$`)
	ranProof   = regexp.MustCompile(`^ran ([a-z0-9-]+): (.+)$`)
	// computing are the tests that compute names from others.
	computing = []string{"TestSelectorsAreTheHashOfTheirSignatures", "TestSolanaNumbersAgree"}
)

// Each name is proven: a program prints it at a place of a pinned source, a test computes it, or a public thread shows it. What is written
// from memory alone is not what agents have in hand.
func TestNamesAreProven(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("seen.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen, err := reference.ParseSeen(string(text))
	if err != nil {
		t.Fatal(err)
	}
	sources, err := reference.Sources()
	if err != nil {
		t.Fatal(err)
	}
	proofs := map[[2]string]bool{}
	for _, line := range seen {
		proofs[[2]string{line.Entry, line.Name}] = true
		place := placeProof.FindStringSubmatch(line.Proof)
		test, computed := strings.CutPrefix(line.Proof, "computed ")
		address, observed := strings.CutPrefix(line.Proof, "observed ")
		ran := ranProof.FindStringSubmatch(line.Proof)
		switch {
		case computed && slices.Contains(computing, test), observed && strings.HasPrefix(address, "https://"):
		case ran != nil && sources[ran[1]].Day != "":
		case place == nil:
			t.Errorf("%s, %q: the proof %q is no place of a source, run, test or thread", line.Entry, line.Name, line.Proof)
		case sources[place[1]].Day == "":
			t.Errorf("%s, %q: no source has the key %q", line.Entry, line.Name, place[1])
		}
	}
	names := map[[2]string]bool{}
	for _, entry := range entries(t) {
		for _, name := range slices.Concat(entry.Names, entry.Shared) {
			key := [2]string{entry.ID, name}
			if names[key] = true; !proofs[key] {
				t.Errorf("%s: nothing in seen.tsv proves the name %q: run scripts/library, read where it is printed, or take it out", entry.ID, name)
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(proofs), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }) {
		if !names[key] {
			t.Errorf("seen.tsv proves %q of %s, which no entry has", key[1], key[0])
		}
	}
}
