package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/handlers"
	"agentlore/index/curation"
	"agentlore/lore"
)

// reviewPrincipal shows who stands behind a source.
type reviewPrincipal struct {
	storeConfig
	curationConfig
	ID   string `arg:"" help:"Id of a source, or of a principal."`
	JSON bool   `name:"json" help:"One JSON object instead of text, with all of every list."`
}

// reviewedWeeks is for how many weeks a review counts what a principal said.
const reviewedWeeks = 12

// principalReview is what an operator sees of a principal.
type principalReview struct {
	ID       string           `json:"id"`
	Standing lore.Standing    `json:"standing"`
	Since    time.Time        `json:"since,omitzero"`
	Lineage  []lore.Decision  `json:"lineage,omitempty"` // what operators decided of it and its sources
	Earned   []earnedBy       `json:"earned_by,omitempty"`
	Weeks    []reviewedWeek   `json:"weeks,omitempty"` // of the last 12, those in which it said something, the newest first
	Limit    int              `json:"weekly_limit"`
	Sources  []lore.OwnSource `json:"sources"`
	Rests    curation.RestsOn `json:"rests_on_it"`
	// Helped are the principals that earned standing by reports that it found to work.
	Helped []string `json:"helped_to_standing,omitempty"`
}

// earnedBy is a report that counts towards the principal's standing.
type earnedBy struct {
	curation.Brief
	By []confirmer `json:"confirmed_by,omitempty"`
}

// confirmer is who found that a report works.
type confirmer struct {
	SourceID  string `json:"source_id"`
	Name      string `json:"name"`
	Principal string `json:"principal"`
}

type reviewedWeek struct {
	Begins   time.Time `json:"begins"`
	Made     int       `json:"made"`     // outcomes and flags
	Counting int       `json:"counting"` // of these, by its present standing
}

// Run prints what the store knows of the principal.
func (c *reviewPrincipal) Run(ctx context.Context, out output, store *store) error {
	rules, _, err := c.rules()
	if err != nil {
		return err
	}
	id, sources, err := store.accounts.PrincipalOf(ctx, c.ID)
	if err != nil {
		return err
	}
	look := principalLook{store, curation.NewReview(store.client), rules.Promotion, newStandings(store.client, store.accounts)}
	review, err := look.all(ctx, id, sources, time.Now())
	switch {
	case err != nil:
		return err
	case c.JSON:
		return json.NewEncoder(out.stdout).Encode(review)
	}
	review.print(out.stdout)
	return nil
}

// principalLook reads what a review of a principal shows.
type principalLook struct {
	*store
	review    *curation.Review
	rules     curator.PromotionRules
	standings standings
}

// all reads all of it.
func (p principalLook) all(ctx context.Context, id string, sources []string, now time.Time) (review principalReview, err error) {
	held, err := p.standings.StandingOf(ctx, id)
	if err != nil {
		return review, err
	}
	review = principalReview{
		ID: id, Standing: cmp.Or(held.Source, lore.StandingNone), Since: held.Since, Limit: handlers.WeeklyActs(p.rules, held),
	}
	if review.Lineage, err = p.review.Lineage(ctx, id, sources); err != nil {
		return review, err
	}
	if review.Sources, err = p.accounts.PrincipalSources(ctx, id); err != nil {
		return review, err
	}
	weeks, err := p.client.ActsByWeek(ctx, sources, curator.WeekOf(now).AddDate(0, 0, -7*(reviewedWeeks-1)))
	if err != nil {
		return review, err
	}
	for _, begins := range slices.SortedFunc(maps.Keys(weeks), func(a, b time.Time) int { return b.Compare(a) }) {
		review.Weeks = append(review.Weeks, reviewedWeek{begins, weeks[begins], min(weeks[begins], review.Limit)})
	}
	if review.Earned, err = p.earnedBy(ctx, sources); err != nil {
		return review, err
	}
	if review.Rests, err = p.review.RestsOn(ctx, sources); err != nil {
		return review, err
	}
	review.Helped, err = p.helped(ctx, id, review.Rests.Authors)
	return review, err
}

// earnedBy returns the confirmed reports of a principal's sources, with who confirmed each.
func (p principalLook) earnedBy(ctx context.Context, sources []string) (found []earnedBy, err error) {
	reports, err := p.review.Confirmations(ctx, sources)
	if err != nil {
		return nil, err
	}
	var confirming []string
	for _, report := range reports {
		confirming = append(confirming, report.Worked...)
	}
	slices.Sort(confirming)
	confirming = slices.Compact(confirming)
	accounts, err := p.standings.store.AccountsOf(ctx, confirming)
	if err != nil {
		return nil, err
	}
	named, err := p.standings.store.Sources(ctx, confirming)
	for _, report := range reports {
		one := earnedBy{Brief: report.Brief}
		for _, source := range report.Worked {
			one.By = append(one.By, confirmer{source, named[source].Name, accounts[source].Principal})
		}
		found = append(found, one)
	}
	return found, err
}

// helped returns the principals of authors that earned their standing.
func (p principalLook) helped(ctx context.Context, id string, authors []string) (principals []string, err error) {
	accounts, err := p.standings.store.AccountsOf(ctx, authors)
	if err != nil {
		return nil, err
	}
	held, err := worker.Standing(ctx, p.standings.store)
	if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		if account.Principal != id && held[account.Principal].Source == lore.StandingEarned {
			principals = append(principals, account.Principal)
		}
	}
	slices.Sort(principals)
	return slices.Compact(principals), nil
}

// reviewedItems is how many of each list are printed.
const reviewedItems = 50

// print writes the review as text.
func (r principalReview) print(w io.Writer) {
	fmt.Fprintf(w, "Principal %s: standing %s", r.ID, r.Standing)
	if !r.Since.IsZero() {
		fmt.Fprintf(w, " since %s", r.Since.Format(time.RFC3339))
	}
	fmt.Fprintf(w, "\nDecided: %d\n", len(r.Lineage))
	for _, d := range firstOf(w, r.Lineage) {
		fmt.Fprintf(w, "  %s  %s %s %s", d.At.Format(time.RFC3339), d.Verdict, d.Subject.Collection, d.Subject.ID)
		if d.Since != nil {
			fmt.Fprintf(w, " since %s", d.Since.Format(time.RFC3339))
		}
		fmt.Fprintf(w, "\n    %s: %s\n", plain(d.Who), plain(d.Why))
	}
	fmt.Fprintf(w, "Confirmed reports of its own: %d\n", len(r.Earned))
	for _, one := range firstOf(w, r.Earned) {
		fmt.Fprintf(w, "  %s  %s\n", one.ID, plain(one.Summary))
		for _, by := range one.By {
			fmt.Fprintf(w, "    worked for %s of principal %s\n", plain(cmp.Or(by.Name, by.SourceID)), by.Principal)
		}
	}
	fmt.Fprintf(w, "Outcomes and flags by week, of which %d count:\n", r.Limit)
	for _, week := range r.Weeks {
		fmt.Fprintf(w, "  %s  %d made, %d count\n", day(week.Begins), week.Made, week.Counting)
	}
	fmt.Fprintf(w, "Sources: %d\n", len(r.Sources))
	for _, source := range firstOf(w, r.Sources) {
		fmt.Fprintf(w, "  %s  %s  %s%s\n", source.ID, day(source.CreatedAt), plain(cmp.Or(source.Name, "(erased)")), stateOf(source))
	}
	fmt.Fprintf(w, "If it fell, these would be judged again: knowledge-units %d, patterns %d, earned standing of principals %d\n",
		len(r.Rests.Units), len(r.Rests.Patterns), len(r.Helped))
	for _, some := range [][]curation.Resting{r.Rests.Units, r.Rests.Patterns} {
		for _, one := range firstOf(w, some) {
			fmt.Fprintf(w, "  %s %s  tier %d, %s; of it %d reports, %d worked\n    %s\n",
				one.Collection, one.ID, one.Tier, one.Status, one.Reports, one.Worked, plain(one.Summary))
		}
	}
	for _, principal := range firstOf(w, r.Helped) {
		fmt.Fprintf(w, "  principals %s\n", principal)
	}
}

// firstOf returns the part of a list that is printed, and says if that isn't all.
func firstOf[T any](w io.Writer, all []T) []T {
	if len(all) > reviewedItems {
		fmt.Fprintf(w, "  (the first %d; --json has all)\n", reviewedItems)
		return all[:reviewedItems]
	}
	return all
}

// stateOf says who registered a source and whether its token is accepted.
func stateOf(source lore.OwnSource) string {
	var parts []string
	if source.RegisteredBy != "" {
		parts = append(parts, "registered by "+source.RegisteredBy)
	}
	if source.RevokedAt != nil {
		parts = append(parts, "revoked "+source.RevokedAt.Format(time.RFC3339))
	}
	if source.EndedBy != "" {
		parts = append(parts, "ended by "+source.EndedBy)
	}
	if source.BannedAt != nil {
		parts = append(parts, "banned "+source.BannedAt.Format(time.RFC3339))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  (" + strings.Join(parts, ", ") + ")"
}
