package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"agentlore/reference"
)

// library is the reference library by the files of its entries, with what was seen of its names.
type library struct {
	folder  string
	domains map[string][]reference.Entry
	proofs  map[[2]string]string // by entry and name
}

func readLibrary(folder string) (*library, error) {
	l := &library{folder: folder, domains: map[string][]reference.Entry{}, proofs: map[[2]string]string{}}
	names, err := filepath.Glob(folder + "/entries/*/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var entries []reference.Entry
		if err := yaml.Unmarshal(text, &entries); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		l.domains[strings.TrimSuffix(filepath.Base(name), ".yaml")] = entries
	}
	text, err := os.ReadFile(filepath.Join(folder, "seen.tsv"))
	if err != nil {
		return nil, err
	}
	seen, err := reference.ParseSeen(string(text))
	if err != nil {
		return nil, err
	}
	for _, line := range seen {
		l.proofs[[2]string{line.Entry, line.Name}] = line.Proof
	}
	return l, nil
}

// seen proves the names of domains, writes what was found and lists what was not.
func (l *library) seen(checkouts string, only []string) error {
	var missing []string
	for _, domain := range slices.Sorted(maps.Keys(l.domains)) {
		if len(only) > 0 && !slices.Contains(only, domain) {
			continue
		}
		claims, err := l.proveDomain(checkouts, domain)
		if err != nil {
			return err
		}
		proven := 0
		for _, c := range claims {
			if c.rank > unproven {
				l.proofs[[2]string{c.entry, c.name}] = c.proof
				proven++
			} else {
				missing = append(missing, fmt.Sprintf("%s\t%s\t%s\tdefined: %s", domain, c.entry, c.name, strings.Join(slices.Sorted(maps.Keys(c.defined)), " ")))
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %d of %d found\n", domain, proven, len(claims))
	}
	for _, line := range missing {
		fmt.Println(line)
	}
	return l.write()
}

// proveDomain looks for the names of a file of entries that have no proof yet: in the source that the entry cites, then in the others that
// entries of the file cite.
func (l *library) proveDomain(checkouts, domain string) ([]*claim, error) {
	entries := l.domains[domain]
	sources, err := reference.Sources()
	if err != nil {
		return nil, err
	}
	var claims []*claim
	cites, paths := map[string][]string{}, map[string]map[string]bool{}
	for _, e := range entries {
		for _, citation := range e.Source {
			if citation.In != "" {
				cites[citation.In] = append(cites[citation.In], e.ID)
				if paths[citation.In] == nil {
					paths[citation.In] = map[string]bool{}
				}
				paths[citation.In][citation.Path] = true
			}
		}
		for _, name := range slices.Concat(e.Names, e.Shared) {
			key := [2]string{e.ID, name}
			if by := computedBy(e, name); by != "" {
				l.proofs[key] = "computed " + by
			}
			if l.proofs[key] != "" {
				continue
			}
			c := newClaim(e.ID, name)
			for _, other := range e.Names {
				if enum, _, has := strings.Cut(other, "::"); has && enum == "TokenError" {
					c.enum = enum
				}
			}
			claims = append(claims, c)
		}
	}
	for key, source := range sources {
		if _, cited := cites[key]; !cited && slices.Contains(source.For, domain) {
			cites[key] = nil
		}
	}
	for _, first := range []bool{true, false} {
		for _, key := range slices.Sorted(maps.Keys(cites)) {
			var open []*claim
			for _, c := range claims {
				if c.rank == unproven && slices.Contains(cites[key], c.entry) == first {
					open = append(open, c)
				}
			}
			if len(open) == 0 {
				continue
			}
			files, err := readCheckout(filepath.Join(checkouts, key))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			prove(files, open, paths[key])
			for _, c := range open {
				if c.rank > unproven {
					c.proof = key + ":" + c.proof
				}
			}
		}
	}
	l.derive(claims)
	return claims, nil
}

var (
	selector = regexp.MustCompile(`^0x[0-9a-f]{8}$`)
	custom   = regexp.MustCompile(`^"Custom":\d+$`)
)

// computedBy returns the test that computes a name from another one of its entry, or "".
func computedBy(e reference.Entry, name string) string {
	all := slices.Concat(e.Names, e.Shared)
	switch {
	case selector.MatchString(name) && slices.ContainsFunc(all, signature.MatchString):
		return "TestSelectorsAreTheHashOfTheirSignatures"
	case custom.MatchString(name) && slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, "custom program error: 0x") }):
		return "TestSolanaNumbersAgree"
	}
	return ""
}

// write writes what was seen, in the order of entries and names, without what no entry has.
func (l *library) write() error {
	var text strings.Builder
	for _, domain := range slices.Sorted(maps.Keys(l.domains)) {
		for _, e := range l.domains[domain] {
			for _, name := range slices.Concat(e.Names, e.Shared) {
				if proof := l.proofs[[2]string{e.ID, name}]; proof != "" {
					fmt.Fprintf(&text, "%s\t%s\t%s\n", e.ID, name, proof)
				}
			}
		}
	}
	return os.WriteFile(filepath.Join(l.folder, "seen.tsv"), []byte(text.String()), 0o644)
}
