package curation

import (
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
	"agentlore/mappings"
	"agentlore/scrubber"
)

// holdsNoText says of the stored fields that no scrubbing reads why they hold nobody's words.
var holdsNoText = map[string][]string{
	"ids that the service makes": {
		"id", "source_id", "pattern_id", "family_id", "family_key", "knowledge_unit_id", "follows", "superseded_by", "example_ids", "evidence", "target",
		"subject", "object", "others", "answered_by", "question_id", "raised_by", "author_id", "fix_from", "words_from",
	},
	"one of a fixed set": {
		"category", "status", "classified_by", "missing", "kind", "reason", "decision", "outcome", "from", "to", "type", "scrubbed_kinds", "embedding_model",
		"standing", "fix_withheld",
	},
	"a digest": {"fingerprint", "fingerprints", "revision", "fix_key", "redacted_from"},
	"made of the other fields and made again of what is left": {"entities", "named", "asks_for", "alternatives"},
	"never in what is stored: Elasticsearch fills it":         {"prefixes", "words", "entry"},
	"a month": {"months"},
}

// A field that is added to a collection is read by a second scrubbing, or somebody says why it needs none.
func TestEveryTextFieldIsScrubbedAgain(t *testing.T) {
	t.Parallel()
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	excused := map[string]bool{}
	for _, fields := range holdsNoText {
		for _, field := range fields {
			excused[field] = true
		}
	}
	for _, collection := range index.TextCollections() {
		properties, _ := definitions[string(collection)].Mappings["properties"].(map[string]any)
		for path, field := range mappings.Fields(properties) {
			root, _, _ := strings.Cut(path, ".")
			if kind := field["type"]; (kind == "text" || kind == "keyword") && !slices.Contains(freeText, root) && !excused[root] {
				t.Errorf("%s: %s is scrubbed by nobody", collection, path)
			}
		}
	}
	for _, field := range freeText {
		if excused[field] {
			t.Errorf("%s is read, and said to hold no text", field)
		}
	}
}

// Redacting takes a text from wherever it stands in an item: in lists of objects too, and in what others asked in other words.
func TestRedactReadsEveryKindOfField(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	secret := "ann" + "@" + "example.org"
	unit := lore.KnowledgeUnit{
		ID: lore.NewID(), Summary: "A unit", Names: []string{"E1", "of " + secret}, Applies: "where " + secret + " runs", Status: lore.UnitActive,
		Warnings: []lore.ItemWarning{{Code: "stale", Detail: "fine"}, {Code: "incorrect", Detail: "says " + secret}}, CreatedAt: indextest.At(1),
		Reference: &lore.Reference{ID: "x.y", URL: "https://example.org/" + secret}, Confidence: 0.8125,
	}
	report := lore.Submission{ID: lore.NewID(), Summary: "A report", FamilyWhy: "its title says " + secret, Project: "by/" + secret, CreatedAt: indextest.At(1)}
	question := index.QuestionDocument{
		OpenQuestion: lore.OpenQuestion{ID: lore.NewID(), Text: "what of " + secret, Status: lore.QuestionOpen, CreatedAt: indextest.At(1)},
		Asked:        []index.Asking{{SourceID: lore.NewID(), Text: "first", At: indextest.At(1)}, {SourceID: lore.NewID(), Text: "and of " + secret, At: indextest.At(1)}},
	}
	indextest.Put(t, client, lore.KnowledgeUnits, unit)
	indextest.Put(t, client, lore.Submissions, report)
	indextest.Put(t, client, lore.Questions, question)
	review := NewReview(client)
	for collection, id := range map[lore.Collection]string{lore.KnowledgeUnits: unit.ID, lore.Submissions: report.ID, lore.Questions: question.ID} {
		if changed, err := review.Rescrub(t.Context(), scrubber.New(scrubber.Config{}), lore.Target{Collection: collection, ID: id}); !changed || err != nil {
			t.Errorf("%s: changed: %t, %v", collection, changed, err)
		}
		if stored := enginetest.Source(t, client.AliasOf(collection), id); strings.Contains(stored, secret) || !strings.Contains(stored, scrubber.Marker) {
			t.Errorf("%s: stored is %s", collection, stored)
		}
	}
	kept, err := index.Get[lore.KnowledgeUnit](t.Context(), client, client.AliasOf(lore.KnowledgeUnits), unit.ID)
	if u := kept.Source; err != nil || len(u.Warnings) != 2 || u.Warnings[0].Detail != "fine" || u.Warnings[1].Code != "incorrect" || u.Names[0] != "E1" || u.Confidence != 0.8125 {
		t.Errorf("what holds no secret was changed: %+v, %v", u, err)
	}
}
