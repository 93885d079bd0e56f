package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// swapped reports whether the alias leads to the new index.
func (m *move) swapped(ctx context.Context) bool {
	var there map[string]any
	err := m.Do(ctx, esapi.IndicesGetAliasRequest{Name: []string{m.alias}}, &there)
	return err == nil && there[m.to] != nil
}

// swap holds writes, copies what is missing, and lets the alias lead to the new index.
func (m *move) swap(ctx context.Context, seen checkpoints) (err error) {
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	started := time.Now()
	defer func() {
		if err != nil { // whatever happened: writers must go on
			m.unblock(m.from)
		}
	}()
	if err := m.holdWrites(ctx); err != nil {
		return fmt.Errorf("hold writes: %w", err)
	}
	copied, err := m.copy(ctx, seen, true)
	if err != nil {
		return err
	}
	removed, err := m.removeDeleted(ctx)
	if err != nil {
		return err
	}
	if err := m.swapAlias(ctx); err != nil {
		return err
	}
	m.say("moved: writes were held for %s, %d documents copied in it, %d deleted ones removed", time.Since(started).Round(time.Millisecond), copied, removed)
	return nil
}

// swapAlias lets the alias lead to the new index.
func (m *move) swapAlias(ctx context.Context) error {
	body, err := jsonBody(map[string]any{"actions": []any{
		map[string]any{"remove": map[string]any{"index": m.from, "alias": m.alias, "must_exist": true}},
		map[string]any{"add": map[string]any{"index": m.to, "alias": m.alias}},
	}})
	if err == nil {
		err = m.Do(ctx, esapi.IndicesUpdateAliasesRequest{Body: body}, nil)
	}
	if err != nil {
		return fmt.Errorf("swap the alias: %w", err)
	}
	return nil
}

// holdWrites blocks writes to the old index. It returns once those that came before have ended, on every shard: one that ended
// after the last copy would be lost.
func (m *move) holdWrites(ctx context.Context) error {
	var answer struct {
		Everywhere bool `json:"shards_acknowledged"`
	}
	err := m.Do(ctx, esapi.IndicesAddBlockRequest{Index: []string{m.from}, Block: "write"}, &answer)
	if err == nil && !answer.Everywhere {
		err = lore.StoreUnavailable(errors.New("a shard didn't say that its writes have ended"))
	}
	return err
}

// unblock lets writes to an index go on.
func (c *Client) unblock(index string) {
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	if err := c.putSettings(ctx, index, map[string]any{"blocks.write": nil}); err != nil {
		c.log.Error("writes stay held; a service lifts this within a few minutes", "index", index, "cause", err)
	}
}
