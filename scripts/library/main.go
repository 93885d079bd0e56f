// Command library proves the names of the reference library: it looks through checkouts of the sources that entries cite and writes
// where each name is printed to reference/seen.tsv.
//
//	go run ./scripts/library seen  --checkouts DIR [--domain NAME]...   write reference/seen.tsv, list what was not found
//	go run ./scripts/library drift --checkouts DIR                      list what newer checkouts no longer print, or elsewhere
//
// DIR holds a folder for each key of reference/sources.yaml. A name is proven where a program prints it: its literal parts stand there in
// their order, and a constant, an enum's variant or a table's row is followed to a use. Lines of other proofs (computed, observed, read by
// hand) stay.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "library:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("say seen or drift")
	}
	flags := flag.NewFlagSet(arguments[0], flag.ContinueOnError)
	checkouts := flags.String("checkouts", "", "folder with a folder for each source")
	domains := flags.String("domain", "", "only these files of entries, comma-separated")
	if err := flags.Parse(arguments[1:]); err != nil {
		return err
	}
	l, err := readLibrary("reference")
	if err != nil {
		return err
	}
	switch arguments[0] {
	case "seen":
		var only []string
		if *domains != "" {
			only = strings.Split(*domains, ",")
		}
		return l.seen(*checkouts, only)
	case "drift":
		return l.drift(*checkouts)
	}
	return fmt.Errorf("%q is neither seen nor drift", arguments[0])
}

func itoa(n int) string { return strconv.Itoa(n) }
