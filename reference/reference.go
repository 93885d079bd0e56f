// Package reference is the library of known problems that the service ships: what a node, a wallet, a tool or a contract prints when
// something fails, why, and what to do, and the findings that audits report again and again. Each file of entries is a domain.
// `agentlore import --reference` makes knowledge of them. What the entries cite is pinned in sources.yaml.
package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"agentlore/lore"
)

//go:embed entries/*/*.yaml
var files embed.FS

// Entry is a known problem: one cause with one fix. Texts that other code prints are other entries.
type Entry struct {
	// ID is the domain and what it is, as in geth.nonce-too-low. It never changes: stored knowledge is found by it.
	ID string `yaml:"id"`
	// Names are what an agent has in hand: error names, codes, selectors, message texts. A part of a text that varies is {word}. Each means
	// the entry by itself, and no other entry has it.
	Names []string `yaml:"names"`
	// Shared are names that other programs print as well: "custom program error: 0x4", InsufficientBalance(), a bare -32000. They mean the
	// entry only in its context. Several entries may have one if their contexts have no word in common.
	Shared []string `yaml:"shared"`
	// Context is what must stand in the text, or be the question's ecosystem, for a shared name to mean this entry: program ids, packages,
	// tools, prefixes of log lines; eth_* stands for all words that begin so. One of them is enough.
	Context []string `yaml:"context"`
	// Asked are ways in which people, not programs, name it or ask for it. Search matches their words; a text that has one in full names
	// the entry as by a name.
	Asked []string `yaml:"asked"`
	// Wraps says that it only reports another error, or follows one: what else a text names tells more.
	Wraps bool `yaml:"wraps"`
	// Signs are what a title of a report of its kind says, in as few words as tell it, in any order, two others between them at most: "no
	// slippage". Of one word among stop words, as in "do while", all must stand side by side.
	Signs []string `yaml:"signs"`
	// Family is the id of the entry of whose kind this one is a variant; empty: it is a kind of its own.
	Family    string        `yaml:"family"`
	Ecosystem []string      `yaml:"ecosystem"`
	Category  lore.Category `yaml:"category"`
	Title     string        `yaml:"title"`
	Cause     string        `yaml:"cause"`
	// Fix is what to do, in order.
	Fix string `yaml:"fix"`
	// Applies says for what it holds; empty: for all of the ecosystem.
	Applies Applies `yaml:"applies"`
	// Source is the specification or the code that states the facts: the first is shown with an answer.
	Source []Citation `yaml:"source"`
	// Checked is the day on which they were looked up there, as 2026-11-24; CheckedAgain that on which another reader, who had only the
	// entry and its sources, looked them up once more; empty: nobody did yet.
	Checked      string `yaml:"checked"`
	CheckedAgain string `yaml:"checked_again"`
}

// Applies says for what an entry holds.
type Applies struct {
	// Software is the versions for which it holds by program or package: AnyVersion, or comparisons that all hold (">=1.10 <1.18"), with
	// || between alternatives. A version of fewer parts stands for all that begin with it: "<=0.8" includes 0.8.37.
	Software map[string]string `yaml:"software"`
	// Words say what versions don't: chains, settings, which of the names is of which version.
	Words string `yaml:"words"`
}

// AnyVersion is the range of all versions: the fact isn't known to have changed.
const AnyVersion = "any"

// String returns it in words: "geth >=1.10 <1.18, reth; chains with blobs".
func (a Applies) String() string {
	var programs []string
	for _, name := range slices.Sorted(maps.Keys(a.Software)) {
		programs = append(programs, strings.TrimSuffix(name+" "+a.Software[name], " "+AnyVersion))
	}
	return strings.Trim(strings.Join(programs, ", ")+"; "+a.Words, "; ")
}

// Entries returns the library, in the order of ids; callers share it and don't change it. It fails on a file that isn't well-formed: the
// tests see to that. Reading it takes half a second, once a process.
func Entries() ([]Entry, error) { return readEntries() }

var readEntries = sync.OnceValues(func() ([]Entry, error) {
	sources, err := Sources()
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "entries/*/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var entries []Entry
		if err := yaml.UnmarshalWithOptions(text, &entries, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("reference: %s: %w", name, err)
		}
		for _, entry := range entries {
			for i := range entry.Source {
				if err := entry.Source[i].resolve(sources); err != nil {
					return nil, fmt.Errorf("reference: %s: %w", entry.ID, err)
				}
			}
		}
		all = append(all, entries...)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
})

// KnowledgeUnit returns the entry as knowledge of the service: the operator who imports the library stands for it. Its
// confidence is not set.
func (e Entry) KnowledgeUnit(now time.Time) lore.KnowledgeUnit {
	domain, _, _ := strings.Cut(e.ID, ".")
	now = now.UTC().Truncate(time.Millisecond)
	source, further := "", []string(nil)
	for i, citation := range e.Source {
		if i == 0 {
			source = citation.URL()
		} else {
			further = append(further, citation.URL())
		}
	}
	return lore.KnowledgeUnit{
		ID: UnitID(e.ID), Summary: e.Title, Content: e.Cause, Resolution: e.Fix, Names: e.Names, Shared: e.Shared, Context: e.Context, Asked: e.Asked,
		Signs: e.Signs, Wraps: e.Wraps,
		Applies: e.Applies.String(), Category: e.Category, Ecosystem: e.Ecosystem, Tags: []string{domain}, Entities: lore.Entities(slices.Concat(e.Names, e.Shared, e.Asked)...),
		Tier: lore.TierValidated, Evidence: lore.Evidence{SubmissionIDs: []string{}}, Status: lore.UnitActive,
		Reference:   &lore.Reference{ID: e.ID, Family: e.Family, URL: source, Further: further, Checked: e.Checked, CheckedAgain: e.CheckedAgain},
		FirstSeenAt: now, LastSeenAt: now, PromotedAt: now, CreatedAt: now,
	}
}

// UnitID returns the id of the knowledge unit of an entry.
func UnitID(entry string) string { return lore.DerivedID("reference", entry) }
