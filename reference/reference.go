// Package reference is the library of known problems that the service ships: what a node, a wallet, a tool or a contract prints when
// something fails, why, and what to do, and the findings that audits report again and again. Each file of entries is a domain.
// `agentlore import --reference` makes knowledge of them.
package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"agentlore/lore"
)

//go:embed entries/*.yaml
var files embed.FS

// Entry is a known problem.
type Entry struct {
	// ID is the domain and what it is, as in geth.nonce-too-low. It never changes: stored knowledge is found by it.
	ID string `yaml:"id"`
	// Names are what an agent has in hand: error names, codes, selectors, message texts. A part of a text that varies is {word}. No name
	// is in two entries.
	Names []string `yaml:"names"`
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
	// Applies says for which programs, versions and chains it holds; empty: for all of the ecosystem.
	Applies string `yaml:"applies"`
	// Source is the URL of the specification or the code that states the facts.
	Source string `yaml:"source"`
	// Checked is the day on which they were looked up there, as 2026-11-24.
	Checked string `yaml:"checked"`
}

// Entries returns the library, in the order of ids; callers share it and don't change it. It fails on a file that isn't well-formed: the
// tests see to that. Reading it takes half a second, once a process.
func Entries() ([]Entry, error) { return read() }

var read = sync.OnceValues(func() ([]Entry, error) {
	names, err := fs.Glob(files, "entries/*.yaml")
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
		all = append(all, entries...)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
})

// KnowledgeUnit returns the entry as knowledge of the service: the operator who imports the library stands for it.
func (e Entry) KnowledgeUnit(confidence float64, now time.Time) lore.KnowledgeUnit {
	domain, _, _ := strings.Cut(e.ID, ".")
	now = now.UTC().Truncate(time.Millisecond)
	return lore.KnowledgeUnit{
		ID: UnitID(e.ID), Summary: e.Title, Content: e.Cause, Resolution: e.Fix, Names: e.Names, Applies: e.Applies, Category: e.Category,
		Ecosystem: e.Ecosystem, Tags: []string{domain}, Entities: lore.Entities(e.Names...),
		Tier: lore.TierValidated, Confidence: confidence, Evidence: lore.Evidence{SubmissionIDs: []string{}}, Status: lore.UnitActive,
		Reference:   &lore.Reference{ID: e.ID, URL: e.Source, Checked: e.Checked},
		FirstSeenAt: now, LastSeenAt: now, PromotedAt: now, CreatedAt: now,
	}
}

// UnitID returns the id of the knowledge unit of an entry.
func UnitID(entry string) string { return lore.DerivedID("reference", entry) }
