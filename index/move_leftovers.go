package index

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// retireAfter is how long an old index stays after the swap, for searches that began on it.
const retireAfter = 15 * time.Second

// retire deletes the old indices when no search reads them any more.
func (c *Client) retire(ctx context.Context, old []string) error {
	if len(old) == 0 {
		return nil
	}
	timer := time.NewTimer(retireAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done(): // all is moved; a search that began before may fail
	}
	var faults error
	for _, index := range old {
		faults = errors.Join(faults, c.drop(context.WithoutCancel(ctx), index))
	}
	return faults
}

// discard removes the new index of a migration that failed, unless the alias leads there: an answer may have been lost.
func (m *move) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), m.timeout)
	defer cancel()
	var there map[string]any
	if err := m.Do(ctx, esapi.IndicesGetAliasRequest{Index: []string{m.alias}}, &there); err != nil || there[m.to] != nil {
		return
	}
	err := m.settle(ctx) // a copy that goes on would make the index again
	if err == nil {
		err = m.drop(ctx, m.to)
	}
	if err != nil {
		m.say("%s is left behind; the next migration removes it", m.to)
	}
}

// drop deletes an index, if it is there.
func (c *Client) drop(ctx context.Context, index string) error {
	missing := true
	return c.Do(ctx, esapi.IndicesDeleteRequest{Index: []string{index}, IgnoreUnavailable: &missing}, nil)
}

// settle waits until no copy writes to the new index any more. One whose migration was killed, or waited no longer, goes on in
// Elasticsearch, and what it writes late may be older than what is there by then.
func (m *move) settle(ctx context.Context) error {
	detailed := true
	for said := false; ; {
		var answer struct {
			Nodes map[string]struct {
				Tasks map[string]struct {
					Description string `json:"description"` // reindex from [...] to [...]
				} `json:"tasks"`
			} `json:"nodes"`
		}
		if err := m.Do(ctx, esapi.TasksListRequest{Actions: []string{"indices:data/write/reindex"}, Detailed: &detailed}, &answer); err != nil {
			return fmt.Errorf("look for earlier copies: %w", err)
		}
		running := false
		for _, node := range answer.Nodes {
			for _, task := range node.Tasks {
				running = running || strings.Contains(task.Description, m.to)
			}
		}
		if !running {
			return nil
		}
		if !said {
			m.say("waiting for an earlier copy to %s to end", m.to)
			said = true
		}
		select {
		case <-ctx.Done():
			return transportError(ctx, ctx.Err())
		case <-time.After(time.Second):
		}
	}
}
