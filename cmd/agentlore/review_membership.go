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

// Run splits submissions from their pattern or families.
func (c *reviewSplit) Run(ctx context.Context, d *desk) error {
	submissions := index.NewCollection[lore.Submission](d.store.client, lore.Submissions, "submission")
	groups, kind := make([]lore.Target, len(c.IDs)), "pattern"
	for i, id := range c.IDs {
		submission, err := submissions.Get(ctx, id)
		if err != nil {
			return err
		}
		groups[i] = lore.Target{Collection: lore.Patterns, ID: submission.PatternID}
		if c.Family {
			groups[i], kind = lore.Target{Collection: lore.Families, ID: submission.FamilyID}, "family"
		}
		switch {
		case groups[i].ID == "":
			return fmt.Errorf("%s is in no %s", id, kind)
		case !c.Family && groups[i] != groups[0]:
			return errors.New("these submissions are of several patterns: split them one by one")
		}
	}
	var staying []string
	if !c.Family {
		members, err := d.review.Members(ctx, groups[0].ID)
		if err != nil {
			return err
		}
		staying = slices.DeleteFunc(members, func(id string) bool { return slices.Contains(c.IDs, id) })
		if len(staying) == 0 {
			return errors.New("that would leave nothing: name those that belong somewhere else")
		}
	}
	for i, group := range groups {
		if err := d.decideEach(ctx, c.IDs[i:i+1], &group, staying); err != nil {
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

// merge ties every submission of one item to a family, or to those of another item.
func (d *desk) merge(ctx context.Context, id, into string) error {
	joining, _, err := d.submissionsOf(ctx, id)
	if err != nil {
		return err
	}
	object, err := d.find(ctx, into, lore.Submissions, lore.Patterns, lore.Families)
	if err != nil {
		return err
	}
	var others []string
	if object.Collection != lore.Families {
		if others, object, err = d.submissionsOf(ctx, into); err != nil {
			return err
		}
		joining = slices.DeleteFunc(joining, func(id string) bool { return slices.Contains(others, id) })
		if len(joining) == 0 || len(others) == 0 {
			return errors.New("there is nothing to merge: they are one already, or one of them has no submissions")
		}
	}
	merging := *d // accepting the suggestion is the decision to merge
	merging.verdict = lore.VerdictMerge
	return merging.decideEach(ctx, joining, &object, others)
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
