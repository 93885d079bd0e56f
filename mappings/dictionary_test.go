package mappings_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
	"agentlore/mappings"
)

var update = flag.Bool("update", false, "write docs/fields.md from the mappings")

const dictionaryFile = "../docs/fields.md"

const dictionaryHead = `# Fields

What analysts find in each index: made of the mappings by ` + "`go test ./mappings -run Dictionary -update`" + `. ` + "`keyword`, `boolean`" + ` and numbers are
exact, ` + "`text`" + ` is searched by words, times are UTC. A field that has no value is absent. Texts without an index of their own (` + "`content`" + ` and
the like) are found by ` + "`text`" + `.
`

// The dictionary says what the mappings say.
func TestDictionary(t *testing.T) {
	var page strings.Builder
	page.WriteString(dictionaryHead)
	names := []string{}
	for _, collection := range lore.Collections() {
		names = append(names, string(collection))
	}
	for _, name := range append(names, "events", "searchlog") {
		fmt.Fprintf(&page, "\n## agentlore-%s\n\n| field | type | |\n|---|---|---|\n", name)
		fields := mappings.Fields(properties(t, all(t)[name]))
		meta, _ := all(t)[name].Mappings["_meta"].(map[string]any)
		described, _ := meta["fields"].(map[string]string)
		for _, path := range slices.Sorted(maps.Keys(fields)) {
			if !slices.Contains(machinery, path) && path != "@timestamp" {
				fmt.Fprintf(&page, "| `%s` | %v | %s |\n", path, fields[path]["type"], strings.ReplaceAll(described[path], "|", "\\|"))
			}
		}
	}
	if *update {
		if err := os.WriteFile(dictionaryFile, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(dictionaryFile); err != nil || string(written) != page.String() {
		t.Errorf("docs/fields.md isn't what the mappings say (%v): go test ./mappings -run Dictionary -update writes it", err)
	}
}
