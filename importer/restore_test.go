package importer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"agentlore/lore"
	"agentlore/scrubber"
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

// Every kind of item that an export brings back can be read to its last field, and its texts are scrubbed wherever they stand.
func TestRestoredTextIsScrubbedWhereverItStands(t *testing.T) {
	t.Parallel()
	secret := "ann" + "@" + "example.org"
	warnings := []lore.ItemWarning{{Code: "stale", Detail: "says " + secret}}
	for name, scrub := range map[string]func() (any, error){
		"submission": func() (any, error) {
			return scrubbed(t, lore.Submission{FamilyWhy: secret, Project: "by/" + secret, Warnings: warnings, Scrubbed: map[string]int{"eth_key": 1}})
		},
		"knowledge unit": func() (any, error) {
			return scrubbed(t, lore.KnowledgeUnit{Warnings: warnings, Reference: &lore.Reference{ID: secret, URL: secret}, ScoreParts: lore.ScoreParts{"base": 1}})
		},
		"pattern":     func() (any, error) { return scrubbed(t, lore.Pattern{Warnings: warnings}) },
		"asset":       func() (any, error) { return scrubbed(t, lore.Asset{Warnings: warnings}) },
		"family":      func() (any, error) { return scrubbed(t, lore.Family{Months: []lore.MonthReports{{Month: secret}}}) },
		"source":      func() (any, error) { return scrubbed(t, lore.Source{Description: secret}) },
		"suggestion":  func() (any, error) { return scrubbed(t, lore.Suggestion{Status: lore.SuggestionStatus(secret)}) },
		"safety flag": func() (any, error) { return scrubbed(t, lore.SafetyFlag{Note: secret}) },
		"question":    func() (any, error) { return scrubbed(t, lore.OpenQuestion{Text: secret}) },
		"event":       func() (any, error) { return scrubbed(t, lore.Event{To: secret}) },
	} {
		clean, err := scrub()
		text, encoded := json.Marshal(clean)
		if err != nil || encoded != nil {
			t.Errorf("%s: %v, %v", name, err, encoded)
		} else if strings.Contains(string(text), secret) || !strings.Contains(string(text), scrubber.Marker) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if warnings[0].Detail != "says "+secret {
		t.Error("the caller's list was changed")
	}
}

func scrubbed[T any](t *testing.T, item T) (T, error) {
	clean, err := scrubber.Scrub(t.Context(), scrubber.New(scrubber.Config{}), item)
	return clean.Value(), err
}
