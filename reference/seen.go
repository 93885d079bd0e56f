package reference

import (
	"fmt"
	"strings"
)

// SeenName is what proves a name of an entry.
type SeenName struct {
	Entry, Name string
	// Proof is where a program prints it, as key:path:line of a source; or "ran", the key of a source and a command that prints it where
	// that is installed; or "computed" and the test that computes it; or "observed" and the address of a public thread that has the text.
	Proof string
}

// ParseSeen reads seen.tsv, which scripts/library writes: an entry, a name and a proof a line, with tabs between.
func ParseSeen(text string) (seen []SeenName, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("reference: seen.tsv: %q isn't an entry, a name and a proof", line)
		}
		seen = append(seen, SeenName{fields[0], fields[1], fields[2]})
	}
	return seen, nil
}
