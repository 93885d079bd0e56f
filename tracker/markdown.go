package tracker

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// maxPage bounds one page: the scrubber reads no more at once.
const maxPage = 1 << 20

// frontMatter is what a page says of itself above its text.
type frontMatter struct {
	Title     string   `yaml:"title"`
	Tags      []string `yaml:"tags"`
	Labels    []string `yaml:"labels"`
	Ecosystem string   `yaml:"ecosystem"`
	Chain     string   `yaml:"chain"`
	Project   string   `yaml:"project"`
	Version   string   `yaml:"version"`
	Versions  []string `yaml:"versions"`
	Date      string   `yaml:"date"`
	Draft     bool     `yaml:"draft"`
}

// The headings of the parts of an entry, without case and what stands around.
var (
	errorHeading = regexp.MustCompile(
		`(?i)^(?:symptoms?|errors?|error (?:message|text)s?|problem|what you see|alerts?|logs?|signs?)$`,
	)
	causeHeading = regexp.MustCompile(
		`(?i)^(?:root )?(?:cause|causes|why|reason|explanation|analysis|background|impact)(?: it happens)?$`,
	)
	fixHeading = regexp.MustCompile(
		`(?i)^(?:fix|fixes|the fix|resolution|solution|workaround|workarounds|runbook|remedy|mitigation|` +
			`recovery|what to do|how to fix(?: it)?|steps|procedure|remediation)$`,
	)
	checkHeading = regexp.MustCompile(`(?i)^(?:verification|verify|check|how to check|validation)$`)
)

// errOneProject is returned for folders whose pages would have the same addresses.
var errOneProject = errors.New("two folders would be one project: import them one by one, each with its own --project")

// markdown reads the pages of folders, or single pages. A folder that was read whole is a whole listing.
func (l Listing) markdown(extent *Extent, visit func(Thread) error) error {
	extent.Complete = true
	folders := map[string]string{} // by project
	for _, root := range l.Files {
		info, err := os.Stat(root)
		if err != nil {
			return fmt.Errorf("%s: %w", root, errors.Unwrap(err))
		}
		folder := root
		if !info.IsDir() {
			folder, extent.Complete = filepath.Dir(root), false
		}
		project := utf8Of(cmp.Or(l.Project, filepath.Base(absolute(folder))))
		if other, taken := folders[project]; taken && other != absolute(folder) {
			return errOneProject
		}
		folders[project] = absolute(folder)
		err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != root:
				return fs.SkipDir
			case entry.IsDir() || !slices.Contains([]string{".md", ".markdown"}, strings.ToLower(filepath.Ext(name))):
				return nil
			}
			within, err := filepath.Rel(folder, name)
			if err != nil {
				return err
			}
			page, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if len(page) > maxPage {
				extent.Skipped++
				return nil
			}
			return eachEntry(project, utf8Of(filepath.ToSlash(within)), utf8Of(string(page)), extent, visit)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// utf8Of returns a text with a sign in place of what is no UTF-8, which nothing after the reader takes.
func utf8Of(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// absolute returns a path as it is from the root, for the sake of its last name.
func absolute(name string) string {
	if whole, err := filepath.Abs(name); err == nil {
		return whole
	}
	return name
}

// section is a heading with the text below it.
type section struct {
	level int
	title string
	text  string
}

// eachEntry hands each entry of a page to visit: a heading that has, one level below it, headings such as Symptom,
// Cause and Fix. A page without a heading such as Fix is no entry.
func eachEntry(project, name, page string, extent *Extent, visit func(Thread) error) error {
	front, rest := readFrontMatter(page)
	sections := sectionsOf(rest)
	held, anchors := 0, []string{}
	for i := 0; i < len(sections); i++ {
		if !fixHeading.MatchString(sections[i].title) {
			continue
		}
		// The entry is the nearest heading above that is of a higher level, with what is below it.
		begin := i
		for begin > 0 && sections[begin].level >= sections[i].level {
			begin--
		}
		parent := sections[begin]
		end := i + 1
		for end < len(sections) && sections[end].level > parent.level && (parent.level > 0 || sections[end].level >= sections[i].level) {
			end++
		}
		entry := entryOf(front, parent, sections[begin+1:end])
		entry.Project = cmp.Or(front.Project, project)
		entry.Address = "runbooks/" + project + "/" + name
		if held++; held > 1 || parent.level > 1 {
			entry.Entry, entry.Heading = held, parent.title
			if anchor := slug(parent.title); slices.Contains(anchors, anchor) {
				entry.Heading = "" // its number tells it apart
			} else {
				anchors = append(anchors, anchor)
			}
		}
		if entry.Title = cmp.Or(
			parent.title,
			front.Title,
			strings.TrimSuffix(path.Base(name), path.Ext(name)),
		); parent.level <= 1 {
			entry.Title = cmp.Or(front.Title, entry.Title)
		}
		if !front.Draft {
			if err := visit(entry); err != nil {
				return err
			}
		}
		i = end - 1
	}
	if held == 0 {
		extent.Skipped++
	}
	return nil
}

// entryOf makes a thread of the sections of an entry. Resolutions stand one after the other, each under its heading
// where there are several.
func entryOf(front frontMatter, parent section, sections []section) Thread {
	entry := Thread{
		Asker: Person{
			Role: Maintainer,
		},
		Labels:    slices.Concat(front.Tags, front.Labels),
		Ecosystem: cmp.Or(front.Ecosystem, front.Chain),
		Closed:    true,
		Versions:  front.Versions,
	}
	if front.Version != "" {
		entry.Versions = append(entry.Versions, front.Version)
	}
	if at, err := time.Parse(time.DateOnly, front.Date); err == nil {
		entry.CreatedAt = at
	}
	fixes := 0
	for _, s := range sections {
		if fixHeading.MatchString(s.title) {
			fixes++
		}
	}
	body := []string{parent.text}
	var fix []string
	inFix, level := false, 0
	for _, s := range sections {
		below := level > 0 && s.level > level
		switch {
		case below: // a heading within a part belongs to it
		case fixHeading.MatchString(s.title), inFix && checkHeading.MatchString(s.title):
			inFix, level = true, s.level
		default:
			inFix, level = false, s.level
		}
		switch text := strings.TrimSpace(s.text); {
		case inFix && isPlaceholder(text):
		case inFix && (below || fixes > 1 || checkHeading.MatchString(s.title)):
			fix = append(fix, s.title+":\n"+text)
		case inFix:
			fix = append(fix, text)
		case errorHeading.MatchString(s.title):
			body = append(body, fencedBlock(s.text))
		case causeHeading.MatchString(s.title):
			body = append(body, "Cause: "+text)
		default:
			body = append(body, s.title+": "+text)
		}
	}
	entry.Body, entry.Page = strings.TrimSpace(strings.Join(body, "\n\n")), strings.TrimSpace(strings.Join(fix, "\n\n"))
	return entry
}

var (
	// placeholder is what stands where a fix is still to be written.
	placeholder = regexp.MustCompile(`(?i)^[\s_*>-]*(?:tb[dac]|to ?do|fixme|wip|n/?a|none(?: known| yet)?|unknown|` +
		`not (?:yet )?known|to be (?:written|done|defined|determined|decided|added|filled)|coming soon|` +
		`no (?:known )?(?:fix|solution|workaround)s?|\?+|…|\.\.\.|-+|$)(?:[^\pL\pN]|$)`)
	// askSomebody is a fix that only names who may know it, and not what they are asked to do.
	askSomebody = regexp.MustCompile("(?i)^[\\s_*>-]*(?:please )?ask [^\n`]{1,80}$")
	askedTo     = regexp.MustCompile(`(?i) to |://|#`)
	// toDo is where a text says that something is still to be written.
	toDo = regexp.MustCompile(`\b(?:TBD|TBA|TBC|TODO|FIXME|XXX)\b|\?\?\?|(?i:\bto be (?:written|defined|determined)\b)`)
)

// isPlaceholder reports whether a text stands where a fix is still to be written: it begins by that, and has no line
// beside it.
func isPlaceholder(text string) bool {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	asks := askSomebody.MatchString(first) && !askedTo.MatchString(first)
	return (asks || placeholder.MatchString(first)) && strings.TrimSpace(rest) == ""
}

// fencedBlock returns a section's text, fenced where all of it is an indented block of code.
func fencedBlock(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	text = strings.TrimRight(strings.TrimLeft(text, "\n"), " \t\n")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		rest, indented := strings.CutPrefix(line, "    ")
		if !indented && strings.TrimSpace(line) != "" {
			return strings.TrimSpace(text)
		}
		lines = append(lines, rest)
	}
	return "```\n" + strings.Join(lines, "\n") + "\n```"
}

// readFrontMatter takes the YAML between two lines of three dashes off a page's beginning.
func readFrontMatter(page string) (front frontMatter, rest string) {
	page = strings.TrimPrefix(strings.ReplaceAll(page, "\r\n", "\n"), "\ufeff")
	text, found := strings.CutPrefix(page, "---\n")
	if !found {
		return front, page
	}
	matter, rest, found := strings.Cut(text, "\n---")
	if !found {
		return front, page
	}
	if yaml.Unmarshal([]byte(matter), &front) != nil { // tags may be one text
		var loose struct{ Title, Tags, Ecosystem, Project, Date string }
		if yaml.Unmarshal([]byte(matter), &loose) == nil {
			front = frontMatter{
				Title:     loose.Title,
				Ecosystem: loose.Ecosystem,
				Project:   loose.Project,
				Date:      loose.Date,
			}
			front.Tags = strings.FieldsFunc(loose.Tags, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return front, rest
}

var (
	atxHeading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	boldLine   = regexp.MustCompile(`^\*\*([^*]{3,60}?):?\*\*:?$`)
	fence      = regexp.MustCompile("^ {0,3}(```+|~~~+)")
)

// sectionsOf splits a page at its headings, of which a line in bold by itself is one of the lowest level. The first
// section is what stands before any.
func sectionsOf(page string) []section {
	sections := []section{{}}
	fenced := ""
	var text []string
	end := func() { sections[len(sections)-1].text = strings.Join(text, "\n"); text = nil }
	for line := range strings.SplitSeq(page, "\n") {
		if mark := fence.FindStringSubmatch(line); mark != nil {
			switch {
			case fenced == "":
				fenced = mark[1]
			case strings.HasPrefix(mark[1], fenced):
				fenced = ""
			}
		}
		if fenced == "" {
			if found := atxHeading.FindStringSubmatch(line); found != nil {
				end()
				sections = append(sections, section{level: len(found[1]), title: headingWords(found[2])})
				continue
			}
			if found := boldLine.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
				end()
				sections = append(sections, section{level: 7, title: headingWords(found[1])})
				continue
			}
		}
		text = append(text, line)
	}
	end()
	return sections
}

// headingWords returns a heading without emphasis, numbers, signs and the colon around it.
func headingWords(text string) string {
	text = strings.NewReplacer("**", "", "__", "").Replace(text)
	return strings.TrimRight(leadingSigns.ReplaceAllString(text, ""), " :.")
}

var leadingSigns = regexp.MustCompile(`^(?:\d+[.)]\s*|[^\pL\pN\x60"'<(\[]+)`)

// slug returns the anchor of a heading.
func slug(title string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(title), "-"), "-")
}

var notInSlug = regexp.MustCompile(`[^\pL\pN]+`)
