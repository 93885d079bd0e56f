package importer

import (
	"errors"
	"strings"
	"testing"

	"agentlore/lore"
)

// An exported line is read as it was written or not at all: in exact names, each once, and about an item of a public collection.
func TestExportedLinesAreReadStrictly(t *testing.T) {
	t.Parallel()
	id := lore.NewID()
	good := `{"id":"` + id + `","target":{"collection":"submissions","id":"` + id + `"},"reason":"stale","severity":"low","raised_by":"agentlore","status":"open","created_at":"2026-01-02T03:04:05Z"}`
	if flag, err := readItem[lore.SafetyFlag]([]byte(good)); err != nil || flag.Target.Collection != lore.Submissions || flag.ID != id {
		t.Fatalf("%+v, %v", flag, err)
	}
	for name, line := range map[string]string{
		"another case":       strings.Replace(good, `"reason"`, `"Reason"`, 1),
		"a name twice":       strings.Replace(good, `"reason"`, `"reason":"spam","reason"`, 1),
		"an unknown member":  strings.Replace(good, `{`, `{"title":1,`, 1),
		"within the target":  strings.Replace(good, `"collection"`, `"Collection":"accounts","collection"`, 1),
		"a second value":     good + `{}`,
		"a made-up target":   strings.Replace(good, `"submissions"`, `"accounts"`, 1),
		"no target":          strings.Replace(good, `"submissions"`, `""`, 1),
		"an id of one's own": strings.Replace(good, id, "made up", 1),
	} {
		var problem *lore.Problem
		if _, err := readItem[lore.SafetyFlag]([]byte(line)); !errors.As(err, &problem) {
			t.Errorf("%s: %v, want a problem", name, err)
		}
	}
	suggestion := `{"id":"` + id + `","kind":"merge","target":{"collection":"made-up","id":"` + id + `"},"summary":"x","status":"open"}`
	if _, err := readItem[lore.Suggestion]([]byte(suggestion)); err == nil {
		t.Error("a suggestion about a made-up collection is restored")
	}
}
