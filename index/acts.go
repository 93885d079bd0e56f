package index

import (
	"context"
	"time"

	"agentlore/lore"
)

// ActsOfWeek returns how many outcomes and flags some sources gave in the week that began at a time, but for those of the last second. Errors:
// store_unavailable.
func (c *Client) ActsOfWeek(ctx context.Context, sources []string, week time.Time) (int, error) {
	acts := 0
	for _, said := range []struct{ alias, by, at string }{
		{c.Alias(OutcomesIndex), "source_id", "at"}, {c.AliasOf(lore.SafetyFlags), "raised_by", "created_at"},
	} {
		bounds := map[string]any{"gte": week.Format(time.RFC3339), "lt": week.AddDate(0, 0, 7).Format(time.RFC3339)}
		count, err := c.Count(ctx, said.alias, map[string]any{"bool": map[string]any{"filter": []any{
			TermsQuery(said.by, sources), map[string]any{"range": map[string]any{said.at: bounds}},
		}}})
		if err != nil {
			return 0, err
		}
		acts += int(count)
	}
	return acts, nil
}
