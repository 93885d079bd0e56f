package reference

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed sources.yaml
var sourcesFile []byte

// Source is something that entries cite, at the state that was read. It is one of a repository, an npm package and a crate.
type Source struct {
	// Repository is owner/name at GitHub.
	Repository string `yaml:"repository"`
	NPM        string `yaml:"npm"`
	Crate      string `yaml:"crate"`
	// Version is the release that was read: of a repository its tag, or empty between releases.
	Version string `yaml:"version"`
	// Commit is the repository's commit in full; empty: the tag says it.
	Commit string `yaml:"commit"`
	// Day is that on which it was read, as 2026-11-24.
	Day string `yaml:"day"`
	// For are the files of entries whose names scripts/library looks for in it, though none of their entries cites it: an older version,
	// or a program that prints another one's text.
	For []string `yaml:"for"`
}

// Sources returns what entries cite, by key; callers share it and don't change it.
func Sources() (map[string]Source, error) { return readSources() }

var readSources = sync.OnceValues(func() (map[string]Source, error) {
	var sources map[string]Source
	if err := yaml.UnmarshalWithOptions(sourcesFile, &sources, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("reference: sources.yaml: %w", err)
	}
	return sources, nil
})

// URL returns where a file of the source can be read.
func (s Source) URL(path string) string {
	switch {
	case s.NPM != "":
		return "https://unpkg.com/" + s.NPM + "@" + s.Version + "/" + path
	case s.Crate != "":
		return "https://docs.rs/crate/" + s.Crate + "/" + s.Version + "/source/" + path
	case s.Commit != "":
		return "https://github.com/" + s.Repository + "/blob/" + s.Commit + "/" + path
	}
	return "https://github.com/" + s.Repository + "/blob/" + s.Version + "/" + path
}

// Home returns where the source can be looked at as a whole.
func (s Source) Home() string {
	switch {
	case s.NPM != "":
		return "https://www.npmjs.com/package/" + s.NPM + "/v/" + s.Version
	case s.Crate != "":
		return "https://docs.rs/crate/" + s.Crate + "/" + s.Version
	case s.Commit != "":
		return "https://github.com/" + s.Repository + "/tree/" + s.Commit
	}
	return "https://github.com/" + s.Repository + "/tree/" + s.Version
}

// Citation is where facts of an entry stand: a file of a pinned source, or a page as it was on a day.
type Citation struct {
	In   string `yaml:"in"`   // the key of a source
	Path string `yaml:"path"` // of the file in it
	Page string `yaml:"page"` // the address of a page
	Day  string `yaml:"day"`  // on which the page was read, as 2026-11-24

	url string
}

// URL returns the address of the file or the page.
func (c Citation) URL() string { return c.url }

// resolve fills in the address. It fails on a citation that is neither a file of a known source nor a page.
func (c *Citation) resolve(sources map[string]Source) error {
	source, known := sources[c.In]
	switch {
	case c.In != "" && !known:
		return fmt.Errorf("no source has the key %q", c.In)
	case known && c.Path != "" && c.Page == "" && c.Day == "":
		c.url = source.URL(c.Path)
	case c.In == "" && c.Path == "" && c.Day != "" && strings.HasPrefix(c.Page, "https://"):
		c.url = c.Page
	default:
		return fmt.Errorf("the source %+v is neither a file (in, path) nor a page with its day (page, day)", *c)
	}
	return nil
}
