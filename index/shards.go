package index

import (
	"fmt"
	"strconv"
	"strings"

	"agentlore/mappings"
)

// maxShards is how many primary shards an index has at most: Elasticsearch's own bound (index.max_number_of_shards).
const maxShards = 1024

// Shards is how many primary shards indices have, by the collection's name as in "submissions". The name "" stands for all public
// collections that aren't named.
type Shards map[string]int

// ReadShards reads a number for all public collections, numbers by collection, or both: "3", "submissions=6,links=4", "1,submissions=6".
// It returns nil for "".
func ReadShards(text string) (Shards, error) {
	if text == "" {
		return nil, nil
	}
	definitions, err := mappings.All()
	if err != nil {
		return nil, err
	}
	read := Shards{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			name, number = "", name
		}
		definition, known := definitions[name]
		shards, err := strconv.Atoi(number)
		switch {
		case named && !known:
			return nil, fmt.Errorf("there is no collection %q", name)
		case err != nil || shards < 1 || shards > maxShards:
			return nil, fmt.Errorf("a number of shards is 1 to %d", maxShards)
		case definition.Lookup && shards != 1:
			return nil, fmt.Errorf("%s has one shard: ES|QL joins it", name)
		case name == AccountsIndex && shards != 1:
			return nil, fmt.Errorf("%s has one shard: accounts are read in the order in which they changed", name)
		}
		read[name] = shards
	}
	return read, nil
}

// Of returns how many primary shards an index shall have, 0 if that isn't said.
func (s Shards) Of(definition mappings.Definition) int {
	if shards, named := s[definition.Name]; named {
		return shards
	}
	if definition.Internal || definition.Lookup {
		return 0
	}
	return s[""]
}
