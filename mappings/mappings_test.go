package mappings_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
	"agentlore/mappings"
)

func all(t *testing.T) map[string]mappings.Definition {
	t.Helper()
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	return definitions
}

func properties(t *testing.T, definition mappings.Definition) map[string]any {
	t.Helper()
	found, ok := definition.Mappings["properties"].(map[string]any)
	if !ok {
		t.Fatalf("%s has no properties", definition.Name)
	}
	return found
}

func TestEveryCollectionHasAMapping(t *testing.T) {
	definitions := all(t)
	for _, collection := range lore.Collections() {
		definition, there := definitions[string(collection)]
		if !there || definition.Internal {
			t.Errorf("%s: there %v, internal %v; want a public mapping", collection, there, definition.Internal)
		}
	}
	for _, internal := range []string{"accounts", "decisions", "links", "outcomes", "records", "state"} {
		if definition, there := definitions[internal]; !there || !definition.Internal {
			t.Errorf("%s: there %v; an analyst's role must be able to leave it out", internal, there)
		}
	}
	for name, definition := range definitions {
		if definition.Mappings["dynamic"] != "strict" {
			t.Errorf("%s isn't strict: a typing error in a field's name would make a field", name)
		}
		meta, _ := definition.Mappings["_meta"].(map[string]any)
		if meta["collection"] != name || meta["version"] != definition.Version || meta["hash"] != definition.Hash || len(definition.Hash) != 64 || definition.Version < 1 {
			t.Errorf("%s has _meta %v", name, meta)
		}
	}
}

// A search reads four collections at once, and a field that one of them lacks fails that shard's suggester without a word.
func TestSearchableCollectionsShareTheirFields(t *testing.T) {
	text, err := os.ReadFile("searchable.json")
	if err != nil {
		t.Fatal(err)
	}
	var searchable struct{ Properties map[string]any }
	if err := json.Unmarshal(text, &searchable); err != nil || len(searchable.Properties) < 10 {
		t.Fatalf("searchable.json: %v", err)
	}
	definitions := all(t)
	for _, search := range lore.SearchTypes() {
		own := properties(t, definitions[string(search.Collection)])
		for field, want := range searchable.Properties {
			got, there := own[field].(map[string]any)
			if !there {
				t.Errorf("%s lacks the searchable field %s", search.Collection, field)
				continue
			}
			wantType := want.(map[string]any)["type"]
			if behind, _ := got["path"].(string); got["type"] == "alias" && wantType != "alias" {
				got, _ = own[behind].(map[string]any)
			}
			if got["type"] != wantType || got["analyzer"] != want.(map[string]any)["analyzer"] {
				t.Errorf("%s has %s as %v with analyzer %v, the others as %v", search.Collection, field, got["type"], got["analyzer"], wantType)
			}
		}
	}
}

// Every copy_to, every analyzer and every similarity names something that exists, else Elasticsearch refuses the index.
func TestNamesResolve(t *testing.T) {
	for name, definition := range all(t) {
		fields := properties(t, definition)
		analysis, _ := definition.Settings["analysis"].(map[string]any)
		analyzers, _ := analysis["analyzer"].(map[string]any)
		similarities, _ := definition.Settings["similarity"].(map[string]any)
		for field, mapping := range fields {
			mapping := mapping.(map[string]any)
			if analyzer, given := mapping["analyzer"].(string); given && analyzers[analyzer] == nil {
				t.Errorf("%s.%s has the unknown analyzer %s", name, field, analyzer)
			}
			if similarity, given := mapping["similarity"].(string); given && mapping["type"] == "text" && similarities[similarity] == nil {
				t.Errorf("%s.%s has the unknown similarity %s", name, field, similarity)
			}
			targets, _ := mapping["copy_to"].([]any)
			for _, target := range targets {
				if fields[target.(string)] == nil {
					t.Errorf("%s.%s is copied to the unknown field %s", name, field, target)
				}
			}
		}
	}
}

// Every field of the types that are stored is in its mapping, also inside of objects: strict would refuse the document.
func TestStoredTypesAreMapped(t *testing.T) {
	definitions := all(t)
	for collection, stored := range map[lore.Collection]reflect.Type{
		lore.Sources: reflect.TypeFor[lore.Source](), lore.Submissions: reflect.TypeFor[lore.Submission](),
		lore.KnowledgeUnits: reflect.TypeFor[lore.KnowledgeUnit](), lore.Patterns: reflect.TypeFor[lore.Pattern](),
		lore.Assets: reflect.TypeFor[lore.Asset](), lore.Suggestions: reflect.TypeFor[lore.Suggestion](),
		lore.SafetyFlags: reflect.TypeFor[lore.SafetyFlag](),
	} {
		compare(t, string(collection), stored, properties(t, definitions[string(collection)]))
	}
}

func compare(t *testing.T, at string, stored reflect.Type, properties map[string]any) {
	t.Helper()
	for i := range stored.NumField() {
		field := stored.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || strings.HasSuffix(at, ".alternatives") && name == "resolution" { // it is read from the submission when it is shown
			continue
		}
		if field.Anonymous {
			compare(t, at, field.Type, properties)
			continue
		}
		mapping, there := properties[name].(map[string]any)
		if !there {
			t.Errorf("%s.%s is stored and has no mapping", at, name)
			continue
		}
		of := field.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		kind, _ := mapping["type"].(string)
		below, isObject := mapping["properties"].(map[string]any)
		var want []string
		switch {
		case of.String() == "time.Time":
			want = []string{"date"}
		case of.Kind() == reflect.Struct && isObject:
			compare(t, at+"."+name, of, below)
			continue
		case of.Kind() == reflect.Map && isObject && mapping["dynamic"] == false: // numbers by name, others of which are stored
			continue
		case of.Kind() == reflect.String:
			want = []string{"keyword", "text"}
		case of.Kind() == reflect.Bool:
			want = []string{"boolean"}
		case of.Kind() == reflect.Float64:
			want = []string{"float", "double"}
		case of.Kind() == reflect.Int:
			want = []string{"byte", "integer", "long"}
		}
		if !strings.Contains(" "+strings.Join(want, " ")+" ", " "+kind+" ") {
			t.Errorf("%s.%s is a %v in Go and a %q in Elasticsearch", at, name, field.Type, kind)
		}
	}
}

// Two reads give the same definitions, and changing one changes no other: the files are shared.
func TestDefinitionsAreIndependent(t *testing.T) {
	first, second := all(t), all(t)
	for name := range first {
		if first[name].Hash != second[name].Hash {
			t.Errorf("%s has another hash each time", name)
		}
	}
	delete(properties(t, first["patterns"]), "summary")
	if properties(t, first["assets"])["summary"] == nil || properties(t, all(t)["patterns"])["summary"] == nil {
		t.Error("a change of one definition reached another")
	}
	if found, err := filepath.Glob("*.json"); err != nil || len(found) != len(first)+3 {
		t.Errorf("%d files make %d definitions: each but three is one", len(found), len(first))
	}
}

// machinery are fields that no analyst has a use for.
var machinery = []string{"confirmed", "fix_key", "redacted_from", "fingerprint", "fingerprints", "entry", "prefixes", "signature", "embedding", "embedding_model", "epoch", "rank.evidence", "rank.trending"}

// Every field that an analyst may meet is described, has the usual name for its time, and is of a kind that can be filtered.
func TestAnalystsFindTheirWay(t *testing.T) {
	collections := []string{"searchlog", "events"}
	for _, collection := range lore.Collections() {
		collections = append(collections, string(collection))
	}
	descriptions, err := mappings.Descriptions()
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, name := range collections {
		fields := mappings.Fields(properties(t, all(t)[name]))
		if at := fields["@timestamp"]; at["type"] != "alias" || at["path"] != "created_at" || fields["created_at"]["type"] != "date" {
			t.Errorf("%s has no @timestamp that stands for created_at", name)
		}
		meta, _ := all(t)[name].Mappings["_meta"].(map[string]any)
		described, _ := meta["fields"].(map[string]string)
		for path, mapping := range fields {
			met[path] = true
			if described[path] == "" && !slices.Contains(machinery, path) {
				t.Errorf("%s: %s is not described", name, path)
			}
			if strings.HasSuffix(path, "_at") && mapping["type"] != "date" {
				t.Errorf("%s: %s is a time and of type %v", name, path, mapping["type"])
			}
			if index, there := mapping["index"]; there && index == false && fields["text"] == nil && !slices.Contains(machinery, path) {
				t.Errorf("%s: %s can't be filtered, and no other field holds its words", name, path)
			}
		}
	}
	for path := range descriptions {
		if !met[path] {
			t.Errorf("the description of %s describes no field", path)
		}
	}
}
