package main

import (
	"context"
	"fmt"

	"agentlore/index/migrate"
)

// backupCommand copies the store.
type backupCommand struct {
	storeConfig
	To   string `required:"" help:"Where: file:///FOLDER below every node's path.repo, s3://BUCKET/FOLDER or gs://BUCKET/FOLDER." placeholder:"URL"`
	Keep int    `help:"Delete the oldest whole backups there but for so many, the new one counted; 0: none." placeholder:"N"`
}

// Run makes a backup and prints its name, and those of the backups that it deleted.
func (c *backupCommand) Run(ctx context.Context, out output) error {
	return c.storeConfig.withBackups(ctx, out, c.To, true, func(b *migrate.Backups) error {
		taken, err := b.Take(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "backup %s is whole: %d indices\n", taken.Name, len(taken.Indices))
		deleted, err := b.Keep(ctx, c.Keep)
		for _, name := range deleted {
			fmt.Fprintln(out.stdout, "deleted", name)
		}
		return err
	})
}

// backupChoice names a backup.
type backupChoice struct {
	storeConfig
	Snapshot string `help:"Name of the backup, as agentlore backup printed it; the newest by default." placeholder:"NAME"`
}

// restoreCommand brings a backup back.
type restoreCommand struct {
	backupChoice
	From    string `required:"" help:"Where the backup lies, as agentlore backup was given it." placeholder:"URL"`
	Replace bool   `help:"Delete what the store holds now, in the moment in which the backup takes its place; else it is kept beside."`
}

// Run restores the backup.
func (c *restoreCommand) Run(ctx context.Context, out output) error {
	return c.withBackups(ctx, out, c.From, false, func(b *migrate.Backups) error {
		backup, err := b.Find(ctx, c.Snapshot)
		if err != nil {
			return err
		}
		kept, err := b.Restore(ctx, backup, c.Replace)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "restored %s: %d indices\n", backup.Name, len(backup.Indices))
		for _, name := range kept {
			fmt.Fprintf(out.stdout, "kept, and read by nobody: %s\n", name)
		}
		return nil
	})
}

// verifyCommand compares the store with a backup.
type verifyCommand struct {
	backupChoice
	Against string `required:"" help:"Where the backup lies." placeholder:"URL"`
}

// Run prints both sides of every collection, and fails if one differs.
func (c *verifyCommand) Run(ctx context.Context, out output) error {
	return c.withBackups(ctx, out, c.Against, false, func(b *migrate.Backups) error {
		backup, err := b.Find(ctx, c.Snapshot)
		if err != nil {
			return err
		}
		compared, err := b.Verify(ctx, backup)
		if err != nil {
			return err
		}
		differ := 0
		for _, one := range compared {
			word := "equal"
			if one.Backup != one.Store {
				word = "differs"
				differ++
			}
			fmt.Fprintf(out.stdout, "%-8s %-28s backup %9d %.6x   store %9d %.6x\n", word, one.Alias,
				one.Backup.Documents, one.Backup.Checksum, one.Store.Documents, one.Store.Checksum)
		}
		if differ > 0 {
			return fmt.Errorf("%d of %d collections differ from %s", differ, len(compared), backup.Name)
		}
		return nil
	})
}

// withBackups runs work with a place of backups open.
func (c storeConfig) withBackups(ctx context.Context, out output, place string, write bool, work func(*migrate.Backups) error) error {
	migrator, _, err := c.migrator(ctx, out)
	if err != nil {
		return err
	}
	backups, err := migrator.OpenBackups(ctx, place, write, out.progress)
	if err != nil {
		return err
	}
	defer backups.Close()
	return work(backups)
}
