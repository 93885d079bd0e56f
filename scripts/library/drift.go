package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// drift looks for the names that were seen in a source in newer checkouts, and lists those that moved and those that nothing prints there
// any more. A source without a folder is left out.
func (l *library) drift(checkouts string) error {
	bySource := map[string][]*claim{}
	at := map[*claim]string{}
	for key, proof := range l.proofs {
		source, place, found := strings.Cut(proof, ":")
		if !found || strings.HasPrefix(proof, "observed ") {
			continue
		}
		c := newClaim(key[0], key[1])
		bySource[source], at[c] = append(bySource[source], c), place
	}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		files, err := readCheckout(filepath.Join(checkouts, source))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		claims, paths := bySource[source], map[string]bool{}
		slices.SortFunc(claims, func(a, b *claim) int { return strings.Compare(a.entry+a.name, b.entry+b.name) })
		for _, c := range claims {
			path, _, _ := strings.Cut(at[c], ":")
			paths[path] = true
		}
		prove(files, claims, paths)
		vanished, moved := 0, 0
		for _, c := range claims {
			path, _, _ := strings.Cut(at[c], ":")
			switch now, _, _ := strings.Cut(c.proof, ":"); {
			case c.rank == unproven:
				vanished++
				fmt.Printf("vanished\t%s\t%s\t%s\t%s\n", source, c.entry, c.name, at[c])
			case now != path:
				moved++
				fmt.Printf("moved\t%s\t%s\t%s\t%s\t%s\n", source, c.entry, c.name, at[c], c.proof)
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %d names, %d vanished, %d moved\n", source, len(claims), vanished, moved)
	}
	return nil
}
