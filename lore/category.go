package lore

import "time"

// Category says what kind of thing a report is. The most specific fitting one is to be used.
type Category string

// The ten categories of the interface specification.
const (
	CategoryFailure      Category = "failure"
	CategoryInsight      Category = "insight"
	CategoryDiscovery    Category = "discovery"
	CategoryOptimization Category = "optimization"
	CategoryPattern      Category = "pattern"
	CategorySecurity     Category = "security"
	CategoryIntegration  Category = "integration"
	CategoryOperational  Category = "operational"
	CategoryMarket       Category = "market"
	CategoryGeneral      Category = "general"
)

// CategoryUse pairs a category with what it is to be used for.
type CategoryUse struct {
	Value  Category `json:"value" doc:"The value to send as category"`
	UseFor string   `json:"use_for" doc:"What the category is for; use the most specific one that fits"`
}

// Categories returns all categories in the order of the specification, most specific first and general last.
func Categories() []CategoryUse {
	return []CategoryUse{
		{CategoryFailure, "something broke, errored or gave wrong results"},
		{CategoryInsight, "non-obvious knowledge found through observation"},
		{CategoryDiscovery, "new protocol behavior, feature or capability"},
		{CategoryOptimization, "a better way to do something already known"},
		{CategoryPattern, "recurring behavior across several sessions"},
		{CategorySecurity, "security risk, vulnerability or attack vector"},
		{CategoryIntegration, "how two systems interact (APIs, bridges, protocols)"},
		{CategoryOperational, "infrastructure, deployment or operational knowledge"},
		{CategoryMarket, "market structure, liquidity or trading observations"},
		{CategoryGeneral, "anything that fits none of the above"},
	}
}

// HalfLife is how long it takes until the age of a report of this category counts half.
func (c Category) HalfLife() time.Duration {
	const day = 24 * time.Hour
	switch c {
	case CategoryMarket:
		return 14 * day
	case CategoryOperational, CategoryFailure:
		return 60 * day
	case CategoryIntegration:
		return 180 * day
	}
	return 365 * day
}
