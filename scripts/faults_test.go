package scripts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every row of the table of failures in docs/operations/alerts.md names tests, and `make test-faults` runs each of them.
func TestEveryFaultHasItsTest(t *testing.T) {
	runs := faultTests(t)
	doc, err := os.ReadFile("../docs/operations/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(doc), "| what | then | shown by |\n|---|---|---|\n")
	if !found {
		t.Fatal("docs/operations/alerts.md has no table of failures")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	named := regexp.MustCompile("`(Test[A-Za-z]+)`")
	rows := 0
	for row := range strings.Lines(table) {
		rows++
		tests := named.FindAllStringSubmatch(row, -1)
		if len(tests) == 0 {
			t.Errorf("no test shows this row: %s", row)
		}
		for _, test := range tests {
			if !runs[test[1]] {
				t.Errorf("%s is named in docs/operations/alerts.md, and make test-faults doesn't run it", test[1])
			}
		}
	}
	if rows < 12 { // as many as the design has
		t.Errorf("the table has %d rows", rows)
	}
}

// faultTests returns the tests that scripts/test-faults runs.
func faultTests(t *testing.T) map[string]bool {
	t.Helper()
	script, err := os.ReadFile("test-faults")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?s)part \w+ -- ("[^"]+"|\S+)[\s\\]+'([^']+)'`).FindAllStringSubmatch(string(script), -1)
	if len(parts) < 3 {
		t.Fatalf("scripts/test-faults has %d parts", len(parts))
	}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	runs := map[string]bool{}
	for _, part := range parts {
		chosen := regexp.MustCompile(part[2])
		for _, name := range strings.Fields(strings.Trim(part[1], `"`)) {
			files, err := filepath.Glob(filepath.Join("..", name, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				source, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, test := range function.FindAllStringSubmatch(string(source), -1) {
					if chosen.MatchString(test[1]) {
						runs[test[1]] = true
					}
				}
			}
		}
	}
	return runs
}
