package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentlore/curator"
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/scrubber"
)

// removalFlags say what is removed beside what the scrubber knows.
type removalFlags struct {
	decisionFlags
	Texts []byte `type:"filecontent" help:"File of texts to remove as well, one a line, without regard to case: - for standard input. Never on the command line: its history would keep them." placeholder:"FILE"`
}

// leastText is the shortest text that may be removed: a shorter one stands in words that mean no harm.
const leastText = 6

// texts returns the texts to remove.
func (c removalFlags) texts() (texts []string, err error) {
	number := 0
	for line := range strings.Lines(string(c.Texts)) {
		number++
		text := strings.TrimSpace(line)
		switch {
		case text == "":
		case len(text) < leastText:
			return nil, fmt.Errorf("--texts: line %d is shorter than %d characters: it would be found in words that mean no harm", number, leastText)
		default:
			texts = append(texts, text)
		}
	}
	if kept := (&lore.StoredText{Texts: []string{c.Why, c.Who}}); kept.Remove(texts) > 0 {
		return nil, errors.New("--why or --who holds one of the texts that are to be removed: it would be kept for ever")
	}
	return texts, nil
}

// redactCommand removes secrets from one item.
type redactCommand struct {
	removalFlags
	ID string `arg:"" help:"Id of the item, of any collection."`
}

// Run scrubs an item again, with what was derived from it.
func (c *redactCommand) Run(ctx context.Context, d *desk) error {
	texts, err := c.texts()
	if err != nil {
		return err
	}
	item, err := d.store.client.Find(ctx, c.ID)
	if err != nil {
		return err
	}
	derived, err := d.review.Derived(ctx, item)
	if err != nil {
		return err
	}
	targets := append([]lore.Target{item}, derived...)
	changed, err := redactEach(ctx, d, texts, targets, true)
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		_, err = fmt.Fprintln(d.out.stdout, "nothing to remove: the scrubber knows no secret in it; name the text with --texts")
		return err
	}
	if err := d.decide(ctx, item, nil, nil); err != nil {
		return err
	}
	done := "would be redacted"
	if !d.dry {
		done = "redacted"
		if changed, err = redactEach(ctx, d, texts, targets, false); err != nil {
			return err
		}
	}
	itself, others := "no", len(changed)
	if slices.Contains(changed, item) {
		itself, others = "yes", others-1
	}
	_, err = fmt.Fprintf(d.out.stdout, "%s: the item itself %s, of %d that were derived from it or speak of it %d\n",
		done, itself, len(derived), others)
	return err
}

// redactEach redacts items and returns those that changed, in a dry run would change.
func redactEach(
	ctx context.Context, d *desk, texts []string, items []lore.Target, dry bool,
) (changed []lore.Target, err error) {
	for _, item := range items {
		is, err := d.review.Redact(ctx, d.clean, item, texts, dry)
		if err != nil {
			return changed, fmt.Errorf("%s %s: %w", item.Collection, item.ID, err)
		}
		if is {
			changed = append(changed, item)
		}
	}
	return changed, nil
}

// rescrubCommand runs the scrubber's present rules over everything, and those for safety flags over submissions.
type rescrubCommand struct {
	removalFlags
	curationConfig
	Restart bool `help:"Begin anew, although an earlier run stopped half-way."`
}

// Run goes over the corpus, from where an earlier run stopped.
func (c *rescrubCommand) Run(ctx context.Context, d *desk) error {
	rules, malicious, err := c.rules()
	texts, faults := c.texts()
	if err := errors.Join(err, faults); err != nil {
		return err
	}
	from, err := d.review.RescrubState(ctx)
	if err != nil {
		return err
	}
	if from.Done || c.Restart || d.dry || from.StartedAt.IsZero() {
		from = curation.RescrubProgress{StartedAt: time.Now().UTC()}
	} else {
		fmt.Fprintf(d.out.stderr, "going on after %d items, where the run of %s stopped; --restart begins anew\n", from.Looked, from.StartedAt.Format(time.DateTime))
	}
	started, before := time.Now(), from.Looked
	inspect := func(ctx context.Context, id string, said lore.Observation) (raised int, err error) {
		return d.raise(ctx, id, said.Words(), rules.Safety.Inspect(said, malicious))
	}
	tell := func(p curation.RescrubProgress) {
		rate := float64(p.Looked-before) / time.Since(started).Seconds()
		d.progress("%s: %d items, %d redacted, %d flags raised, %.0f a second", p.Collection, p.Looked, p.Changed, p.Flagged, rate)
	}
	whole, err := wholeUnits(ctx, d.clean)
	if err != nil {
		return err
	}
	run := curation.RescrubRun{Clean: d.clean, Texts: texts, Inspect: inspect, Whole: whole, Tell: tell, DryRun: d.dry}
	progress, err := d.review.RescrubAll(ctx, run, from)
	counts := fmt.Sprintf("%d items looked at, %d redacted, %d safety flags raised", progress.Looked, progress.Changed, progress.Flagged)
	if d.dry {
		counts = "would be: " + counts
	}
	fmt.Fprintln(d.out.stdout, counts)
	if progress.Marked > 0 {
		fmt.Fprintf(d.out.stdout, "%d items have %s in them; what stood there is kept nowhere\n", progress.Marked, scrubber.Marker)
	}
	if n := len(progress.Restorable); n > 0 {
		fmt.Fprintf(d.out.stdout, "%d of them are of the reference library and would now be kept whole: `agentlore import --reference` restores them\n", n)
		for _, id := range progress.Restorable {
			fmt.Fprintln(d.out.stdout, "  /knowledge/"+id)
		}
	}
	if err != nil {
		return errors.Join(err, errors.New("run it again to go on where it stopped"))
	}
	if d.dry {
		return nil
	}
	// The record's subject is the document that keeps the place of the pass.
	subject := lore.Target{Collection: "state", ID: "rescrub"}
	return d.record(ctx, lore.Decision{Subject: subject, Verdict: d.verdict, Why: d.why + " (" + counts + ")"})
}

// wholeUnits returns the ids of the reference library's units that the scrubber's present rules keep whole.
func wholeUnits(ctx context.Context, clean *scrubber.Scrubber) (whole map[string]bool, err error) {
	units, err := referenceUnits(ctx, clean, time.Now())
	whole = make(map[string]bool, len(units))
	for _, unit := range units {
		whole[unit.Value().ID] = !unit.Report().Changed
	}
	return whole, err
}

// raise raises agentlore's own flags on a submission, in a dry run none, and returns how many are new. One that was raised
// before, whatever became of it, is left as it is: what an operator dismissed stays dismissed.
func (d *desk) raise(ctx context.Context, id string, words lore.Words, found []curator.Finding) (raised int, err error) {
	for _, finding := range found {
		warning, err := scrubber.Scrub(ctx, d.clean, finding.Warning(lore.Target{Collection: lore.Submissions, ID: id}, words))
		if err != nil {
			return raised, fmt.Errorf("scrub: %w", err)
		}
		flag := warning.Value().SafetyFlag(lore.RaisedByAgentlore, time.Now())
		older := finding.Flag(flag.Target, lore.Words{}, time.Now()) // as an older version raised it
		there, err := d.store.client.Exists(ctx, lore.Target{Collection: lore.SafetyFlags, ID: flag.ID})
		if err == nil && !there {
			there, err = d.store.client.Exists(ctx, lore.Target{Collection: lore.SafetyFlags, ID: older.ID})
		}
		if err == nil && !there && !d.dry {
			_, _, err = d.store.client.Raise(ctx, warning, time.Now())
		}
		if err != nil {
			return raised, err
		}
		if !there {
			raised++
		}
	}
	return raised, nil
}
