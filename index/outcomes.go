package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

// OutcomesIndex is the index of outcomes, for Client.Alias.
const OutcomesIndex = "outcomes"

// Outcomes keeps what sources report after they used an item: one document a source and item, whose last word counts. The
// counts in the items themselves are made from it by the curator alone.
type Outcomes struct {
	Client *Client
	owners Owners
}

// Owners says which sources are of one principal: the accounts.
type Owners interface {
	// IsOf reports whether a source is of a principal, as things are now.
	IsOf(ctx context.Context, sourceID, principal string) (bool, error)
}

// NewOutcomes returns the outcomes.
func NewOutcomes(client *Client, owners Owners) *Outcomes { return &Outcomes{client, owners} }

// Report stores a source's word on an item in place of its earlier one, if there is one, with the words of the item that it is about. An outcome
// on a pattern or unit counts for the report whose fix that shows. Saying the same again changes nothing: changed is false, and the
// outcome is the one that was there. Errors: not_found where the item isn't there, own_item where it is the source's or its principal's,
// changed where the item says something else than the revision that is named, invalid_field where it takes no outcome, store_unavailable.
func (o *Outcomes) Report(ctx context.Context, trial scrubber.Scrubbed[lore.Trial], identity lore.Identity, now time.Time) (
	outcome lore.Outcome, earlier *lore.Outcome, changed bool, err error,
) {
	text := trial.Value()
	target, words, author, err := o.bind(ctx, *text.Target, text.Revision)
	if err == nil {
		err = o.checkOwn(ctx, author, identity)
	}
	if err != nil {
		return lore.Outcome{}, nil, false, err
	}
	text.Target = &target
	outcome = text.Outcome(identity, words, now)
	_, err = Edit(ctx, o.Client, o.Client.Alias(OutcomesIndex), outcome.ID, func(held *lore.Outcome, there bool) error {
		earlier, changed = nil, false
		if there {
			said := *held
			if outcome.QuestionID == "" && outcome.Result == said.Result { // said again elsewhere, it still helped
				outcome.QuestionID = said.QuestionID
			}
			if earlier = &said; said.Result == outcome.Result && said.Note == outcome.Note && said.Words == outcome.Words &&
				said.QuestionID == outcome.QuestionID {
				outcome = said
				return ErrUnchanged
			}
			outcome = outcome.Replaces(said)
		}
		*held, changed = outcome, true
		return nil
	})
	if err != nil {
		return lore.Outcome{}, nil, false, fmt.Errorf("store outcome: %w", err)
	}
	return outcome, earlier, changed, nil
}

// HelpedWith returns what the askers of a question say that it helped them: the latest of each, at most lore.MaxAskers.
// Errors: store_unavailable.
func (o *Outcomes) HelpedWith(ctx context.Context, questionID string) ([]lore.Outcome, error) {
	var answer struct {
		Hits struct {
			Hits []Hit[lore.Outcome] `json:"hits"`
		} `json:"hits"`
	}
	err := o.Client.Query(ctx, []string{o.Client.Alias(OutcomesIndex)}, map[string]any{
		"query":    map[string]any{"bool": map[string]any{"filter": []any{Term("question_id", questionID)}}},
		"collapse": map[string]any{"field": "source_id"}, // an asker who marks many reports leaves room for the others
		"sort":     []any{map[string]any{"at": "desc"}}, "size": lore.MaxAskers,
	}, &answer)
	return sources(answer.Hits.Hits), err
}

// bind returns the item that an outcome counts for, its words, and whose submission it is; "": nobody's alone. Errors: as Report.
func (o *Outcomes) bind(ctx context.Context, target lore.Target, revision string) (_ lore.Target, _ lore.Words, author string, err error) {
	if !isWorded(target.Collection) {
		return target, lore.Words{}, "", lore.InvalidFields([]lore.FieldError{{
			Pointer: "/id", Code: "no_outcome", Detail: "names an item of " + string(target.Collection) + ": outcomes are of knowledge, patterns and submissions",
		}})
	}
	shown, words, err := o.Client.worded(ctx, target, revision)
	if err != nil || target.Collection == lore.Submissions || shown.Reference != nil {
		return target, words, shown.SourceID, err
	}
	from := shown.FixFrom
	switch {
	case from != nil:
	case target.Collection == lore.KnowledgeUnits && shown.Resolution != "": // an older version made it
		return target, words, "", nil
	case len(shown.Alternatives) == 1:
		from = &shown.Alternatives[0].From
	default:
		return target, words, "", whichFix(shown.Alternatives)
	}
	report := lore.Target{Collection: lore.Submissions, ID: from.ID}
	given, said, err := o.Client.worded(ctx, report, from.Revision)
	if words.Unbound {
		said = words
	}
	return report, said, given.SourceID, err
}

// whichFix answers for an outcome on an item that shows no fix of its own.
func whichFix(fixes []lore.Fix) *lore.Problem {
	fault := lore.FieldError{Pointer: "/id", Code: "which_fix", Detail: "shows no confirmed fix: name the submission whose fix you used"}
	for _, fix := range fixes {
		fault.Allowed = append(fault.Allowed, fix.From.ID)
	}
	return lore.InvalidFields([]lore.FieldError{fault})
}

// wordedItem is what of an item tells which words it shows.
type wordedItem struct {
	Summary      string          `json:"summary"`
	Content      string          `json:"content"`
	Resolution   string          `json:"resolution"`
	Reference    *lore.Reference `json:"reference"`
	EarlierUntil []time.Time     `json:"earlier_until"`
	SourceID     string          `json:"source_id"` // of a submission
	lore.Evident
}

// worded reads an item's latest write and returns it with its words. Where a revision is named they must be of that. Where none is, and they
// changed before, what is said of them is unbound. Errors: not_found, changed, store_unavailable.
func (c *Client) worded(ctx context.Context, target lore.Target, revision string) (wordedItem, lore.Words, error) {
	if !lore.ValidID(target.ID) {
		return wordedItem{}, lore.Words{}, lore.NotFound("item")
	}
	stored, err := Get[wordedItem](ctx, c, c.AliasOf(target.Collection), target.ID,
		"summary", "content", "resolution", "reference", "earlier_until", "source_id", "revised_at", "fix_from", "alternatives")
	if errors.Is(err, ErrNotFound) {
		err = lore.NotFound(map[lore.Collection]string{lore.Submissions: "submission", lore.KnowledgeUnits: "knowledge unit", lore.Patterns: "pattern"}[target.Collection])
	}
	item := stored.Source
	words := lore.WordsOf(item.Summary, item.Content, item.Resolution)
	switch {
	case err != nil:
	case revision != "" && revision != words.Revision:
		err = lore.Changed(target, words.Revision)
	case revision == "" && (item.RevisedAt != nil || len(item.EarlierUntil) > 0):
		words = lore.Words{Unbound: true}
	}
	return item, words, err
}

// WordsOf returns the words that an item has now. Errors: not_found, store_unavailable.
func (c *Client) WordsOf(ctx context.Context, target lore.Target) (lore.Words, error) {
	item, _, err := c.worded(ctx, target, "")
	return lore.WordsOf(item.Summary, item.Content, item.Resolution), err
}

// checkOwn refuses a submission of the reporter's own principal: the caller knows that it is. Whether it counts for another reason, nobody
// learns here.
func (o *Outcomes) checkOwn(ctx context.Context, author string, identity lore.Identity) (err error) {
	if author == "" {
		return nil
	}
	own := author == identity.SourceID
	if !own {
		own, err = o.owners.IsOf(ctx, author, identity.Principal)
	}
	if err != nil || !own {
		return err
	}
	return &lore.Problem{
		Code:   lore.CodeOwnItem,
		Detail: "this fix is your own or of another source of your principal: only what others find when they use it counts",
		Fields: []lore.FieldError{{Pointer: "/id", Code: "own_item", Detail: "must name an item of somebody else"}},
	}
}

// SpokenOf reports whether a source of a principal with standing reported an outcome on an item or flagged it, as things are now. standing tells
// of a source. Errors: store_unavailable, standing's.
func (o *Outcomes) SpokenOf(ctx context.Context, id string, standing func(ctx context.Context, sources []string) (bool, error)) (bool, error) {
	aliases := []string{o.Client.Alias(OutcomesIndex), o.Client.AliasOf(lore.SafetyFlags)}
	if err := o.Client.Do(ctx, esapi.IndicesRefreshRequest{Index: aliases}, nil); err != nil {
		return false, err
	}
	var sources []string
	for _, alias := range aliases {
		found, err := ReadAll[struct {
			SourceID string `json:"source_id"`
			RaisedBy string `json:"raised_by"`
		}](ctx, o.Client, alias, map[string]any{"bool": map[string]any{"filter": []any{Term("target.id", id)}}}, ByID)
		if err != nil {
			return false, err
		}
		for _, one := range found {
			if by := one.SourceID + one.RaisedBy; by != lore.RaisedByAgentlore {
				sources = append(sources, by)
			}
		}
	}
	if len(sources) == 0 {
		return false, nil
	}
	return standing(ctx, sources)
}
