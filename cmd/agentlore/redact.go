package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"agentlore/curator"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// removalFlags say what is removed beside what the scrubber knows.
type removalFlags struct {
	storeConfig
	scrubConfig
	Texts string `help:"File of texts to remove as well, one a line, without regard to case: - for standard input. Never on the command line: its history would keep them." placeholder:"FILE"`
}

// open returns what a removal works with.
func (c removalFlags) open(ctx context.Context, out output) (*store, *scrubber.Scrubber, []string, error) {
	settings, err := c.settings(out)
	if err != nil {
		return nil, nil, nil, err
	}
	clean, err := c.scrubber()
	if err != nil {
		return nil, nil, nil, err
	}
	texts, err := readTexts(c.Texts)
	if err != nil {
		return nil, nil, nil, err
	}
	store, err := connect(ctx, settings, index.FlushEvery)
	return store, clean, texts, err
}

// leastText is the shortest text that may be removed: a shorter one stands in words that mean no harm.
const leastText = 6

// readTexts reads the texts to remove.
func readTexts(name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	file := os.Stdin
	if name != "-" {
		opened, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		file = opened
	}
	var texts []string
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		if len(text) < leastText {
			return nil, fmt.Errorf("--texts: line %d is shorter than %d characters: it would be found in words that mean no harm", number, leastText)
		}
		texts = append(texts, text)
	}
	return texts, lines.Err()
}

// redactCommand removes secrets from one item.
type redactCommand struct {
	removalFlags
	ID string `arg:"" help:"Id of the item, of any collection."`
}

// Run scrubs an item again, with what was derived from it.
func (c *redactCommand) Run(ctx context.Context, out output) error {
	store, clean, texts, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer store.Close()
	item, err := index.NewReview(store.client).Find(ctx, c.ID)
	if err != nil {
		return err
	}
	derived, err := store.client.Derived(ctx, item)
	if err != nil {
		return err
	}
	changed, err := store.client.Redact(ctx, clean, item, texts)
	if err != nil {
		return err
	}
	others := 0
	for _, target := range derived {
		also, err := store.client.Redact(ctx, clean, target, texts)
		if err != nil {
			return fmt.Errorf("%s %s: %w", target.Collection, target.ID, err)
		}
		if also {
			others++
		}
	}
	if !changed && others == 0 {
		_, err = fmt.Fprintln(out.stdout, "nothing to remove: the scrubber knows no secret in it; name the text with --texts")
		return err
	}
	_, err = fmt.Fprintf(out.stdout, "redacted: the item itself %s, of %d that were derived from it or speak of it %d\n", yesNo(changed), len(derived), others)
	return err
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// rescrubCommand runs the scrubber's present rules over everything, and those for safety flags over submissions.
type rescrubCommand struct {
	removalFlags
	curationConfig
	Restart bool `help:"Begin anew, although an earlier run stopped half-way."`
}

// Run goes over the corpus, from where an earlier run stopped.
func (c *rescrubCommand) Run(ctx context.Context, out output) error {
	rules, malicious, err := c.rules()
	if err != nil {
		return err
	}
	store, clean, texts, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer store.Close()
	from, err := store.client.RescrubState(ctx)
	if err != nil {
		return err
	}
	if from.Done || c.Restart || from.StartedAt.IsZero() {
		from = index.RescrubProgress{StartedAt: time.Now().UTC()}
	} else {
		fmt.Fprintf(out.stderr, "going on after %d items, where the run of %s stopped; --restart begins anew\n", from.Looked, from.StartedAt.Format(time.DateTime))
	}
	started, told, before := time.Now(), time.Now(), from.Looked
	warn := warner{store.client, clean, rules.Safety, malicious}
	progress, err := store.client.RescrubAll(ctx, clean, texts, from, warn.inspect, func(p index.RescrubProgress) {
		if time.Since(told) >= 2*time.Second {
			told = time.Now()
			fmt.Fprintf(out.stderr, "%s: %d items, %d redacted, %d flags raised, %.0f a second\n", p.Collection, p.Looked, p.Changed, p.Flagged, float64(p.Looked-before)/time.Since(started).Seconds())
		}
	})
	fmt.Fprintf(out.stdout, "%d items looked at, %d redacted, %d safety flags raised\n", progress.Looked, progress.Changed, progress.Flagged)
	if err != nil {
		return errors.Join(err, errors.New("run it again to go on where it stopped"))
	}
	return nil
}

// warner raises agentlore's own safety flags on what is stored, by the present rules.
type warner struct {
	client    *index.Client
	clean     *scrubber.Scrubber
	rules     curator.SafetyRules
	malicious curator.AddressList
}

// inspect raises the flags that a submission deserves and returns how many are new. One that was raised before, whatever became
// of it, is left as it is: what an operator dismissed stays dismissed.
func (w warner) inspect(ctx context.Context, id string, said lore.Observation) (raised int, err error) {
	for _, finding := range w.rules.Inspect(said, w.malicious) {
		warning, err := scrubber.Scrub(ctx, w.clean, finding.Warning(lore.Target{Collection: lore.Submissions, ID: id}))
		if err != nil {
			return raised, fmt.Errorf("scrub: %w", err)
		}
		_, created, err := w.client.Raise(ctx, warning, time.Now())
		if err != nil {
			return raised, err
		}
		if created {
			raised++
		}
	}
	return raised, nil
}
