// Command patterns learns when two reports are of one thing from labelled audit contests, and judges patterns on contests
// that the weights have not seen. Run it from the repository's root; labelled reports are looked for where AGENTLORE_DATA
// says, or in ../shared/data.
//
//	go run ./scripts/patterns train      writes curator/similarity_weights.json, learned from all contests
//	go run ./scripts/patterns evaluate   prints precision and recall, one contest left out at a time
//	go run ./scripts/patterns service [PARTS [ORDER]]
//	                                     judges what import and curate --once make of all, in so many parts and in an order
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

const weightsFile = "curator/similarity_weights.json"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "patterns:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	known := len(args) == 1 && (args[0] == "train" || args[0] == "evaluate") || len(args) > 0 && len(args) <= 3 && args[0] == "service"
	if !known {
		return fmt.Errorf("usage: patterns train|evaluate|service [PARTS [ORDER]]")
	}
	folder := filepath.Join(cmp.Or(os.Getenv("AGENTLORE_DATA"), "../shared/data"), "patterns")
	reports, err := load(folder)
	if err != nil {
		return err
	}
	if args[0] == "service" {
		numbers := [2]uint64{1, 0}
		for i, arg := range args[1:] {
			if numbers[i], err = strconv.ParseUint(arg, 10, 16); err != nil || numbers[0] == 0 {
				return fmt.Errorf("PARTS must be 1 or more, ORDER 0 or more")
			}
		}
		return service(reports, folder, int(numbers[0]), numbers[1])
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
