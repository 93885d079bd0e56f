// Command patterns learns when two reports are of one thing from labelled audit contests, and judges patterns on contests
// that the weights have not seen. Run it from the repository's root; labelled reports are looked for where AGENTLORE_DATA
// says, or in ../shared/data.
//
//	go run ./scripts/patterns train      writes curator/similarity_weights.json, learned from all contests
//	go run ./scripts/patterns evaluate   prints the table of docs/patterns-evaluation.md, one contest left out at a time
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

const weightsFile = "curator/similarity_weights.json"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "patterns:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 || args[0] != "train" && args[0] != "evaluate" {
		return fmt.Errorf("usage: patterns train|evaluate")
	}
	reports, err := load(filepath.Join(cmp.Or(os.Getenv("AGENTLORE_DATA"), "../shared/data"), "patterns"))
	if err != nil {
		return err
	}
	all := prepare(reports)
	if args[0] == "evaluate" {
		return all.evaluate()
	}
	weights, err := encode(learn(all.samples("")))
	if err != nil {
		return err
	}
	return os.WriteFile(weightsFile, weights, 0o644)
}
