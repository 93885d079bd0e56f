package lore

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed chains.txt
var chainsFile string

// chain is an ecosystem of the vocabulary.
type chain struct {
	name string
	ids  []string // its CAIP-2 ids
}

// chainsByName finds a chain by what it is called and by its ids, in the form of chainKey.
var chainsByName = func() map[string]*chain {
	chains := map[string]*chain{}
	for line := range strings.Lines(chainsFile) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" {
			continue
		}
		known := &chain{name: fields[0]}
		if fields[1] != "-" {
			known.ids = strings.Split(fields[1], ",")
		}
		names := strings.Split(strings.Join(fields[2:], " "), ",")
		for _, name := range slices.Concat([]string{known.name}, known.ids, names) {
			chains[chainKey(name)] = known
		}
	}
	delete(chains, "")
	return chains
}()

var nameSeparators = strings.NewReplacer(" ", "", "-", "", "_", "")

// chainKey writes a name as the vocabulary compares names: without letter case, spaces, hyphens and underscores.
func chainKey(name string) string { return nameSeparators.Replace(strings.ToLower(name)) }

// chainOf returns the chain that a name, a CAIP-2 id or an EVM chain's number stands for, nil for what isn't in the vocabulary.
func chainOf(name string) *chain {
	key := chainKey(name)
	if known := chainsByName[key]; known != nil {
		return known
	}
	if key != "" && strings.Trim(key, "0123456789") == "" {
		return chainsByName["eip155:"+key]
	}
	for _, ending := range []string{"mainnet", "network", "chain"} {
		if rest, ends := strings.CutSuffix(key, ending); ends {
			return chainOf(rest)
		}
	}
	return nil
}

// NormaliseEcosystem returns the one name under which an ecosystem is stored and asked for: BNB Chain, Binance Smart Chain and eip155:56
// are bsc. A name that chains.txt doesn't have is normalised as a word.
func NormaliseEcosystem(name string) string {
	if known := chainOf(name); known != nil {
		return known.name
	}
	return NormaliseWord(name)
}

// What is no chain but said of many.
const (
	EVM        = "evm"         // all chains with an EVM
	CrossChain = "cross-chain" // what is between chains
)

// HasEVM reports whether an ecosystem has an EVM, as far as chains.txt says: EVM itself, and chains with an id of eip155.
func HasEVM(ecosystem string) bool { return ecosystem == EVM || InNamespace(ecosystem, "eip155") }

// InNamespace reports whether an ecosystem has an id of a CAIP-2 namespace: osmosis is of cosmos, kusama of polkadot.
func InNamespace(ecosystem, namespace string) bool {
	known := chainOf(ecosystem)
	return known != nil && slices.ContainsFunc(known.ids, func(id string) bool { return strings.HasPrefix(id, namespace+":") })
}

// ecosystemWord is a word of an ecosystem's name, in one script: letters, digits and what joins them, or a CAIP-2 id.
var ecosystemWord = regexp.MustCompile(`^(?:[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}|\(?[\p{L}\p{N}][\p{L}\p{M}\p{N}._+/'-]*\)?|[&+/-]),?$`)

// maxEcosystemWords is how many words a name has: public catalogs write up to seven.
const maxEcosystemWords = 7

// isEcosystem reports whether a text can be an ecosystem's name. What the scrubber took out of it doesn't count.
func isEcosystem(name string) bool {
	words := strings.Fields(strings.ReplaceAll(name, ScrubMarker, "x"))
	return len(words) <= maxEcosystemWords && !slices.ContainsFunc(words, func(word string) bool {
		return !ecosystemWord.MatchString(word) || !oneScript(scriptsOf(word))
	})
}

// checkEcosystem refuses what is no name: a sentence is shown to readers and agents where they expect a chain.
func checkEcosystem(pointer, name string) []FieldError {
	if isEcosystem(name) {
		return nil
	}
	return []FieldError{{
		Pointer: pointer, Code: "not_a_name",
		Detail: fmt.Sprintf("must be the name of a chain or network: a slug, a CAIP-2 id or at most %d words", maxEcosystemWords),
	}}
}

// checkEcosystems applies checkEcosystem and the length limit to each item.
func checkEcosystems(pointer string, names []string) []FieldError {
	faults := checkItems(pointer, names, MaxEcosystemLength)
	for i, name := range names {
		faults = append(faults, checkEcosystem(fmt.Sprintf("%s/%d", pointer, i), name)...)
	}
	return faults
}

// chainIDs returns the CAIP-2 ids of the chain with a name.
func chainIDs(name string) []string {
	if known := chainOf(name); known != nil {
		return known.ids
	}
	return nil
}
