package main

import (
	"context"
	"fmt"
	"time"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/index/migrate"
	"agentlore/knowledge"
	"agentlore/lore"
)

// migrateCommand brings the store to this version: it creates what is missing and moves what has another mapping, while reads and
// writes go on.
type migrateCommand struct {
	storeConfig
	Rate int `default:"2000" help:"Documents that a copy reads a second at most, so that searches and writes beside it are served; 0: as many as the store can."`
}

// migrateTimeout is for what takes long on a large index and a busy cluster: making 100,000 copied documents visible is one call.
const migrateTimeout = time.Minute

// Run creates missing indices and moves those of another version.
func (c *migrateCommand) Run(ctx context.Context, out output) error {
	migrator, settings, err := c.migrator(ctx, out)
	if err != nil {
		return err
	}
	if _, err := createIndices(ctx, migrator.Client, settings); err != nil {
		return err
	}
	moved, err := migrator.Move(ctx, migrate.Move{Mapping: true, Rate: c.Rate, Progress: out.progress})
	if err != nil {
		return fmt.Errorf("%w (%d collections moved; run it again to go on)", err, moved)
	}
	if _, err = fmt.Fprintf(out.stdout, "%d collections moved\n", moved); err != nil || moved == 0 {
		return err
	}
	return surveyKnowledge(ctx, out, migrator.Client)
}

// mostFalling is how many of the units that fall are named.
const mostFalling = 20

// surveyKnowledge says how many of the units that agents earned hold under this version's rules, and which fall and why: what was said of
// them before their words last changed no longer counts. The next pass withdraws these.
func surveyKnowledge(ctx context.Context, out output, client *index.Client) error {
	surveyor := worker.New(worker.Config{
		Store: curation.New(client, nil), Library: kindLibraries(knowledge.New(client, out.log)), Rules: curator.DefaultRules(), Log: out.log, Now: time.Now,
	})
	found, err := surveyor.Survey(ctx)
	if err != nil {
		return fmt.Errorf("look at what is known: %w", err)
	}
	fmt.Fprintf(out.stdout, "knowledge that agents earned: %d units hold, %d fall with the next pass\n", found.Holding, len(found.Falling))
	for _, unit := range found.Falling[:min(len(found.Falling), mostFalling)] {
		fmt.Fprintf(out.stdout, "  %s  lacks %v  %s\n", unit.ID, unit.Missing, plain(lore.CutAtWord(unit.Summary, 80)))
	}
	return nil
}

// migrator returns what moves, copies and restores indices, when Elasticsearch is up, and the settings that it has.
func (c storeConfig) migrator(ctx context.Context, out output) (*migrate.Migrator, index.Config, error) {
	settings, err := c.settings(out)
	if err != nil {
		return nil, settings, err
	}
	settings.Timeout = max(settings.Timeout, migrateTimeout)
	client, err := openReady(ctx, settings)
	return migrate.New(client), settings, err
}

// progress prints a line with the time of day.
func (o output) progress(line string) {
	fmt.Fprintln(o.stdout, time.Now().Format(time.TimeOnly), line)
}
