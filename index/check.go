package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/mappings"
)

// The oldest version of Elasticsearch that will do: what the tests run.
const (
	wantMajor = 8
	wantMinor = 19
)

// Inspection is what an operator is told of a cluster.
type Inspection struct {
	Facts    []string // what is as it should be
	Warnings []string // what works, and is probably not meant
	Faults   []error  // what stops the service, or will
}

func (i *Inspection) fact(format string, values ...any) {
	i.Facts = append(i.Facts, fmt.Sprintf(format, values...))
}

func (i *Inspection) warn(format string, values ...any) {
	i.Warnings = append(i.Warnings, fmt.Sprintf(format, values...))
}

func (i *Inspection) fault(format string, values ...any) {
	i.Faults = append(i.Faults, fmt.Errorf(format, values...))
}

// Inspect looks for everything that would keep the service from working on this cluster, without changing anything: version,
// credentials, privileges, the state of the indices.
func (c *Client) Inspect(ctx context.Context) Inspection {
	var found Inspection
	if !c.inspectVersion(ctx, &found) {
		return found // the rest would say the same
	}
	maySee := c.inspectPrivileges(ctx, &found)
	c.inspectNodes(ctx, &found)
	if !maySee { // Elasticsearch hides what may not be seen: it would look as if nothing were there
		found.warn("which indices are there can't be told without the privilege manage")
		return found
	}
	c.inspectIndices(ctx, &found)
	return found
}

// inspectVersion reports whether the cluster answers us at all.
func (c *Client) inspectVersion(ctx context.Context, found *Inspection) bool {
	var info struct {
		Version struct {
			Number string `json:"number"`
		} `json:"version"`
	}
	err := c.Do(ctx, esapi.InfoRequest{}, &info)
	switch {
	case statusOf(err) == http.StatusUnauthorized:
		found.fault("it refuses our credentials (401): check ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, or ELASTICSEARCH_API_KEY")
		return false
	case statusOf(err) == http.StatusForbidden:
		found.fault("our user or key may not even ask for its version (403): it needs the cluster privilege monitor")
		return false
	case err != nil:
		found.fault("it can't be reached: %w", RootCause(err))
		return false
	}
	major, rest, _ := strings.Cut(info.Version.Number, ".")
	minor, _, _ := strings.Cut(rest, ".")
	majorNumber, _ := strconv.Atoi(major)
	minorNumber, _ := strconv.Atoi(minor)
	switch {
	case majorNumber < wantMajor || majorNumber == wantMajor && minorNumber < wantMinor:
		found.fault("it is version %s; %d.%d or a later %d is needed", info.Version.Number, wantMajor, wantMinor, wantMajor)
	case majorNumber > wantMajor:
		found.warn("it is version %s; the service is tested with %d.%d", info.Version.Number, wantMajor, wantMinor)
	default:
		found.fact("version %s", info.Version.Number)
	}
	return true
}

// statusOf returns the HTTP status that Elasticsearch answered with, 0 where the error is of another kind.
func statusOf(err error) int {
	var refused *responseError
	if errors.As(err, &refused) {
		return refused.status
	}
	return 0
}

// RootCause returns the cause of a problem, whose own words are for callers.
func RootCause(err error) error {
	var problem *lore.Problem
	if errors.As(err, &problem) && problem.Cause != nil {
		return problem.Cause
	}
	return err
}

// indexPrivileges are what the service does with its indices; with manage it creates them and, on a migration, swaps and
// deletes them.
var indexPrivileges = []string{"manage", "read", "write"}

// inspectPrivileges asks Elasticsearch what we may do, and reports whether that includes to look at our indices.
func (c *Client) inspectPrivileges(ctx context.Context, found *Inspection) (maySee bool) {
	pattern := c.prefix + "-*"
	body, err := json.Marshal(map[string]any{
		"cluster": []string{"monitor"},
		"index":   []any{map[string]any{"names": []string{pattern}, "privileges": indexPrivileges}},
	})
	if err != nil {
		found.fault("%w", err)
		return false
	}
	var answer struct {
		All     bool                       `json:"has_all_requested"`
		Cluster map[string]bool            `json:"cluster"`
		Index   map[string]map[string]bool `json:"index"`
	}
	err = c.Do(ctx, esapi.SecurityHasPrivilegesRequest{Body: bytes.NewReader(body)}, &answer)
	switch status := statusOf(err); {
	case status >= 400 && status < 600: // there is no such question where security is off
		found.warn("security is off: whoever reaches it reads and changes everything")
		return true
	case err != nil:
		found.fault("it doesn't tell our privileges: %w", RootCause(err))
		return false
	}
	for _, privilege := range slices.Sorted(maps.Keys(answer.Cluster)) {
		if !answer.Cluster[privilege] {
			found.fault("our user or key lacks the cluster privilege %s", privilege)
		}
	}
	for _, privilege := range indexPrivileges {
		if !answer.Index[pattern][privilege] {
			found.fault("our user or key lacks the privilege %s on %s", privilege, pattern)
		}
	}
	if answer.All {
		found.fact("our user or key may do what the service does on %s", pattern)
	}
	return answer.Index[pattern]["manage"]
}

// inspectNodes compares nodes and replicas.
func (c *Client) inspectNodes(ctx context.Context, found *Inspection) {
	var health struct {
		Nodes int `json:"number_of_data_nodes"`
	}
	if err := c.Do(ctx, esapi.ClusterHealthRequest{}, &health); err != nil {
		if statusOf(err) != http.StatusForbidden { // that is told with the privileges
			found.fault("it doesn't tell how it is: %w", RootCause(err))
		}
		return
	}
	replicas, err := strconv.Atoi(c.replicas)
	switch {
	case err == nil && replicas >= health.Nodes:
		found.warn("%d replicas on %d data nodes: some copies have no place", replicas, health.Nodes)
	case health.Nodes == 1:
		found.warn("one data node: when it is lost, so is all that no snapshot holds")
	default:
		found.fact("%d data nodes", health.Nodes)
	}
}

// inspectIndices looks at what is there already. No index at all is a service that has never been started.
func (c *Client) inspectIndices(ctx context.Context, found *Inspection) {
	definitions, err := mappings.All()
	if err != nil {
		found.fault("%w", err)
		return
	}
	there := 0
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		alias := c.alias(name)
		_, hash, exists, err := c.mappingHash(ctx, alias)
		if err != nil {
			found.fault("%s can't be read: %w", alias, RootCause(err))
			continue
		}
		if !exists {
			continue
		}
		there++
		if hash != definitions[name].Hash {
			found.warn("%s has another version's mapping: agentlore migrate --mapping moves it", alias)
		}
		c.inspectIndex(ctx, alias, found)
	}
	switch {
	case there == 0:
		found.fact("no index is there yet; the first start makes them")
	case there < len(definitions):
		found.warn("%d of %d indices are there; the next start makes the rest", there, len(definitions))
	default:
		found.fact("all %d indices are there", there)
	}
}

// inspectIndex looks at whether an index can be written and has all its primary shards.
func (c *Client) inspectIndex(ctx context.Context, alias string, found *Inspection) {
	var health struct {
		Status string `json:"status"`
	}
	if err := c.Do(ctx, esapi.ClusterHealthRequest{Index: []string{alias}, Timeout: pingTimeout}, &health); err == nil && health.Status == "red" {
		found.fault("%s is red: a primary shard is missing", alias)
	}
	var behind map[string]any
	if err := c.Do(ctx, esapi.IndicesGetAliasRequest{Name: []string{alias}}, &behind); err == nil && len(behind) > 1 {
		found.fault("%s leads to %d indices, and must lead to one", alias, len(behind))
	}
	blocks, err := c.blocks(ctx, []string{alias})
	if err != nil {
		found.fault("%s doesn't tell its settings: %w", alias, RootCause(err))
		return
	}
	for _, block := range blocks {
		found.fault("%s can't be written: %s is set (a full disk sets read_only_allow_delete, a migration under way sets write)", alias, block.name)
	}
}
