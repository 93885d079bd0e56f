package index

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/mappings"
)

// addFields gives an index of another version the fields that it lacks, so that documents may have them: mappings are strict. That
// takes a moment and touches no document. Fields with an analyzer are left to a migration, like all else that differs.
func (c *Client) addFields(ctx context.Context, alias string, definition mappings.Definition) error {
	var answer map[string]struct {
		Mappings struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"mappings"`
	}
	if err := c.Do(ctx, esapi.IndicesGetMappingRequest{Index: []string{alias}}, &answer); err != nil {
		return fmt.Errorf("read the mapping of %s: %w", alias, err)
	}
	missing := map[string]any{}
	wanted, _ := definition.Mappings["properties"].(map[string]any)
	for _, index := range answer {
		for name, mapping := range wanted {
			described, _ := mapping.(map[string]any)
			_, there := index.Mappings.Properties[name]
			if _, analysed := described["analyzer"]; !there && !analysed {
				missing[name] = mapping
			}
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
