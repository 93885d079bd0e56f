package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"agentlore/curator/worker"
	"agentlore/index/curation"
	"agentlore/lore"
)

type reviewList struct {
	storeConfig
	curationConfig
	By     string `help:"Only what this source suggests or flags." placeholder:"SOURCE"`
	Failed bool   `help:"Only the items that curation set aside: the store refused them, or judging them failed."`
	JSON   bool   `name:"json" help:"One JSON object a line instead of text."`
}

// Run prints what waits for an operator: of flags first what most owners with standing flagged, else the longest waiting first.
func (c *reviewList) Run(ctx context.Context, out output, store *store) error {
	if c.Failed {
		aside, err := worker.SetAside(ctx, curation.New(store.client, nil))
		if err != nil {
			return err
		}
		return printSetAside(out.stdout, aside, c.JSON)
	}
	rules, _, err := c.rules()
	if err != nil {
		return err
	}
	standing, err := newHooks(store.client, store.accounts).Standing(ctx)
	if err != nil {
		return err
	}
	waiting, err := curation.NewReview(store.client).Waiting(ctx, standing, c.By)
	if err != nil {
		return err
	}
	if c.JSON {
		return errors.Join(encodeWaiting(out.stdout, "suggestion", waiting.Suggestions),
			encodeWaiting(out.stdout, "suggester", waiting.Suggesters), encodeWaiting(out.stdout, "flagged_item", waiting.Flagged),
			encodeWaiting(out.stdout, "flagger", waiting.Flaggers), encodeWaiting(out.stdout, "approval", waiting.Approvals),
			encodeWaiting(out.stdout, "disputed", waiting.Disputed))
	}
	c.print(out.stdout, waiting, rules.Promotion.FlagLapses(), time.Now())
	return nil
}

// encodeWaiting prints each item as a JSON object with its kind.
func encodeWaiting[T any](w io.Writer, kind string, items []T) (err error) {
	for _, item := range items {
		err = errors.Join(err, json.NewEncoder(w).Encode(map[string]any{"waiting": kind, "item": item}))
	}
	return err
}

// flagsShown is how many flags on one item are listed.
const flagsShown = 5

// print prints what waits for people's eyes.
func (c *reviewList) print(w io.Writer, waiting curation.Waiting, lapse time.Duration, now time.Time) {
	heading := func(what string, shown int, total int64) {
		fmt.Fprintf(w, "%s: %d", what, total)
		if int64(shown) < total {
			fmt.Fprintf(w, ", the oldest %d", shown)
		}
		fmt.Fprintln(w)
	}
	busy := func(sources []curation.Busy, doing string) {
		for _, one := range sources {
			fmt.Fprintf(w, "  source %s %s: list them with --by %s\n", one.SourceID, fmt.Sprintf(doing, one.Number), one.SourceID)
		}
	}
	heading("Suggestions", len(waiting.Suggestions), waiting.SuggestionsTotal)
	for _, s := range waiting.Suggestions {
		fmt.Fprintf(w, "  %s  %s  %s%s\n    %s\n", s.ID, day(s.CreatedAt), s.Kind, about(s.Target), plain(s.Summary))
	}
	busy(waiting.Suggesters, "made %d suggestions")
	fmt.Fprintf(w, "Safety flags: %d", waiting.FlagsTotal)
	if waiting.MoreFlagged {
		fmt.Fprintf(w, ", the first %d items", len(waiting.Flagged))
	}
	fmt.Fprintln(w)
	for _, item := range waiting.Flagged {
		fmt.Fprintf(w, "  %s %s: owners %d, with standing %d\n", item.Target.Collection, item.Target.ID, item.Owners, item.Trust)
		for _, f := range item.Flags[:min(len(item.Flags), flagsShown)] {
			fmt.Fprintf(w, "    %s  %s  %s, %s, by %s", f.ID, day(f.CreatedAt), f.Reason, f.Severity, plain(f.RaisedBy))
			if f.RaisedBy != lore.RaisedByAgentlore && now.Sub(f.CreatedAt) > lapse {
				fmt.Fprint(w, "  (lapsed, unless two owners with standing raised it)")
			}
			fmt.Fprintln(w)
			if f.Note != "" {
				fmt.Fprintf(w, "      %s\n", plain(f.Note))
			}
		}
		if more := len(item.Flags) - flagsShown; more > 0 {
			fmt.Fprintf(w, "    and %d more\n", more)
		}
	}
	busy(waiting.Flaggers, "raised %d flags")
	if c.By != "" { // an approval is nobody's word
		return
	}
	heading("Disputed knowledge: approve it or withdraw it", len(waiting.Disputed), waiting.DisputedTotal)
	for _, d := range waiting.Disputed {
		fmt.Fprintf(w, "  %s  %s\n    %s\n", d.ID, d.Category, plain(d.Summary))
	}
	heading("Reports that lack only an approval", len(waiting.Approvals), waiting.ApprovalsTotal)
	for _, a := range waiting.Approvals {
		fmt.Fprintf(w, "  %s  %s, %s\n    %s\n", a.ID, a.Category, a.Collection, plain(a.Summary))
		if a.Resolution != "" {
			fmt.Fprintf(w, "    -> %s\n", plain(lore.CutAtWord(a.Resolution, 300)))
		}
	}
}

func day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// about names the item that another one is about.
func about(target *lore.Target) string {
	if target == nil {
		return ""
	}
	return "  on " + string(target.Collection) + " " + target.ID
}

// plain returns stored text as one line without control characters: it is somebody's words, and a terminal obeys some.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
}

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
		return fmt.Errorf("no verdict is called %s: there are %v", c.Verdict, lore.Verdicts())
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
	err := store.client.EachDecision(ctx, filter, func(d lore.Decision) error {
		if c.JSON {
			return encoder.Encode(d)
		}
		times := ""
		if d.Times > 0 {
			times = fmt.Sprintf(", %d times the usual budgets", d.Times)
		}
		_, err := fmt.Fprintf(to, "%s  %s  %s %s%s%s\n    %s: %s\n", d.At.Format(time.RFC3339), d.Verdict, d.Subject.Collection,
			d.Subject.ID, about(d.Object), times, plain(d.Who), plain(d.Why))
		return err
	})
	return errors.Join(err, to.Flush())
}
