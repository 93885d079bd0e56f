package handlers

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"agentlore/lore"
)

// A parameter of a list that the filter doesn't know would be taken, and filter nothing.
func TestEveryParameterOfAListFilters(t *testing.T) {
	t.Parallel()
	known := reflect.TypeFor[lore.Filter]()
	paging := []string{"limit", "offset", "cursor", "sort"}
	for _, input := range []any{
		knowledgeInput{}, patternsInput{}, submissionsInput{}, familiesInput{}, assetsInput{}, sourcesInput{}, suggestionsInput{}, safetyFlagsInput{},
		ItemFilter{}, analyticsInput{},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(input)) {
			parameter := field.Tag.Get("query")
			if field.Type == reflect.TypeFor[Moment]() {
				field.Type = reflect.TypeFor[time.Time]()
			}
			if same, there := known.FieldByName(field.Name); parameter != "" && !slices.Contains(paging, parameter) && (!there || same.Type != field.Type) {
				t.Errorf("%T: lore.Filter has no %s %s", input, field.Name, field.Type)
			}
		}
	}
}
