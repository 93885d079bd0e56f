package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/mappings"
)

// The oldest version of Elasticsearch that will do: what the tests run.
const (
	wantMajor = 8
	wantMinor = 19
)

// CheckResult says what a finding means for an operator.
type CheckResult string

// The results of a check.
const (
	CheckOK      CheckResult = "ok"      // as it should be
	CheckWarning CheckResult = "warning" // it works, and is probably not meant
	CheckFault   CheckResult = "fault"   // it stops the service, or will
)

// Say reports a finding about a cluster to an operator.
type Say func(result CheckResult, format string, values ...any)

// Inspect looks for everything that would keep the service from working on this cluster, without changing anything: version,
// credentials, privileges, the state of the indices.
func (c *Client) Inspect(ctx context.Context, say Say) {
	if !c.inspectVersion(ctx, say) {
		return // the rest would say the same
	}
	maySee := c.inspectPrivileges(ctx, say)
	c.inspectNodes(ctx, say)
	if !maySee { // Elasticsearch hides what may not be seen: it would look as if nothing were there
		say(CheckWarning, "without the privilege manage it isn't visible which indices are there")
		return
	}
	c.inspectIndices(ctx, say)
}

// inspectVersion reports whether the cluster answers us at all.
func (c *Client) inspectVersion(ctx context.Context, say Say) bool {
	var info struct {
		Version struct {
			Number string `json:"number"`
		} `json:"version"`
	}
	err := c.Do(ctx, esapi.InfoRequest{}, &info)
	switch {
	case StatusOf(err) == http.StatusUnauthorized:
		say(CheckFault, "it refuses our credentials (401): check ELASTICSEARCH_USERNAME and ELASTICSEARCH_PASSWORD, or ELASTICSEARCH_API_KEY")
		return false
	case StatusOf(err) == http.StatusForbidden:
		say(CheckFault, "our user or key may not even ask for its version (403): it needs the cluster privilege monitor")
		return false
	case err != nil:
		say(CheckFault, "it can't be reached: %v", RootCause(err))
		return false
	}
	var major, minor int
	_, _ = fmt.Sscanf(info.Version.Number, "%d.%d", &major, &minor) // what can't be read is too old
	switch {
	case major < wantMajor || major == wantMajor && minor < wantMinor:
		say(CheckFault, "it is version %s; %d.%d or a later %d is needed", info.Version.Number, wantMajor, wantMinor, wantMajor)
	case major > wantMajor:
		say(CheckWarning, "it is version %s; the service is tested with %d.%d", info.Version.Number, wantMajor, wantMinor)
	default:
		say(CheckOK, "version %s", info.Version.Number)
	}
	return true
}

// StatusOf returns the HTTP status that Elasticsearch answered with, 0 where the error is of another kind.
func StatusOf(err error) int {
	if refused, is := errors.AsType[*responseError](err); is {
		return refused.status
	}
	return 0
}

// RootCause returns the cause of a problem, whose own words are for callers.
func RootCause(err error) error {
	if problem, is := errors.AsType[*lore.Problem](err); is && problem.Cause != nil {
		return problem.Cause
	}
	return err
}

// indexPrivileges are what the service does with its indices; with manage it creates them and, on a migration, swaps and
// deletes them.
var indexPrivileges = []string{"manage", "read", "write"}

// inspectPrivileges asks Elasticsearch what we may do, and reports whether that includes to look at our indices.
func (c *Client) inspectPrivileges(ctx context.Context, say Say) (maySee bool) {
	pattern := c.Prefix + "-*"
	body := JSONBody(map[string]any{
		"cluster": []string{"monitor"},
		"index":   []any{map[string]any{"names": []string{pattern}, "privileges": indexPrivileges}},
	})
	var answer struct {
		All     bool                       `json:"has_all_requested"`
		Cluster map[string]bool            `json:"cluster"`
		Index   map[string]map[string]bool `json:"index"`
	}
	err := c.Do(ctx, esapi.SecurityHasPrivilegesRequest{Body: body}, &answer)
	if status := StatusOf(err); status >= 400 && status < 600 { // there is no such question where security is off
		say(CheckWarning, "security is off: every client that reaches it reads and changes everything")
		return true
	}
	if err != nil {
		say(CheckFault, "it doesn't tell our privileges: %v", RootCause(err))
		return false
	}
	if !answer.Cluster["monitor"] {
		say(CheckFault, "our user or key lacks the cluster privilege monitor")
	}
	for _, privilege := range indexPrivileges {
		if !answer.Index[pattern][privilege] {
			say(CheckFault, "our user or key lacks the privilege %s on %s", privilege, pattern)
		}
	}
	if answer.All {
		say(CheckOK, "our user or key may do what the service does on %s", pattern)
	}
	return answer.Index[pattern]["manage"]
}

// inspectNodes compares nodes and replicas.
func (c *Client) inspectNodes(ctx context.Context, say Say) {
	var health struct {
		Nodes int `json:"number_of_data_nodes"`
	}
	if err := c.Do(ctx, esapi.ClusterHealthRequest{}, &health); err != nil {
		if StatusOf(err) != http.StatusForbidden { // the privileges say so
			say(CheckFault, "it doesn't tell how it is: %v", RootCause(err))
		}
		return
	}
	replicas, err := strconv.Atoi(c.Replicas)
	switch {
	case err == nil && replicas >= health.Nodes:
		say(CheckWarning, "%d replicas on %d data nodes: some copies have no place", replicas, health.Nodes)
	case health.Nodes == 1:
		say(CheckWarning, "one data node: when it is lost, so is all that no snapshot holds")
	default:
		say(CheckOK, "%d data nodes", health.Nodes)
	}
}

// inspectIndices looks at what is there already. No index at all is a service that has never been started.
func (c *Client) inspectIndices(ctx context.Context, say Say) {
	definitions, err := mappings.Sized(c.Dimensions)
	if err != nil {
		say(CheckFault, "%v", err)
		return
	}
	there := 0
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		alias := c.Alias(name)
		held, exists, err := c.mapping(ctx, alias)
		if err != nil {
			say(CheckFault, "%s can't be read: %v", alias, RootCause(err))
			continue
		}
		if !exists {
			continue
		}
		there++
		if held.Meta.Hash != definitions[name].Hash {
			say(CheckWarning, "%s has another version's mapping: agentlore migrate moves it", alias)
		}
		c.inspectIndex(ctx, alias, say)
	}
	switch {
	case there == 0:
		say(CheckOK, "no index is there yet; the first start makes them")
	case there < len(definitions):
		say(CheckWarning, "%d of %d indices are there; the next start makes the rest", there, len(definitions))
	default:
		say(CheckOK, "all %d indices are there", there)
	}
}

// inspectIndex looks at whether an index can be written and has all its primary shards.
func (c *Client) inspectIndex(ctx context.Context, alias string, say Say) {
	var health struct {
		Status string `json:"status"`
	}
	err := c.Do(ctx, esapi.ClusterHealthRequest{Index: []string{alias}, Timeout: pingTimeout}, &health)
	if err == nil && health.Status == "red" {
		say(CheckFault, "%s is red: a primary shard is missing", alias)
	}
	blocks, err := c.Blocks(ctx, []string{alias})
	if err != nil {
		say(CheckFault, "%s doesn't tell its settings: %v", alias, RootCause(err))
	}
	for _, block := range blocks {
		say(CheckFault, "%s can't be written: %s is set (a full disk sets read_only_allow_delete, a migration under way sets write)",
			alias, block.Name)
	}
}
