package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/curator"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

type reviewAccept struct {
	decisionFlags
	ID          string        `arg:"" help:"Id of the suggestion."`
	Name        string        `help:"Asset: its name, where the suggestion doesn't say."`
	Type        string        `help:"Asset: its type, a slug such as bridge."`
	Ecosystem   []string      `help:"Asset: its ecosystems."`
	URL         string        `help:"Asset: its official address."`
	Address     []string      `help:"Asset: its addresses."`
	Description string        `help:"Asset: what it is."`
	Category    lore.Category `default:"" enum:",failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" help:"Category: the one to set on the suggestion's target."`
	Into        string        `help:"Merge: the submission or pattern that the suggestion's target is one with." placeholder:"ID"`
}

// Run accepts a suggestion and does what it asks for.
func (c *reviewAccept) Run(ctx context.Context, d *desk) error {
	suggestion, err := index.NewCollection[lore.Suggestion](d.store.client, lore.Suggestions, "suggestion").Get(ctx, c.ID)
	if err != nil {
		return err
	}
	object := suggestion.Target
	switch suggestion.Kind {
	case lore.SuggestAsset:
		created := false
		if object, created, err = c.addAsset(ctx, d, suggestion); err != nil {
			return err
		}
		if !created && !d.dry {
			fmt.Fprintln(d.out.stderr, "the asset is in the catalog already, and stays as it is")
		}
	case lore.SuggestCategory:
		switch {
		case object == nil && c.Category != "":
			return errors.New("the suggestion names no item whose category --category could set")
		case object == nil:
		case object.Collection != lore.Submissions:
			return errors.New("patterns and units have the category that their reports have: reject it, and accept one on those submissions")
		case c.Category == "":
			return errors.New("which category? give --category")
		case !d.dry:
			if err := d.review.Recategorise(ctx, *object, c.Category); err != nil {
				return err
			}
		}
	case lore.SuggestMerge:
		if c.Into == "" {
			return errors.New("one with what? give --into")
		}
		if err := d.merge(ctx, object.ID, c.Into); err != nil {
			return err
		}
	}
	return d.decide(ctx, lore.Target{Collection: lore.Suggestions, ID: c.ID}, object, nil)
}

// addAsset puts a suggested asset into the catalog, unless it is there: what the operator says, else what the suggestion says.
func (c *reviewAccept) addAsset(ctx context.Context, d *desk, suggestion lore.Suggestion) (asset *lore.Target, created bool, err error) {
	entry := curator.ReadAsset(suggestion.Content)
	for _, field := range []struct{ value, given *string }{
		{&entry.Name, &c.Name}, {&entry.Type, &c.Type}, {&entry.URL, &c.URL}, {&entry.Description, &c.Description},
	} {
		if *field.given != "" {
			*field.value = *field.given
		}
	}
	if len(c.Ecosystem) > 0 {
		entry.Ecosystem = c.Ecosystem
	}
	if len(c.Address) > 0 {
		entry.Addresses = c.Address
	}
	entry.Origin = lore.OriginSuggestion + suggestion.ID
	if entry.Name == "" || entry.Type == "" {
		return nil, false, errors.New("the suggestion doesn't say the asset's name and type: give --name and --type")
	}
	if invalid := lore.InvalidFields(entry.Check()); invalid != nil {
		return nil, false, errors.New(refusalText(invalid))
	}
	clean, err := scrubber.Scrub(ctx, d.clean, entry)
	if err != nil {
		return nil, false, fmt.Errorf("scrub: %w", err)
	}
	if !d.dry {
		if created, err = d.store.writer.CreateAsset(ctx, clean, time.Now()); err != nil {
			return nil, false, err
		}
	}
	return &lore.Target{Collection: lore.Assets, ID: clean.Value().AssetID()}, created, nil
}
