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

// listedAgain is the reason of a restoring of what was pruned.
const listedAgain = "import: it is listed again"

// errNotComplete is returned for --prune of a listing that doesn't say that it is complete.
var errNotComplete = errors.New(`--prune: nothing says that the listing is complete, so nothing was withdrawn; ` +
	`fetch all of it, and add a file with {"complete": true, "threads": N}; of several projects, import each by itself`)

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
	decision := lore.Decision{Subject: last.Subject, Verdict: lore.VerdictRestore, Why: listedAgain}
	return true, r.desk.record(ctx, decision)
}

// decided is what was decided of reports before this import.
type decided struct {
	approvals map[string]bool   // ids of the approvals
	pruned    map[string]string // by report, the last withdrawal by --prune that ended no operator's word but an approval
}

// decidedBefore reads what was decided of reports. Of one, the latest of an approval, a withdrawal and a restoring
// counts: so what was approved, pruned and restored needs its approval again, but for one that an operator had taken
// back.
func decidedBefore(ctx context.Context, store *store) (decided, error) {
	before := decided{approvals: map[string]bool{}, pruned: map[string]string{}}
	takenBack := map[string]bool{}
	filter := lore.DecisionFilter{
		Verdicts: []lore.Verdict{lore.VerdictApprove, lore.VerdictWithdraw, lore.VerdictRestore},
	}
	err := store.client.EachDecision(ctx, filter, func(decision lore.Decision) error {
		switch id := decision.Subject.ID; {
		case decision.Subject.Collection != lore.Submissions:
		case decision.Verdict == lore.VerdictApprove:
			before.approvals[decision.ID] = true
			takenBack[id] = false
		case decision.Verdict == lore.VerdictWithdraw && strings.HasPrefix(decision.Why, prunedWhy):
			if !takenBack[id] {
				before.pruned[id] = decision.ID
			}
		case decision.Verdict != lore.VerdictRestore || decision.Why != listedAgain:
			takenBack[id] = true
		}
		return nil
	})
	return before, err
}
