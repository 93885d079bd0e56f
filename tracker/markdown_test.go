package tracker

import (
	"errors"
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

// Each entry of a page has an address of its own, whatever its heading; folders of one name are refused.
func TestEntriesHaveAddressesOfTheirOwn(t *testing.T) {
	t.Parallel()
	fix := "\n\nLaneStopped\n\n### Fix\n\nStart it.\n\n"
	upper := "\n\nLaneStopped\n\n## Fix\n\nStart it.\n\n"
	folder := writePages(t, "rb", map[string]string{
		"a.md": "## Lane stops" + fix + "## Lane stops" + fix + "## 2" + fix + "## !!" + fix + "## Lane, stops" + fix,
		"b.md": "# One" + upper + "# Two" + upper,
	})
	var found []string
	_, err := Listing{Format: Markdown, Files: []string{folder}}.Each(func(thread Thread) error {
		thread.Anchor(thread.Heading)
		found = append(found, strings.TrimPrefix(thread.Address, "runbooks/rb/"))
		return nil
	})
	want := "a.md#lane-stops a.md#2 a.md#3 a.md#4 a.md#5 b.md b.md#two"
	if got := strings.Join(found, " "); err != nil || got != want {
		t.Errorf("they are %s, %v, want %s", got, err, want)
	}
	other := writePages(t, "rb", map[string]string{"a.md": "# One" + upper})
	read := func(files ...string) error {
		_, err := Listing{Format: Markdown, Files: files}.Each(func(Thread) error { return nil })
		return err
	}
	if err := read(folder, other); !errors.Is(err, errOneProject) {
		t.Errorf("folders of one name: %v", err)
	}
	if err := read(filepath.Join(folder, "a.md"), filepath.Join(folder, "b.md")); err != nil {
		t.Errorf("two pages of a folder: %v", err)
	}
}

// One project's statement doesn't make the listings of others complete.
func TestAStatementIsOfOneProject(t *testing.T) {
	t.Parallel()
	folder := writePages(t, "issues", map[string]string{
		"more.json": `[{"number": 1, "title": "x", "html_url": "https://github.com/acme/other/issues/1", "state": "open",
			"comments": 0, "user": {"login": "p"}}]`,
		"complete.json": `{"complete": true, "threads": 16}`,
	})
	whole := filepath.Join(folder, "complete.json")
	for count, files := range map[int][]string{1: {whole}, 2: {whole, filepath.Join(folder, "more.json")}} {
		_, extent := read(t, Listing{Format: GitHub, Files: append(githubFiles(), files...)})
		if extent.Complete != (count == 1) {
			t.Errorf("%d projects: %+v", count, extent)
		}
	}
}
