// Command kibana writes kibana/agentlore.ndjson: data views, saved searches, Lens panels and dashboards, in the shape in
// which Kibana 8.19 exports them. What they show is decided in content.go; run it from the repository's root:
//
//	go run ./scripts/kibana
package main

import (
	"fmt"
	"os"
)

// output is where the objects go, from the repository's root.
const output = "kibana/agentlore.ndjson"

func main() {
	text, err := render()
	if err == nil {
		err = os.WriteFile(output, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kibana:", err)
		os.Exit(1)
	}
}
