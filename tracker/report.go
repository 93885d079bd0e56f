package tracker

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"agentlore/lore"
)

// Options are what an import says of all its threads.
type Options struct {
	Source    string // whose reports they become
	Ecosystem string // that they are about, where a thread doesn't say it
	Mask      Mask   // what stands for people
}

const (
	// maxBody is how much of what the asker says around the error is kept, in bytes.
	maxBody = 6000
	// maxText is the most that a report's content or resolution may have, in characters: the schema's limit.
	maxText = 20_000
	// maxTags and maxRef are the schema's limits too.
	maxTags = 20
	maxRef  = 1024
)

// Report returns a thread with what solved it as a line of an import. The thread's text must be scrubbed.
func (t Thread) Report(choice Choice, o Options) lore.SubmissionLine {
	handles := slices.DeleteFunc(t.handles(), func(handle string) bool { // the owner of a repository is in its address
		return strings.HasPrefix(strings.ToLower(t.Project), strings.ToLower(handle)+"/")
	})
	clean := func(text string) string { return withoutPeople(text, handles, o.Mask) }
	body := tidy(quotesOutside(strings.ReplaceAll(t.Body, "\r\n", "\n")))
	pasted, rest := takeError(body)
	if pasted == "" {
		pasted = t.pastedLater()
	}
	rest = cutAtLine(withoutTemplate(rest), maxBody)
	if versions := t.versions(choice); versions != "" {
		rest = strings.TrimSpace(rest + "\n\nVersions: " + versions)
	}
	line := lore.SubmissionLine{
		Source:  o.Source,
		Summary: cutRunes(clean(t.summary(pasted)), lore.MaxSummaryLength),
		Content: cutRunes(lore.WithError(clean(pasted), clean(rest)), maxText),
		Resolution: cutRunes(
			clean(choice.Text),
			maxText,
		),
		Tags:      tagsOf(t.Labels),
		Ecosystem: cmp.Or(t.Ecosystem, o.Ecosystem),
		Ref:       cutRunes(t.Address, maxRef),
	}
	if !t.CreatedAt.IsZero() && t.CreatedAt.Year() >= 1970 {
		line.CreatedAt = &t.CreatedAt
	}
	return line
}

// maxExcerpt is how much of a text an import's report shows, in characters.
const maxExcerpt = 200

// Excerpt returns the beginning of a text of the thread, which must be scrubbed, in one line and without people.
func (t Thread) Excerpt(text string, mask Mask) string {
	return cutRunes(strings.Join(strings.Fields(withoutPeople(text, t.handles(), mask)), " "), maxExcerpt)
}

// pastedLater returns the error that the asker pasted only when asked for it.
func (t Thread) pastedLater() string {
	for _, comment := range t.Comments {
		if comment.Author.is(t.Asker) {
			if pasted, _ := takeError(tidy(quotesOutside(comment.Body))); pasted != "" {
				return pasted
			}
		}
	}
	return ""
}

var (
	titleMarks = regexp.MustCompile(
		`(?i)^(?:\s*[\[(【](?:bug|bug report|issue|question|help|solved|fixed|closed|regression|urgent|support)[\])】]:?|\s*(?:bug|issue|question|help|solved)\s*[:：-])+\s*`,
	)
	template = regexp.MustCompile(
		`(?im)^#{1,4}[ \t]+(?:describe the bug|bug description|to reproduce|steps to reproduce|expected behavio(?:u)?r|additional context|` +
			`screenshots?|environment|checklist|code of conduct|prerequisites|contact details|relevant log output|what happened\??|current behavio(?:u)?r)[^\n]*\n`,
	)
	noResponse = regexp.MustCompile(`(?im)^_?no response_?$`)
)

// summary returns the title of the thread, or the first line of the error where it has none.
func (t Thread) summary(pasted string) string {
	title := strings.Join(strings.Fields(titleMarks.ReplaceAllString(t.Title, "")), " ")
	first, _, _ := strings.Cut(pasted, "\n")
	return cmp.Or(title, strings.TrimSpace(first), strings.TrimSpace(t.Title), "Untitled")
}

// withoutTemplate drops what a form of the tracker wrote.
func withoutTemplate(text string) string {
	text = noResponse.ReplaceAllString(template.ReplaceAllString(text, ""), "")
	return strings.TrimSpace(blank.ReplaceAllString(text, "\n\n"))
}

var (
	statedVersion = regexp.MustCompile(`(?i)\bversions?\b[^\n\d]{0,24}v?(\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]+)?)`)
	fixedVersion  = regexp.MustCompile(
		`(?i)(?:fixed|released|shipped|available|landed|included|patched|resolved|upgrade|update|bump|修复|升级|更新|обнов|исправлен|actualiz|atualiz|corregid|アップ)` +
			`[^\n.。]{0,40}?v?(\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]+)?)`,
	)
)

// versions returns the versions that a thread is of, and those that have its fix, as packages: qorvex@2.3.1.
func (t Thread) versions(choice Choice) string {
	name := strings.ToLower(t.Project[strings.LastIndexByte(t.Project, '/')+1:])
	if strings.Contains(name, ".") { // a site
		name = ""
	}
	of := func(version string) string {
		if name == "" {
			return version
		}
		return name + "@" + version
	}
	var found, fixed []string
	body := strings.ToLower(t.Title + "\n" + t.Body)
	if strings.Contains(body, "version") {
		for _, match := range statedVersion.FindAllStringSubmatch(t.Body, -1) {
			found = appendNew(found, of(match[1]))
		}
	}
	if name != "" && strings.Contains(body, name) {
		own := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `[ @/]?v?(\d+\.\d+(?:\.\d+)?)`)
		for _, match := range own.FindAllStringSubmatch(t.Title+"\n"+t.Body, -1) {
			found = appendNew(found, of(match[1]))
		}
	}
	for _, match := range fixedVersion.FindAllStringSubmatch(choice.Text, -1) {
		fixed = appendNew(fixed, of(match[1]))
	}
	for _, version := range t.Versions {
		if choice.Kind == Page {
			found = appendNew(found, version)
		} else if number := plainVersion.FindString(version); number != "" && choice.Kind != None {
			fixed = appendNew(fixed, of(strings.TrimPrefix(number, "v")))
		}
	}
	text := strings.Join(found[:min(len(found), 5)], ", ")
	if len(fixed) > 0 {
		text = strings.TrimPrefix(text+"; fixed in "+strings.Join(fixed[:min(len(fixed), 5)], ", "), "; ")
	}
	return text
}

var plainVersion = regexp.MustCompile(`^v?\d+\.\d+(?:\.\d+)?$`)

func appendNew(list []string, value string) []string {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

var (
	// workflow are labels that say how far an issue is, and nothing of what it is about.
	workflow = regexp.MustCompile(
		`(?i)^(?:status|state|priority|prio|p\d|triage|needs?|waiting|stale|wontfix|won't fix|duplicate|good first issue|help wanted|invalid|` +
			`effort|size|sprint|backlog|in progress|released?|lifecycle|resolution|severity|question|frozen|pinned)(?:$|[-_ :/].*)`,
	)
	labelKind = regexp.MustCompile(`(?i)^(?:area|kind|type|component|module|topic|scope|c|t|a|pkg|package)[:/\\-]+\s*`)
	notInTag  = regexp.MustCompile(`[^\pL\pN.@+-]+`)
)

// tagsOf makes tags of labels: "area/relayer" and "Relayer" are relayer.
func tagsOf(labels []string) []string {
	tags := []string{}
	for _, label := range labels {
		if workflow.MatchString(label) {
			continue
		}
		tag := strings.Trim(notInTag.ReplaceAllString(strings.ToLower(labelKind.ReplaceAllString(label, "")), "-"), "-")
		if tag != "" && tag != lore.InvalidTag && utf8.RuneCountInString(tag) <= lore.MaxTagLength &&
			len(tags) < maxTags {
			tags = appendNew(tags, tag)
		}
	}
	return tags
}

// cutRunes cuts a text to a number of characters.
func cutRunes(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return lore.CutAtWord(text, limit)
}
