package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"agentlore/lore"
)

// others is how many patterns and how many knowledge units a mixed store has, and every how many observations one is made.
const (
	others      = 500
	othersEvery = 61
)

// other is a pattern or knowledge unit of a mixed store. It says what one observation says, and is judged as that is: nearly all
// observations are documents of web3-dups.
type other struct {
	made source
	id   string
	unit bool
	seen time.Time
}

// source is an observation with the name that it has as a document.
type source struct {
	lore.Observation
	Ref string `json:"ref"`
}

// chooseOthers chooses observations that are spread over all there are. One whose title is a question of the collection is left
// out: it is the document that the question was taken from, which the collection leaves out too.
func chooseOthers(o options, set collection) (chosen []other, err error) {
	row := 0
	err = readLines(filepath.Join(o.data, "observations.jsonl.gz"), func(one source) error {
		if set.asked[shorten(one.Summary)] || len(chosen) == 2*others {
			return nil
		}
		if row++; row%othersEvery == 0 {
			chosen = append(chosen, other{
				made: one, id: uuid.NewSHA1(uuid.NameSpaceURL, []byte(one.Ref)).String(),
				unit: row%2 == 0, seen: time.Now().UTC().AddDate(0, 0, -row%700),
			})
		}
		return nil
	})
	return chosen, err
}

// fillOthers imports the catalog, and makes patterns and knowledge, where there are none yet.
func (s *store) fillOthers(ctx context.Context, set collection) error {
	chosen, err := chooseOthers(s.o, set)
	if err != nil {
		return err
	}
	s.standsFor = map[string]string{}
	for _, one := range chosen {
		s.standsFor[one.id] = one.made.Ref
	}
	if len(s.standsFor) != 2*others {
		return fmt.Errorf("of %d observations %d differ in name, want %d", len(chosen), len(s.standsFor), 2*others)
	}
	if have, err := s.count(ctx, lore.KnowledgeUnits); err != nil || have > 0 {
		return err
	}
	if err := command(ctx, s.environment(), s.o.binary, "import", "--collection", "assets", filepath.Join(s.o.data, "assets.jsonl.gz")); err != nil {
		return err
	}
	lines := map[lore.Collection]*bytes.Buffer{lore.KnowledgeUnits: {}, lore.Patterns: {}}
	for _, one := range chosen {
		collection, item := lore.Patterns, any(one.pattern())
		if one.unit {
			collection, item = lore.KnowledgeUnits, one.knowledge()
		}
		if err := json.NewEncoder(lines[collection]).Encode(item); err != nil {
			return err
		}
	}
	for collection, lines := range lines {
		err := commandWith(ctx, lines, s.environment(), s.o.binary, "import", "--format", "export", "--collection", string(collection), "-")
		if err != nil {
			return err
		}
	}
	return nil
}

func (o other) knowledge() lore.KnowledgeUnit {
	return lore.KnowledgeUnit{
		ID: o.id, Summary: o.made.Summary, Content: o.made.Content, Resolution: o.made.Resolution, Category: lore.CategoryGeneral,
		Ecosystem: []string{}, Tags: o.made.Tags, Entities: lore.Entities(o.made.Summary, o.made.Content), Tier: lore.TierValidated, Confidence: 0.7,
		Evidence: lore.Evidence{SubmissionIDs: []string{}}, Status: lore.UnitActive, CreatedAt: o.seen, FirstSeenAt: o.seen, LastSeenAt: o.seen, PromotedAt: o.seen,
	}
}

func (o other) pattern() lore.Pattern {
	return lore.Pattern{
		ID: o.id, Summary: o.made.Summary, Resolution: o.made.Resolution, Category: lore.CategoryGeneral, Ecosystem: []string{}, Tags: o.made.Tags,
		Entities: lore.Entities(o.made.Summary), Tier: lore.TierCorroborated, Reports: 3, Sources: 2, Owners: 2, ExampleIDs: []string{},
		Status: lore.PatternEmerging, FirstSeenAt: o.seen, LastSeenAt: o.seen, CreatedAt: o.seen,
	}
}

// judgedAs returns the document that a result is judged as.
func (s *store) judgedAs(one result) (string, error) {
	if one.Type != lore.TypeKnowledgeUnit && one.Type != lore.TypePattern {
		return one.Ref, nil
	}
	document, made := s.standsFor[one.ID]
	if !made {
		return "", fmt.Errorf("%s %s was not made by this program: remove the store (scripts/engine stop --name relevance --wipe) and judge again", one.Type, one.ID)
	}
	return document, nil
}
