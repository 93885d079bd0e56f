package worker

import (
	"context"
	"encoding/json"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// Store is what the worker needs of storage. Reads by id see the latest write; others see what Refresh made findable. Writes
// fail once another worker may hold the lease. It is for several goroutines.
type Store interface {
	States

	// CountReports returns how many reports there are, and how many are to be compared.
	CountReports(ctx context.Context, which lore.ToCompare) (all, waiting int64, err error)
	// ReportsToCompare returns those behind an id, in order of id.
	ReportsToCompare(ctx context.Context, which lore.ToCompare, after string, limit int) ([]lore.Report, error)
	Reports(ctx context.Context, ids []string) (map[string]lore.Report, error)
	Patterns(ctx context.Context, ids []string) (map[string]lore.Pattern, error)
	Units(ctx context.Context, ids []string) (map[string]lore.KnowledgeUnit, error)
	// EarnedUnits returns active units that are not the reference library's, in order of id: those behind an id, at most limit.
	EarnedUnits(ctx context.Context, after string, limit int) ([]lore.KnowledgeUnit, error)
	Sources(ctx context.Context, ids []string) (map[string]lore.Source, error)
	// PatternsOf returns the pattern of each submission that has one.
	PatternsOf(ctx context.Context, ids []string) (map[string]string, error)
	// MembersOf returns the ids of the submissions of each pattern.
	MembersOf(ctx context.Context, patterns []string) (map[string][]string, error)
	ReportsOfSources(ctx context.Context, sources []string) ([]string, error)
	// EachFollowUp hands each submission that follows another to visit, with the one that it follows.
	EachFollowUp(ctx context.Context, visit func(id, first string)) error

	// FamilyMembers returns the reports of families, by family.
	FamilyMembers(ctx context.Context, families []string) (map[string][]lore.FamilyMember, error)
	// EachFamilyKey hands the ids of all families that reports would belong to, be they stored or not, to visit, with the number of reports.
	EachFamilyKey(ctx context.Context, visit func(id string, reports int)) error
	Families(ctx context.Context, ids []string) (map[string]lore.Family, error)
	// EachFamily hands the ids of all stored families to visit.
	EachFamily(ctx context.Context, visit func(id string)) error

	// EachLinks hands the links of all reports to visit.
	EachLinks(ctx context.Context, visit func(lore.Links) error) error
	WriteLinks(ctx context.Context, links []lore.Links) (refused []lore.Refusal, err error)

	OutcomesOf(ctx context.Context, ids []string) ([]lore.Outcome, error)
	// Decisions returns those that pass a filter, oldest first.
	Decisions(ctx context.Context, filter lore.DecisionFilter) ([]lore.Decision, error)
	FlagsOn(ctx context.Context, ids []string) ([]lore.SafetyFlag, error)
	// ChangedItems returns the items that something was said of since a time, or of which a flag lapsed.
	ChangedItems(ctx context.Context, since, now time.Time, lapse time.Duration) ([]string, error)
	// DropErased deletes what was written of reports after they were erased, and patterns and units with ids in made or that name one
	// of the reports; it returns the other reports that those name.
	DropErased(ctx context.Context, reports, made []string) (left []string, err error)
	// SpokenOfBy returns the items that sources reported an outcome of or flagged.
	SpokenOfBy(ctx context.Context, sources []string) ([]string, error)

	// AccountsOf returns the accounts that own sources. These and those of the next two may be kept: what an account says never changes.
	AccountsOf(ctx context.Context, sources []string) (map[string]lore.Account, error)
	AccountsOfPrincipals(ctx context.Context, principals []string) (map[string]lore.Account, error)
	AccountsOfOwners(ctx context.Context, ownerKeys []string) (map[string]lore.Account, error)
	// EachTitle hands each curated report's title and the key of its family to visit. Errors: store_unavailable.
	EachTitle(ctx context.Context, visit func(id, summary, familyKey string)) error
	// ConfirmedFixes returns, for each source that has some, the keys of its fixes that others confirmed whose standing was given.
	ConfirmedFixes(ctx context.Context) (map[string][]string, error)
	// BusyWeeks returns how many outcomes and flags each source gave in weeks in which all together gave more than a number, by the
	// beginning of the week (UTC, Monday).
	BusyWeeks(ctx context.Context, moreThan int) (map[time.Time]map[string]int, error)
	// ActsIn returns when sources gave outcomes and flags in a week, in order of time.
	ActsIn(ctx context.Context, sources []string, week time.Time) ([]time.Time, error)
	// HarmTo returns the outcomes that found fixes unsafe and the confirmed flags on them, wherever they stand, by their keys.
	HarmTo(ctx context.Context, fixKeys []string) ([]lore.Outcome, []lore.SafetyFlag, error)
	// Catalogued returns which of some addresses the catalog has.
	Catalogued(ctx context.Context, addresses []string) (map[string]bool, error)

	// Refresh makes what was written findable.
	Refresh(ctx context.Context) error
	// Write carries out changes in their order and returns how many changed something, and those that the store refused for what they hold.
	Write(ctx context.Context, changes []lore.Change) (written int, refused []lore.Refusal, err error)
}

// States keeps what a worker must know to go on where another stopped.
type States interface {
	LoadState(ctx context.Context, name string) (progress json.RawMessage, data []byte, err error)
	SaveState(ctx context.Context, name string, progress any, data []byte) error
}

// Library is the reference library, as families know it.
type Library interface {
	// Version stands for what Kind says: as long as it stays the same, so does that.
	Version() string
	// Kind returns what a title says of the kind of its problem.
	Kind(title string) curator.Kind
	// Core returns what the family with an id has its words from, where that is one of the library's.
	Core(family string) (curator.FamilyCore, bool)
	// Title returns a title as a family has it: its words alone.
	Title(title string) string
	// Names reports whether one of the library's fixes names a package, an address or a host.
	Names(name string) bool
}
