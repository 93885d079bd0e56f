package agentlore_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor  = regexp.MustCompile(`[^\w\- ]`)
)

// Every relative link in the documents leads to a file, and to a heading in it.
func TestLinksOfTheDocuments(t *testing.T) {
	pages := []string{"README.md", "CONTRIBUTING.md", "plugin/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range markdownLink.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(link[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			linked, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s links to %s: %v", page, link[1], err)
			} else if anchor != "" && !slices.Contains(anchors(string(linked)), anchor) {
				t.Errorf("%s links to %s: there is no such heading", page, link[1])
			}
		}
	}
}

// anchors returns the names by which a page's headings are linked to.
func anchors(page string) (names []string) {
	for _, found := range heading.FindAllStringSubmatch(page, -1) {
		names = append(names, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-"))
	}
	return names
}
