package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// groupsOf sorts documents into groups. One with several values stands in several.
func groupsOf(col column, found []document) map[string][]document {
	groups := map[string][]document{}
	for _, d := range found {
		seen := map[string]bool{}
		for _, value := range d[strings.TrimSuffix(col.SourceField, ".whole")] {
			key := fmt.Sprint(value)
			if col.OperationType == "date_histogram" {
				at, _ := time.Parse(time.RFC3339Nano, key)
				day := at.UTC().Truncate(24 * time.Hour)
				key = day.AddDate(0, 0, -(int(day.Weekday())+6)%7).Format("2006-01-02T15:04:05.000Z")
			}
			if !seen[key] {
				seen[key] = true
				groups[key] = append(groups[key], d)
			}
		}
	}
	return groups
}

// valueOf counts a value, if there is any to count.
func valueOf(t *testing.T, col column, found []document) (value float64, there bool) {
	t.Helper()
	var numbers []float64
	different := map[string]bool{}
	count := 0
	for _, d := range found {
		if col.Filter != nil && !matches(t, col.Filter.Query, d) {
			continue
		}
		count++
		for _, v := range d[col.SourceField] {
			different[fmt.Sprint(v)] = true
			if number, ok := v.(float64); ok {
				numbers = append(numbers, number)
			}
		}
	}
	switch col.OperationType {
	case "count":
		return float64(count), true
	case "unique_count":
		return float64(len(different)), true
	}
	if len(numbers) == 0 {
		return 0, false
	}
	slices.Sort(numbers)
	sum := 0.0
	for _, number := range numbers {
		sum += number
	}
	switch col.OperationType {
	case "sum":
		return sum, true
	case "average":
		return sum / float64(len(numbers)), true
	case "max":
		return numbers[len(numbers)-1], true
	case "median":
		return numbers[len(numbers)/2], true
	}
	t.Fatalf("this test doesn't know %s", col.OperationType)
	return 0, false
}
