package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// document is a stored document, flat: values by path. A list has several.
type document map[string][]any

// flat returns a document's values by path.
func flat(prefix string, value any, into document) document {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			flat(strings.TrimPrefix(prefix+"."+name, "."), inner, into)
		}
	case []any:
		for _, inner := range value {
			flat(prefix, inner, into)
		}
	case nil:
	default:
		into[prefix] = append(into[prefix], value)
	}
	return into
}

// matches evaluates the part of KQL that content.go and docs/analysts.md use on exact fields, in a way of its own: clauses
// joined by "and", each a field with a value, any value or a comparison, or several such in brackets joined by "or". (The
// engine's kql query of 8.19 doesn't read "field: (a or b)", which Kibana does.)
func matches(t *testing.T, query string, d document) bool {
	t.Helper()
	for clause := range strings.SplitSeq(query, " and ") {
		if clause = strings.TrimSpace(clause); clause == "" {
			continue
		}
		negated := strings.HasPrefix(clause, "not ")
		if clauseHolds(t, strings.TrimPrefix(clause, "not "), d) == negated {
			return false
		}
	}
	return true
}

func clauseHolds(t *testing.T, clause string, d document) bool {
	t.Helper()
	if within, bracketed := strings.CutPrefix(clause, "("); bracketed {
		for one := range strings.SplitSeq(strings.TrimSuffix(within, ")"), " or ") {
			if clauseHolds(t, strings.TrimSpace(one), d) {
				return true
			}
		}
		return false
	}
	for _, operator := range []string{">=", "<=", ">", "<"} {
		field, limit, found := strings.Cut(clause, operator)
		if !found {
			continue
		}
		bound, err := strconv.ParseFloat(strings.TrimSpace(limit), 64)
		for _, value := range d[strings.TrimSpace(field)] {
			number, ok := value.(float64)
			if !ok || err != nil {
				t.Fatalf("%s compares no numbers", clause)
			}
			if operator == ">" && number > bound || operator == ">=" && number >= bound || operator == "<" && number < bound || operator == "<=" && number <= bound {
				return true
			}
		}
		return false
	}
	field, wanted, found := strings.Cut(clause, ":")
	if !found {
		t.Fatalf("%q is not of the KQL that this test knows", clause)
	}
	wanted = strings.Trim(strings.TrimSpace(wanted), `"`)
	for _, value := range d[strings.TrimSpace(field)] {
		if wanted == "*" || wanted == fmt.Sprint(value) {
			return true
		}
	}
	return false
}
