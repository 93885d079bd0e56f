package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// file is a text of a checkout.
type file struct {
	path  string
	lines []string
	// flat is the text with string literals that continue on the next line joined, and quotes without their escapes; starts are where
	// its lines begin there.
	flat   string
	starts []int
	prose  bool // a document or data: what stands in it is said, not printed
}

const maxFileBytes = 2 << 20

var (
	codeEndings = strings.Fields("go rs ts tsx js cjs mjs py sol vy c cc cpp h hpp ipp macro java kt nim cs yul rb ex exs")
	docEndings  = strings.Fields("md mdx rst json yaml yml toml txt adoc")
	// skippedFolders hold what is no program's own text: tests print what they expect, and dependencies are other sources. Below
	// src they are its own: a tester is a program.
	skippedFolders = strings.Fields(".git node_modules vendor test tests __tests__ testdata testing mocks mock fixtures benches e2e snapshots _types")
	testFile       = regexp.MustCompile(`(?:_test\.(?:go|py)|\.(?:test|spec)\.[cm]?[jt]sx?|\.t\.sol|Tests?\.(?:java|cs|sol)|/test_[^/]*\.py|_tests?\.rs|/tests?\.rs)$`)
	minified       = regexp.MustCompile(`\.min\.[cm]?js$`)
	// continued is where a string literal goes on in the next one.
	continued = regexp.MustCompile("[\"'`]\\s*(?:[+.\\\\]|<<)?[ \\t]*\\n\\s*(?:[+.]|<<)?\\s*[fFrRbu]?[\"'`]|\\\\[ \\t]*\\n\\s*")
	unescaped = strings.NewReplacer(`\"`, `"`, `\'`, `'`, "\\`", "`", `\u2019`, `’`)
)

// readCheckout returns the texts of a folder, in the order of their paths.
func readCheckout(folder string) (files []*file, err error) {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skippedFolders, entry.Name()) && path != root && !strings.Contains(path[len(root):], "/src/") {
				return fs.SkipDir
			}
			return nil
		}
		ending := strings.TrimPrefix(filepath.Ext(path), ".")
		prose := slices.Contains(docEndings, ending)
		if !entry.Type().IsRegular() || !prose && !slices.Contains(codeEndings, ending) || testFile.MatchString("/"+path) || minified.MatchString(path) {
			return nil
		}
		if info, err := entry.Info(); err != nil || info.Size() > maxFileBytes {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files = append(files, newFile(filepath.ToSlash(relative), string(text), prose))
		return nil
	})
	return files, err
}

func newFile(path, text string, prose bool) *file {
	f := &file{path: path, lines: strings.Split(text, "\n"), prose: prose}
	var flat strings.Builder
	f.starts = append(f.starts, 0)
	write := func(part string) {
		for len(part) > 0 {
			line, rest, more := strings.Cut(part, "\n")
			flat.WriteString(unescaped.Replace(line))
			if !more {
				return
			}
			flat.WriteByte('\n')
			f.starts = append(f.starts, flat.Len())
			part = rest
		}
	}
	at := 0
	if !prose {
		for _, join := range continued.FindAllStringIndex(text, -1) {
			write(text[at:join[0]])
			for range strings.Count(text[join[0]:join[1]], "\n") {
				f.starts = append(f.starts, flat.Len())
			}
			at = join[1]
		}
	}
	write(text[at:])
	f.flat = flat.String()
	return f
}

// line returns the number of the line, from 0, that a place of the flat text is in.
func (f *file) line(at int) int {
	i, found := slices.BinarySearch(f.starts, at)
	if !found {
		i--
	}
	return min(i, len(f.lines)-1)
}
