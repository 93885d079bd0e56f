package migrate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/mappings"
)

// Backups are the snapshots of a prefix's indices in one place, an Elasticsearch repository. Close it after use.
type Backups struct {
	*Migrator
	repository string
	say        func(format string, values ...any)
}

// Backup is a whole snapshot, and the index that it has of each alias.
type Backup struct {
	Name    string
	Indices map[string]string
}

// placeSettings returns type and settings of the repository that a URL names.
func placeSettings(place string) (kind string, settings map[string]any, err error) {
	at, err := url.Parse(place)
	if err == nil {
		path := strings.Trim(at.Path, "/")
		switch {
		case at.Scheme == "file" && at.Host == "" && path != "":
			return "fs", map[string]any{"location": "/" + path}, nil
		case at.Scheme == "s3" && at.Host != "":
			return "s3", map[string]any{"bucket": at.Host, "base_path": path}, nil
		case at.Scheme == "gs" && at.Host != "":
			return "gcs", map[string]any{"bucket": at.Host, "base_path": path}, nil
		}
	}
	return "", nil, errors.New("the place of a backup must be like file:///FOLDER, s3://BUCKET/FOLDER or gs://BUCKET/FOLDER")
}

// OpenBackups makes a place known to Elasticsearch, to write backups there or only to read them, until Close.
func (c *Migrator) OpenBackups(ctx context.Context, place string, write bool, progress func(line string)) (*Backups, error) {
	kind, settings, err := placeSettings(place)
	if err != nil {
		return nil, err
	}
	// A name for each use: what only reads must not take the right to write from a backup under way.
	b := &Backups{Migrator: c, repository: fmt.Sprintf("%s-%t-%.4x", c.Prefix, write, sha256.Sum256([]byte(place)))}
	b.say = func(format string, values ...any) { progress(fmt.Sprintf(format, values...)) }
	if !write {
		settings["readonly"] = true
	}
	body := index.JSONBody(map[string]any{"type": kind, "settings": settings})
	if err := c.Do(ctx, esapi.SnapshotCreateRepositoryRequest{Repository: b.repository, Body: body}, nil); err != nil {
		return nil, fmt.Errorf("a place of type %s can't be used (a folder must be below path.repo of every node and the same on all of them; "+
			"a bucket needs credentials in every node's keystore; our user needs the rights in docs/operations/backup.md): %w", kind, index.RootCause(err))
	}
	return b, nil
}

// Close makes Elasticsearch forget the place. What lies there stays.
func (b *Backups) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), b.Timeout)
	defer cancel()
	if err := b.Do(ctx, esapi.SnapshotDeleteRepositoryRequest{Repository: []string{b.repository}}, nil); err != nil {
		b.Log.Warn("the place stays registered in Elasticsearch; that does no harm", "repository", b.repository, "cause", err)
	}
}

// snapshotPoll is how often Elasticsearch is asked how far it is.
const snapshotPoll = 500 * time.Millisecond

// Take makes a backup of all indices, internal ones included, while reads and writes go on, and returns it when it is whole. Migrations
// wait: an index can't be deleted while it is copied.
func (b *Backups) Take(ctx context.Context) (taken Backup, err error) {
	lease, err := b.AcquireLease(ctx, migrationLease, func() { b.say("waiting for a migration to end") })
	if err != nil {
		return taken, err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	taken.Indices, _, err = b.current(ctx)
	if err != nil {
		return taken, err
	}
	indices := slices.Collect(maps.Values(taken.Indices))
	taken.Name = b.Prefix + time.Now().UTC().Format(backupTime)
	body := index.JSONBody(map[string]any{"indices": indices, "include_global_state": false, "feature_states": []string{"none"}})
	b.say("%s: %d indices", taken.Name, len(indices))
	if err := b.Do(ctx, esapi.SnapshotCreateRequest{Repository: b.repository, Snapshot: taken.Name, Body: body}, nil); err != nil {
		return taken, fmt.Errorf("begin the backup: %w", err)
	}
	for {
		found, err := b.snapshots(ctx, taken.Name)
		if err == nil && len(found) == 0 {
			err = errors.New("it was deleted meanwhile")
		}
		if err != nil {
			return taken, fmt.Errorf("ask how far the backup is: %w", err)
		}
		switch found[0].State {
		case "SUCCESS":
			return taken, b.note(ctx, taken.Name)
		case "IN_PROGRESS":
		default:
			return taken, fmt.Errorf("the backup isn't whole (%s, %d shards failed): it isn't used by restore; look at Elasticsearch's log",
				found[0].State, found[0].Shards.Failed)
		}
		select {
		case <-ctx.Done():
			return taken, ctx.Err()
		case <-time.After(snapshotPoll):
		}
	}
}

// backupNote is the id of the document of StateIndex that names the newest backup. It is no data, as leases are none. The places of
// backups aren't known to Elasticsearch between two uses, and a service needn't have the right to look into them.
const backupNote = "backup"

// backupTime is when a backup began, in its name.
const backupTime = "-20060102-150405"

// note writes down which backup the store has.
func (b *Backups) note(ctx context.Context, name string) error {
	note := map[string]any{"progress": map[string]string{"name": name}}
	return index.Wrapped("note down the backup", b.WriteDocument(ctx, b.Alias(index.StateIndex), backupNote, note, nil))
}

// LastBackup returns when the newest whole backup of the store began, or that which it was restored from. Errors: index.ErrNotFound, where
// there is none; store_unavailable.
func LastBackup(ctx context.Context, client *index.Client) (time.Time, error) {
	note, err := index.Get[struct {
		Progress struct {
			Name string `json:"name"`
		} `json:"progress"`
	}](ctx, client, client.Alias(index.StateIndex), backupNote)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(backupTime, strings.TrimPrefix(note.Source.Progress.Name, client.Prefix))
}

// Keep deletes the oldest whole backups here but for so many, 0 for all, and returns their names. What later ones share with them stays.
func (b *Backups) Keep(ctx context.Context, most int) (deleted []string, err error) {
	if most <= 0 {
		return nil, nil
	}
	found, err := b.whole(ctx, b.Prefix+"-2*")
	if err != nil {
		return nil, err
	}
	for _, one := range found[:max(0, len(found)-most)] {
		if err := b.Do(ctx, esapi.SnapshotDeleteRequest{Repository: b.repository, Snapshot: []string{one.Name}}, nil); err != nil {
			return deleted, fmt.Errorf("delete %s: %w", one.Name, err)
		}
		deleted = append(deleted, one.Name)
	}
	return deleted, nil
}

// snapshot is what Elasticsearch tells of one.
type snapshot struct {
	Name    string   `json:"snapshot"`
	State   string   `json:"state"`
	Indices []string `json:"indices"`
	Shards  struct {
		Failed int `json:"failed"`
	} `json:"shards"`
}

func (b *Backups) snapshots(ctx context.Context, name string) ([]snapshot, error) {
	var answer struct {
		Snapshots []snapshot `json:"snapshots"`
	}
	err := b.Do(ctx, esapi.SnapshotGetRequest{
		Repository: b.repository, Snapshot: []string{name}, Sort: "start_time", IgnoreUnavailable: esapi.BoolPtr(true),
	}, &answer)
	return answer.Snapshots, err
}

// whole returns the snapshots of a name or pattern that are whole, the oldest first.
func (b *Backups) whole(ctx context.Context, pattern string) ([]snapshot, error) {
	found, err := b.snapshots(ctx, pattern)
	return slices.DeleteFunc(found, func(one snapshot) bool { return one.State != "SUCCESS" }), index.Wrapped("look for backups", err)
}

var generationSuffix = regexp.MustCompile(`-(\d+)$`)

// Find returns the whole backup of that name, or the newest one. It fails if that is of another version: what it lacks would be taken
// from the running store, and the two don't belong together.
func (b *Backups) Find(ctx context.Context, name string) (Backup, error) {
	pattern := name
	if name == "" {
		pattern = b.Prefix + "-2*"
	}
	found, err := b.whole(ctx, pattern)
	if err != nil {
		return Backup{}, err
	}
	if len(found) == 0 && name != "" {
		there, err := b.whole(ctx, b.Prefix+"-2*")
		names := []string{}
		for _, one := range there {
			names = append(names, one.Name)
		}
		return Backup{}, cmp.Or(err, fmt.Errorf("there is no whole backup %s of this index prefix; there are %q", name, names))
	}
	if len(found) == 0 {
		return Backup{}, errors.New("there is no whole backup of this index prefix")
	}
	newest := found[len(found)-1]
	backup := Backup{Name: newest.Name, Indices: map[string]string{}}
	for _, name := range newest.Indices {
		backup.Indices[generationSuffix.ReplaceAllString(name, "")] = name
	}
	definitions, err := mappings.All()
	if err != nil {
		return backup, err
	}
	for name := range definitions {
		if backup.Indices[b.Alias(name)] == "" {
			return backup, fmt.Errorf("%s has no %s: restore it with the version of agentlore that made it, then upgrade", backup.Name, b.Alias(name))
		}
	}
	if len(backup.Indices) != len(definitions) || len(newest.Indices) != len(definitions) {
		return backup, fmt.Errorf("%s has indices that this version doesn't know: restore it with the version that made it", backup.Name)
	}
	return backup, nil
}

// current returns the index behind each alias that there is, and the highest number of any index of this prefix.
func (c *Migrator) current(ctx context.Context) (indices map[string]string, highest int, err error) {
	var there map[string]struct {
		Aliases map[string]any `json:"aliases"`
	}
	if err := c.Do(ctx, esapi.IndicesGetAliasRequest{Index: []string{c.Prefix + "-*"}}, &there); err != nil {
		return nil, 0, err
	}
	indices = map[string]string{}
	for name, one := range there {
		alias := generationSuffix.ReplaceAllString(name, "")
		if one.Aliases[alias] != nil {
			indices[alias] = name
		}
		highest = max(highest, generation(name))
	}
	return indices, highest, nil
}

// generation returns the number at the end of an index's name, or 0.
func generation(name string) int {
	found := generationSuffix.FindStringSubmatch(name)
	if found == nil {
		return 0
	}
	number, _ := strconv.Atoi(found[1]) // one too large is no index of ours
	return number
}
