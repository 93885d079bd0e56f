package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// writePages writes pages by name to a folder of its own and returns it.
func writePages(t *testing.T, folder string, pages map[string]string) string {
	t.Helper()
	folder = filepath.Join(t.TempDir(), folder)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A page in another encoding than UTF-8 is read as far as it goes, whatever its name.
func TestAPageInAnotherEncoding(t *testing.T) {
	t.Parallel()
	folder := writePages(t, "rb", map[string]string{
		"stra\xdfe.md": "---\ntags: [br\xfccke]\n---\n# Lane \xfcber\n\nError: LaneStopped\n\n## Fix\n\nDr\xfccken: `lane start`.\n",
	})
	var found []Thread
	listing := Listing{Format: Markdown, Files: []string{folder}, Project: "acme\xff"}
	if _, err := listing.Each(func(thread Thread) error { found = append(found, thread); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("%d threads", len(found))
	}
	one := found[0]
	said := strings.Join(append(one.Labels, one.Title, one.Body, one.Page, one.Address, one.Project), " ")
	if !utf8.ValidString(said) || !strings.Contains(one.Page, "cken: `lane start`") {
		t.Errorf("the entry is %q", said)
	}
}
