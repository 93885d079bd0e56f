package curator

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clique links every two of the given reports.
func clique(probability float64, ids ...string) []Link {
	var links []Link
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			links = append(links, Link{a, b, probability})
		}
	}
	return links
}

func TestGroups(t *testing.T) {
	two := append(clique(0.9, "a", "b", "c"), clique(0.9, "d", "e", "f")...)
	tests := []struct {
		name        string
		reports     []string
		links       []Link
		same, apart []Pair
		want        [][]string
	}{
		{"nothing is linked", []string{"b", "a"}, nil, nil, nil, [][]string{{"a"}, {"b"}}},
		{"what is alike is together", []string{"f", "e", "d", "c", "b", "a"}, two, nil, nil, [][]string{{"a", "b", "c"}, {"d", "e", "f"}}},
		{"one strong link doesn't merge two patterns", []string{"a", "b", "c", "d", "e", "f"}, append(two, Link{"c", "d", 0.95}), nil, nil,
			[][]string{{"a", "b", "c"}, {"d", "e", "f"}}},
		{"weak links are no links", []string{"a", "b"}, []Link{{"a", "b", 0.19}}, nil, nil, [][]string{{"a"}, {"b"}}},
		{"equal fingerprints join at once", []string{"a", "b", "c"}, nil, []Pair{{"c", "a"}}, nil, [][]string{{"a", "c"}, {"b"}}},
		{"a split sticks", []string{"a", "b", "c", "d", "e", "f"}, two, nil, []Pair{{"b", "a"}, {"b", "c"}}, [][]string{{"a", "c"}, {"b"}, {"d", "e", "f"}}},
		{"a split holds for the whole group", []string{"a", "b", "c"}, clique(0.9, "a", "b", "c"), nil, []Pair{{"b", "c"}}, [][]string{{"a", "b"}, {"c"}}},
		{"a chain is no pattern", []string{"a", "b", "c", "d", "e"}, []Link{{"a", "b", 0.6}, {"b", "c", 0.6}, {"c", "d", 0.6}, {"d", "e", 0.6}}, nil, nil,
			[][]string{{"a", "b"}, {"c"}, {"d", "e"}}},
		{"a split wins over a fingerprint", []string{"a", "b"}, clique(0.9, "a", "b"), []Pair{{"a", "b"}}, []Pair{{"a", "b"}}, [][]string{{"a"}, {"b"}}},
		{"links to reports that aren't there", []string{"a"}, clique(0.9, "a", "x"), []Pair{{"a", "x"}}, []Pair{{"a", "x"}}, [][]string{{"a"}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, Groups(test.reports, test.links, test.same, test.apart)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// randomLinks are of 60 reports in 12 loose patterns.
func randomLinks(random *rand.Rand) (reports []string, links []Link) {
	for i := range 60 {
		reports = append(reports, string(rune('A'+i/12))+string(rune('a'+i%12)))
		for j := range i {
			chance := 0.02
			if i%12 == j%12 {
				chance = 0.8
			}
			if random.Float64() < chance {
				links = append(links, Link{reports[i], reports[j], random.Float64()})
			}
		}
	}
	return reports, links
}

// A second run, another order of arrival and a run over one part must give what was there.
func TestGroupsDependOnNothingButTheSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 30 {
		reports, links := randomLinks(random)
		want := Groups(reports, links, nil, nil)
		random.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
		random.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		for i := range links {
			if random.IntN(2) == 0 {
				links[i].A, links[i].B = links[i].B, links[i].A
			}
		}
		if diff := cmp.Diff(want, Groups(reports, links, nil, nil)); diff != "" {
			t.Fatalf("round %d: another order gives other groups (-want +got):\n%s", round, diff)
		}
		renamed := map[string]string{}
		for i, k := range random.Perm(len(reports)) {
			renamed[reports[i]] = reports[k]
		}
		other := map[string]string{} // the group of each report under its other name
		for i := range links {
			links[i].A, links[i].B = renamed[links[i].A], renamed[links[i].B]
		}
		for _, group := range Groups(reports, links, nil, nil) {
			for _, id := range group {
				other[id] = group[0]
			}
		}
		for _, group := range want {
			for _, id := range group {
				if other[renamed[id]] != other[renamed[group[0]]] {
					t.Fatalf("round %d: under other names %s is no more with %s", round, id, group[0])
				}
			}
		}
		for i := range links {
			for old, name := range renamed {
				if name == links[i].A {
					links[i].A = old
					break
				}
			}
			for old, name := range renamed {
				if name == links[i].B {
					links[i].B = old
					break
				}
			}
		}
		checkIncremental(t, random, round, reports, links)
	}
}

// checkIncremental adds some of the reports' links at a time and groups what the changed ones reach: each time that must be
// what grouping everything gives.
func checkIncremental(t *testing.T, random *rand.Rand, round int, reports []string, links []Link) {
	t.Helper()
	group := map[string][]string{} // of each report
	for _, id := range reports {
		group[id] = []string{id}
	}
	for end := 0; end < len(links); {
		begin := end
		end = min(len(links), end+1+random.IntN(60))
		var seeds []string
		for _, link := range links[begin:end] {
			seeds = append(append(seeds, group[link.A]...), group[link.B]...)
		}
		some, err := NewGrouper(newLinkList(reports, links[:end], nil, nil), NewLinkGraph(0)).Groups(seeds)
		if err != nil {
			t.Fatal(err)
		}
		for _, members := range some {
			for _, id := range members {
				group[id] = members
			}
		}
		for _, want := range Groups(reports, links[:end], nil, nil) {
			for _, id := range want {
				if diff := cmp.Diff(want, group[id]); diff != "" {
					t.Fatalf("round %d, %d links: step by step %s is in another group (-want +got):\n%s", round, end, id, diff)
				}
			}
		}
	}
}

func TestUncomparedAsksForNeighboursOfNeighbours(t *testing.T) {
	links := []Link{{"b", "a", 0.9}, {"b", "c", 0.5}, {"c", "d", 0.1}, {"b", "e", 0.3}, {"a", "e", 0.05}}
	want := []Pair{{"a", "c"}, {"c", "e"}}
	if diff := cmp.Diff(want, Uncompared(links)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
