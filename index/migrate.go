package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/mappings"
)

// AccountsIndex is the index of accounts, for Client.Alias.
const AccountsIndex = "accounts"

// AccountsVersion is the version of the accounts' mapping from which on there is one document an account. Before, a name and a token
// had a document each, and owners stood for who is behind them.
const AccountsVersion = 3

// FirstGeneration is the suffix of an alias's first index; a migration counts on from it.
const FirstGeneration = "000001"

// WaitReady waits until Elasticsearch answers, telling the log every few seconds what it waits for. It gives up when ctx
// ends, and at once where waiting won't help: on a refused user name, password or key.
func (c *Client) WaitReady(ctx context.Context) error {
	started, told := time.Now(), time.Time{}
	for {
		err := c.Do(ctx, esapi.InfoRequest{}, nil)
		switch status := StatusOf(err); {
		case err == nil:
			return nil
		case status == http.StatusUnauthorized, status == http.StatusForbidden:
			return fmt.Errorf("elasticsearch refuses our credentials (%d): check ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, or ELASTICSEARCH_API_KEY", status)
		case time.Since(told) > 5*time.Second:
			c.Log.Info("waiting for elasticsearch", "waited", time.Since(started).Round(time.Second).String(), "cause", RootCause(err))
			told = time.Now()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("elasticsearch did not answer: %w", RootCause(err))
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// Migrate creates every index that is missing, under its alias. It is safe to run twice and from several processes at
// once. An index whose mapping is another than this binary's gets the fields that it lacks and is named in the returned lists: outdated
// ones work as they are, older ones have documents that this binary can't work with until Move has moved them.
func (c *Client) Migrate(ctx context.Context) (outdated, older []string, err error) {
	definitions, err := mappings.Sized(c.Dimensions)
	if err != nil {
		return nil, nil, err
	}
	names := slices.Sorted(maps.Keys(definitions))
	versions, current, faults := make([]int, len(names)), make([]bool, len(names)), make([]error, len(names))
	var group sync.WaitGroup
	for i, name := range names { // at once: an index takes Elasticsearch longest to wait for, not to make
		group.Go(func() { versions[i], current[i], faults[i] = c.migrate(ctx, definitions[name]) })
	}
	group.Wait()
	if err := errors.Join(faults...); err != nil {
		return nil, nil, err
	}
	for i, name := range names {
		switch {
		case name == AccountsIndex && versions[i] < AccountsVersion:
			older = append(older, c.Alias(name))
		case !current[i]:
			outdated = append(outdated, c.Alias(name))
		}
	}
	return outdated, older, nil
}

// migrate creates one index if it is missing, and reports of which version its mapping is, and whether it is this binary's.
func (c *Client) migrate(ctx context.Context, definition mappings.Definition) (version int, current bool, err error) {
	alias := c.Alias(definition.Name)
	held, exists, err := c.mapping(ctx, alias)
	version, current = held.Meta.Version, held.Meta.Hash == definition.Hash
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("look up %s: %w", alias, err)
	case exists && (current || definition.Name == AccountsIndex && version < AccountsVersion):
		return version, current, nil
	case exists:
		return version, false, c.addFields(ctx, alias, held, definition)
	}
	if err := c.createIndex(ctx, definition); err != nil {
		return 0, false, fmt.Errorf("create %s: %w", alias, err)
	}
	c.Log.Info("created index", "alias", alias, "version", definition.Version)
	return definition.Version, true, nil
}

// mapping is what an index says of its mapping, and its fields.
type mapping struct {
	Meta struct {
		Version int    `json:"version"`
		Hash    string `json:"hash"`
	} `json:"_meta"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// mapping returns the mapping of the index behind an alias.
func (c *Client) mapping(ctx context.Context, alias string) (held mapping, exists bool, err error) {
	var answer map[string]struct {
		Mappings mapping `json:"mappings"`
	}
	request := esapi.IndicesGetMappingRequest{Index: []string{alias}, IgnoreUnavailable: new(true)}
	err = c.Do(ctx, request, &answer)
	for _, index := range answer {
		held, exists = index.Mappings, true
	}
	return held, exists, err
}

// createIndex creates an alias's first index. Another process may be quicker: that is success too.
func (c *Client) createIndex(ctx context.Context, definition mappings.Definition) error {
	alias, settings := c.Alias(definition.Name), c.IndexSettings(definition)
	maps.Copy(settings, ReplicaSettings(c.Replicas))
	err := c.CreateNamed(ctx, alias+"-"+FirstGeneration, definition, settings, map[string]any{alias: map[string]any{}})
	if refused, is := errors.AsType[*responseError](err); is && refused.kind == "resource_already_exists_exception" {
		return nil
	}
	return err
}

// mergePolicy is how Elasticsearch merges segments. A search looks up its words in each segment, and reads the segments of a shard
// by several threads, each segment by one: a few large segments, and none that holds nearly all. A search takes a quarter less time on two cores.
var mergePolicy = map[string]any{
	// An index with a field @timestamp, be it an alias, is taken for one of logs: up to 32 segments of a size stay side by side.
	"merge.policy.type":               "tiered",
	"merge.policy.max_merged_segment": "1gb",
	// What every refresh leaves is merged soon, and not once for each size between 2 and 16 MB.
	"merge.policy.floor_segment": "16mb",
}

// IndexSettings returns the settings of an index in use, but for its replicas: see ReplicaSettings.
func (c *Client) IndexSettings(definition mappings.Definition) map[string]any {
	settings := map[string]any{
		// Elasticsearch's own: an index that nobody searched for 30 seconds stops refreshing, and the first search after that makes
		// it do so and waits. Internal indices are read by id; in an import a fiftieth of all work was to refresh them.
		"refresh_interval": nil,
		"number_of_shards": max(1, c.Shards.Of(definition)),
	}
	if !definition.Internal {
		settings["refresh_interval"] = "1s" // nobody's search pays for it
		maps.Copy(settings, mergePolicy)
		if definition.Lookup {
			settings["mode"] = "lookup"
		}
	}
	return settings
}

// ReplicaSettings returns the settings of an index for a number of replicas, or for "auto": one where there is a second node.
func ReplicaSettings(replicas string) map[string]any {
	if replicas, err := strconv.Atoi(replicas); err == nil {
		return map[string]any{"number_of_replicas": replicas, "auto_expand_replicas": "false"}
	}
	return map[string]any{"auto_expand_replicas": "0-1"}
}

// CreateNamed creates an index.
func (c *Client) CreateNamed(ctx context.Context, index string, definition mappings.Definition, indexSettings, aliases map[string]any) error {
	settings := maps.Clone(definition.Settings)
	settings["index"] = indexSettings
	body := JSONBody(map[string]any{"settings": settings, "mappings": definition.Mappings, "aliases": aliases})
	return c.Do(ctx, esapi.IndicesCreateRequest{Index: index, Body: body}, nil)
}

// addFields gives an index of another version the fields that it lacks, so that documents may have them: mappings are strict. That
// takes a moment and touches no document. Fields with an analyzer are left to a migration, like all else that differs.
func (c *Client) addFields(ctx context.Context, alias string, held mapping, definition mappings.Definition) error {
	missing := map[string]any{}
	wanted, _ := definition.Mappings["properties"].(map[string]any)
	for name, field := range wanted {
		described, _ := field.(map[string]any)
		_, there := held.Properties[name]
		if _, analysed := described["analyzer"]; !there && !analysed {
			missing[name] = field
		}
	}
	if len(missing) == 0 {
		return nil
	}
	body := JSONBody(map[string]any{"properties": missing})
	if err := c.Do(ctx, esapi.IndicesPutMappingRequest{Index: []string{alias}, Body: body}, nil); err != nil {
		return fmt.Errorf("add fields to %s: %w", alias, err)
	}
	c.Log.Info("added fields to an index of another version", "alias", alias, "fields", len(missing))
	return nil
}
