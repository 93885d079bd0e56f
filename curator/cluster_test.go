package curator

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testLink is a link of two reports, by name.
type testLink struct {
	a, b        string
	probability float64
}

// clique links every two of the given reports.
func clique(probability float64, ids ...string) []testLink {
	var links []testLink
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			links = append(links, testLink{a, b, probability})
		}
	}
	return links
}

// graphOf returns a graph of reports and links, which come in their order.
func graphOf(reports []string, links []testLink) *LinkGraph {
	g := NewLinkGraph()
	for _, id := range reports {
		g.Add(id, "", nil)
	}
	for _, l := range links {
		g.Link(g.Number(l.a), g.Number(l.b), l.probability, false)
	}
	return g
}

// groupsOf returns the groups of all reports.
func groupsOf(reports []string, links []testLink, same, apart []Pair) [][]string {
	return NewGrouper(graphOf(reports, links), same, apart).Groups(reports)
}

func TestGroups(t *testing.T) {
	two := append(clique(0.9, "a", "b", "c"), clique(0.9, "d", "e", "f")...)
	tests := []struct {
		name        string
		reports     []string
		links       []testLink
		same, apart []Pair
		want        [][]string
	}{
		{"nothing is linked", []string{"b", "a"}, nil, nil, nil, [][]string{{"a"}, {"b"}}},
		{"what is alike is together", []string{"f", "e", "d", "c", "b", "a"}, two, nil, nil, [][]string{{"a", "b", "c"}, {"d", "e", "f"}}},
		{"one strong link doesn't merge two patterns", []string{"a", "b", "c", "d", "e", "f"}, append(two, testLink{"c", "d", 0.95}), nil, nil,
			[][]string{{"a", "b", "c"}, {"d", "e", "f"}}},
		{"weak links are no links", []string{"a", "b"}, []testLink{{"a", "b", 0.19}}, nil, nil, [][]string{{"a"}, {"b"}}},
		{"equal fingerprints join at once", []string{"a", "b", "c"}, nil, []Pair{{"c", "a"}}, nil, [][]string{{"a", "c"}, {"b"}}},
		{"a split sticks", []string{"a", "b", "c", "d", "e", "f"}, two, nil, []Pair{{"b", "a"}, {"b", "c"}}, [][]string{{"a", "c"}, {"b"}, {"d", "e", "f"}}},
		{"a split holds for the whole group", []string{"a", "b", "c"}, clique(0.9, "a", "b", "c"), nil, []Pair{{"b", "c"}}, [][]string{{"a", "b"}, {"c"}}},
		{"a chain is no pattern", []string{"a", "b", "c", "d", "e"}, []testLink{{"a", "b", 0.6}, {"b", "c", 0.6}, {"c", "d", 0.6}, {"d", "e", 0.6}}, nil, nil,
			[][]string{{"a", "b"}, {"c"}, {"d", "e"}}},
		{"a split wins over a fingerprint", []string{"a", "b"}, clique(0.9, "a", "b"), []Pair{{"a", "b"}}, []Pair{{"a", "b"}}, [][]string{{"a"}, {"b"}}},
		{"decisions on reports that aren't there", []string{"a"}, nil, []Pair{{"a", "x"}}, []Pair{{"a", "x"}}, [][]string{{"a"}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, groupsOf(test.reports, test.links, test.same, test.apart)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// randomLinks are of 60 reports in 12 loose patterns.
func randomLinks(random *rand.Rand) (reports []string, links []testLink) {
	for i := range 60 {
		reports = append(reports, string(rune('A'+i/12))+string(rune('a'+i%12)))
		for j := range i {
			chance := 0.02
			if i%12 == j%12 {
				chance = 0.8
			}
			if random.Float64() < chance {
				links = append(links, testLink{reports[i], reports[j], random.Float64()})
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
		want := groupsOf(reports, links, nil, nil)
		random.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
		random.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		for i := range links {
			if random.IntN(2) == 0 {
				links[i].a, links[i].b = links[i].b, links[i].a
			}
		}
		if diff := cmp.Diff(want, groupsOf(reports, links, nil, nil)); diff != "" {
			t.Fatalf("round %d: another order gives other groups (-want +got):\n%s", round, diff)
		}
		renamed := map[string]string{}
		for i, k := range random.Perm(len(reports)) {
			renamed[reports[i]] = reports[k]
		}
		other := map[string]string{} // the group of each report under its other name
		for i := range links {
			links[i].a, links[i].b = renamed[links[i].a], renamed[links[i].b]
		}
		for _, group := range groupsOf(reports, links, nil, nil) {
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
				if name == links[i].a {
					links[i].a = old
					break
				}
			}
			for old, name := range renamed {
				if name == links[i].b {
					links[i].b = old
					break
				}
			}
		}
		checkIncremental(t, random, round, reports, links)
	}
}

// checkIncremental adds some of the reports' links at a time and groups what the changed ones reach: each time that must be
// what grouping everything gives.
func checkIncremental(t *testing.T, random *rand.Rand, round int, reports []string, links []testLink) {
	t.Helper()
	group := map[string][]string{} // of each report
	for _, id := range reports {
		group[id] = []string{id}
	}
	for end := 0; end < len(links); {
		begin := end
		end = min(len(links), end+1+random.IntN(60))
		var seeds []string
		for _, l := range links[begin:end] {
			seeds = append(append(seeds, group[l.a]...), group[l.b]...)
		}
		for _, members := range NewGrouper(graphOf(reports, links[:end]), nil, nil).Groups(seeds) {
			for _, id := range members {
				group[id] = members
			}
		}
		for _, want := range groupsOf(reports, links[:end], nil, nil) {
			for _, id := range want {
				if diff := cmp.Diff(want, group[id]); diff != "" {
					t.Fatalf("round %d, %d links: step by step %s is in another group (-want +got):\n%s", round, end, id, diff)
				}
			}
		}
	}
}

func TestUncomparedAsksForNeighboursOfNeighbours(t *testing.T) {
	t.Parallel()
	reports := []string{"a", "b", "c", "d", "e"}
	links := []testLink{{"b", "a", 0.9}, {"b", "c", 0.5}, {"c", "d", 0.25}, {"b", "e", 0.3}}
	g := graphOf(reports, links)
	g.Link(0, 4, 0.2, true)
	var got []Pair
	for i := range reports {
		for _, pair := range g.Uncompared(int32(i)) {
			got = append(got, Pair{g.ID(pair[0]), g.ID(pair[1])})
		}
	}
	if diff := cmp.Diff([]Pair{{"a", "c"}, {"c", "e"}}, got); diff != "" { // a and e were compared, d is too far from c
		t.Errorf("(-want +got):\n%s", diff)
	}
	g.Begin(2)
	if again := g.Uncompared(1); again != nil {
		t.Errorf("a pass without new reports asks for %v", again)
	}
}
