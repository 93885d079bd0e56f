package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"agentlore/index"
	"agentlore/lore"
)

type reviewSplit struct {
	decisionFlags
	IDs    []string `arg:"" name:"id" help:"Ids of submissions of one pattern that belong somewhere else; those that are named together may stay together."`
	Family bool     `help:"Take them out of their family instead; they stay in their pattern."`
}

// Run splits submissions from their pattern or family.
func (c *reviewSplit) Run(ctx context.Context, d *desk) error {
	if c.Family {
		return d.splitFamily(ctx, c.IDs)
	}
	submissions := index.NewCollection[lore.Submission](d.store.client, lore.Submissions, "submission")
	pattern := ""
	for _, id := range c.IDs {
		submission, err := submissions.Get(ctx, id)
		switch {
		case err != nil:
			return err
		case submission.PatternID == "":
			return fmt.Errorf("%s is in no pattern", id)
		case pattern != "" && pattern != submission.PatternID:
			return errors.New("these submissions are of several patterns: split them one by one")
		}
		pattern = submission.PatternID
	}
	members, err := d.review.Members(ctx, pattern)
	if err != nil {
		return err
	}
	staying := slices.DeleteFunc(members, func(id string) bool { return slices.Contains(c.IDs, id) })
	if len(staying) == 0 {
		return errors.New("that would leave nothing: name those that belong somewhere else")
	}
	for _, id := range c.IDs {
		if err := d.decide(ctx, lore.Target{Collection: lore.Submissions, ID: id}, lore.VerdictSplit, &lore.Target{Collection: lore.Patterns, ID: pattern}, staying); err != nil {
			return err
		}
	}
	return nil
}

type reviewMerge struct {
	decisionFlags
	ID   string `arg:"" help:"Id of the submission or pattern."`
	Into string `required:"" help:"Id of the submission or pattern that it is one with, or of the family that it belongs to." placeholder:"ID"`
}

// Run merges an item into a pattern.
func (c *reviewMerge) Run(ctx context.Context, d *desk) error {
	return d.merge(ctx, c.ID, c.Into)
}

// merge ties every submission of one item to those of another.
func (d *desk) merge(ctx context.Context, id, into string) error {
	joining, _, err := d.submissionsOf(ctx, id)
	if err != nil {
		return err
	}
	object, err := d.find(ctx, into, lore.Submissions, lore.Patterns, lore.Families)
	if err != nil {
		return err
	}
	if object.Collection == lore.Families {
		return d.decideEach(ctx, joining, lore.VerdictMerge, object)
	}
	others, object, err := d.submissionsOf(ctx, into)
	if err != nil {
		return err
	}
	joining = slices.DeleteFunc(joining, func(id string) bool { return slices.Contains(others, id) })
	if len(joining) == 0 || len(others) == 0 {
		return errors.New("there is nothing to merge: they are one already, or one of them has no submissions")
	}
	for _, id := range joining {
		if err := d.decide(ctx, lore.Target{Collection: lore.Submissions, ID: id}, lore.VerdictMerge, &object, others); err != nil {
			return err
		}
	}
	return nil
}

// submissionsOf returns a submission as a list of one, or a pattern's submissions.
func (d *desk) submissionsOf(ctx context.Context, id string) ([]string, lore.Target, error) {
	item, err := d.find(ctx, id, lore.Submissions, lore.Patterns)
	if err != nil || item.Collection == lore.Submissions {
		return []string{id}, item, err
	}
	members, err := d.review.Members(ctx, id)
	return members, item, err
}

// splitFamily takes submissions out of their families.
func (d *desk) splitFamily(ctx context.Context, ids []string) error {
	submissions := index.NewCollection[lore.Submission](d.store.client, lore.Submissions, "submission")
	for _, id := range ids {
		submission, err := submissions.Get(ctx, id)
		switch {
		case err != nil:
			return err
		case submission.FamilyID == "":
			return fmt.Errorf("%s is in no family", id)
		}
		if err := d.decideEach(ctx, []string{id}, lore.VerdictSplit, lore.Target{Collection: lore.Families, ID: submission.FamilyID}); err != nil {
			return err
		}
	}
	return nil
}

// decideEach decides on submissions and a family.
func (d *desk) decideEach(ctx context.Context, ids []string, verdict lore.Verdict, family lore.Target) error {
	for _, id := range ids {
		if err := d.decide(ctx, lore.Target{Collection: lore.Submissions, ID: id}, verdict, &family, nil); err != nil {
			return err
		}
	}
	return nil
}
