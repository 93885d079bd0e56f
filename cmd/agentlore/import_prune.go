package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agentlore/lore"
	"agentlore/tracker"
)

// prunedWhy begins the reason of a withdrawal by --prune: what is listed again later is restored, and nothing else.
const prunedWhy = "import --prune: it is in the listing no more"

// errNotComplete is returned for --prune of a listing that doesn't say that it is complete.
var errNotComplete = errors.New(`--prune: nothing says that the listing is complete, so nothing was withdrawn; ` +
	`fetch all of it, and add a file with {"complete": true, "threads": N}`)

// fewReports is how many reports --prune may withdraw whatever their share.
const fewReports = 10

// prune withdraws the reports of the listing's sources that are of its projects and that it has no more.
func (r *threadImport) prune(ctx context.Context, store *store, extent tracker.Extent, sources map[string]bool) error {
	if !extent.Complete {
		return errNotComplete
	}
	for source := range sources {
		var gone []string
		held := 0
		query := lore.ListQuery{Filter: lore.Filter{SourceID: source}, Sort: lore.SortStored, Limit: withdrawPage}
		for {
			page, err := store.submissions.List(ctx, query)
			if err != nil {
				return err
			}
			for _, submission := range page.Results {
				if submission.Status != "" || !r.folders[folderOf(submission.Ref)] {
					continue
				}
				if held++; !r.isListed(submission) {
					gone = append(gone, submission.ID)
				}
			}
			if len(page.Results) < withdrawPage {
				break
			}
			last := page.Results[len(page.Results)-1]
			query.After = &lore.Position{CreatedAt: last.StoredAt, ID: last.ID}
		}
		if len(gone) > fewReports && 2*len(gone) > held && !r.Yes {
			return fmt.Errorf(
				"--prune would withdraw %d of %d reports, so it withdrew none: if the listing is right, add --yes",
				len(gone),
				held,
			)
		}
		for _, id := range gone {
			decision := lore.Decision{
				Subject: lore.Target{Collection: lore.Submissions, ID: id},
				Verdict: lore.VerdictWithdraw,
				Why:     prunedWhy,
			}
			if err := r.desk.record(ctx, decision); err != nil {
				return err
			}
		}
		fmt.Fprintf(r.out.stdout, "withdrawn, since they are listed no more: %d\n", len(gone))
	}
	return nil
}

// restore takes back the withdrawal of a report that --prune withdrew. What an operator withdrew stays so.
func (r *threadImport) restore(ctx context.Context, id string) (back bool, err error) {
	var last lore.Decision
	err = r.desk.store.client.EachDecision(
		ctx,
		lore.DecisionFilter{Subjects: []string{id}},
		func(decision lore.Decision) error {
			if decision.Verdict.Matter() == lore.VerdictWithdraw.Matter() {
				last = decision
			}
			return nil
		},
	)
	if err != nil || last.Verdict != lore.VerdictWithdraw || !strings.HasPrefix(last.Why, prunedWhy) {
		return false, err
	}
	decision := lore.Decision{Subject: last.Subject, Verdict: lore.VerdictRestore, Why: "import: it is listed again"}
	return true, r.desk.record(ctx, decision)
}
