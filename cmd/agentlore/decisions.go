package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"agentlore/index"
	"agentlore/lore"
)

// decisionsCommand lists what operators decided.
type decisionsCommand struct {
	storeConfig
	Since   time.Time    `help:"Only what was decided from this time on, as in 2026-01-31T00:00:00Z."`
	Verdict lore.Verdict `help:"Only this verdict, as in erase or withdraw."`
	Subject string       `help:"Only decisions on the item with this id." placeholder:"ID"`
	JSON    bool         `name:"json" help:"One JSON object a line instead of text."`
}

// Run prints the decisions, oldest first.
func (c *decisionsCommand) Run(ctx context.Context, out output, store *store) error {
	if c.Verdict != "" && c.Verdict.Matter() == "" {
		return errors.New("--verdict names none that there is")
	}
	to := bufio.NewWriter(out.stdout)
	encoder := json.NewEncoder(to)
	filter := lore.DecisionFilter{Since: c.Since}
	if c.Verdict != "" {
		filter.Verdicts = []lore.Verdict{c.Verdict}
	}
	if c.Subject != "" {
		filter.Subjects = []string{c.Subject}
	}
	err := index.NewDecisions(store.client).Each(ctx, filter, func(d lore.Decision) error {
		if c.JSON {
			return encoder.Encode(d)
		}
		_, err := fmt.Fprintf(to, "%s  %s  %s %s%s\n    %s: %s\n",
			d.At.Format(time.RFC3339), d.Verdict, d.Subject.Collection, d.Subject.ID, about(d.Object), plain(d.Who), plain(d.Why))
		return err
	})
	return errors.Join(err, to.Flush())
}
