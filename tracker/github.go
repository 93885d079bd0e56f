package tracker

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// githubRecord is an issue, a pull request or a comment, as the REST API answers or `gh issue list --json` prints it.
// The two spell members differently; where both are here, one is empty.
type githubRecord struct {
	statement
	ID            jsontext.Value `json:"id"` // a number of the REST API, a text of gh
	Number        int            `json:"number"`
	Title         string         `json:"title"`
	Body          string         `json:"body"`
	HTMLURL       string         `json:"html_url"`
	URL           string         `json:"url"`
	IssueURL      string         `json:"issue_url"` // of a comment
	User          githubUser     `json:"user"`
	Author        githubUser     `json:"author"`
	Association   string         `json:"author_association"`
	AuthorIs      string         `json:"authorAssociation"`
	State         string         `json:"state"`
	StateReason   string         `json:"state_reason"`
	ReasonOfState string         `json:"stateReason"`
	CreatedAt     time.Time      `json:"created_at"`
	CreatedOn     time.Time      `json:"createdAt"`
	UpdatedAt     time.Time      `json:"updated_at"`
	UpdatedOn     time.Time      `json:"updatedAt"`
	ClosedAt      time.Time      `json:"closed_at"`
	ClosedOn      time.Time      `json:"closedAt"`
	MergedAt      time.Time      `json:"merged_at"` // of a pull request by itself
	MergedOn      time.Time      `json:"mergedAt"`
	Labels        []githubLabel  `json:"labels"`
	Milestone     *githubLabel   `json:"milestone"`
	Comments      jsontext.Value `json:"comments"` // a number, or what gh has
	PullRequest   *struct {
		MergedAt time.Time `json:"merged_at"`
	} `json:"pull_request"`
	Head   jsontext.Value `json:"head"`        // only pull requests have one
	Hidden bool           `json:"isMinimized"` // of a comment
}

type githubUser struct {
	Login string `json:"login"`
	Type  string `json:"type"`
	IsBot bool   `json:"is_bot"`
}

type githubLabel struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// maintainers are the associations of those who may change a repository.
var maintainers = []string{"OWNER", "MEMBER", "COLLABORATOR"}

func (r githubRecord) person() Person {
	user := r.User
	if user.Login == "" {
		user = r.Author
	}
	person := Person{Handle: user.Login, Bot: user.IsBot || user.Type == "Bot" || isBotName(user.Login)}
	if slices.Contains(maintainers, cmp.Or(r.Association, r.AuthorIs)) {
		person.Role = Maintainer
	}
	return person
}

// isChange reports whether the record is a pull request.
func (r githubRecord) isChange() bool {
	return r.PullRequest != nil || len(r.Head) > 0 || !r.MergedAt.IsZero() || !r.MergedOn.IsZero() ||
		strings.Contains(r.address(), "/pull/")
}

func (r githubRecord) address() string { return cmp.Or(r.HTMLURL, r.URL) }

// repositoryOf returns the repository in an address of an issue, a pull request or a comment, as in
// https://github.com/acme/qorvex/issues/41 or https://api.github.com/repos/acme/qorvex/issues/41.
func repositoryOf(address string) string {
	found := inRepository.FindStringSubmatch(address)
	if found == nil {
		return ""
	}
	return found[1]
}

var inRepository = regexp.MustCompile(`^https?://[^/]+/(?:api/v3/)?(?:repos/)?([^/]+/[^/]+)/(?:issues|pull|pulls)/\d+`)

// threadKey names an issue among those of several repositories.
func threadKey(repository string, number int) string { return repository + "#" + strconv.Itoa(number) }

// closes finds in a change's text the issues that it says it closes: "Fixes #41", "closes acme/qorvex#41".
var closes = regexp.MustCompile(`(?i)\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\b:?\s+` +
	`(?:https?://[^/\s]+/)?([\w.-]+/[\w.-]+)?(?:#|/issues/|/-/issues/)(\d+)`)

// closedBy returns the keys of the issues that a change of a repository says it closes.
func closedBy(repository, text string) (keys []string) {
	for _, at := range closes.FindAllStringSubmatchIndex(text, -1) {
		number, err := strconv.Atoi(text[at[4]:at[5]])
		if err != nil || denied.MatchString(text[:at[0]]) {
			continue
		}
		if at[2] >= 0 {
			keys = append(keys, threadKey(text[at[2]:at[3]], number))
			continue
		}
		keys = append(keys, threadKey(repository, number))
	}
	return keys
}

// denied is what takes the word behind it back: "doesn't fix #41", "partly fixes #41".
var denied = regexp.MustCompile(`(?i)(?:n['’]t|\bnot|\bcannot|\bnever|\bpart(?:ly|ially)|\bhelps to|\btries to)(?: (?:yet|fully|really|actually|quite|completely))? $`)

// named finds in a comment the change that its author says solved the thread: "Closed by #57", "Fixed in !57".
var named = regexp.MustCompile(`(?i)\b(?:fixed|closed|solved|resolved|addressed|implemented|done)\b (?:by|in|with|via) ` +
	`(?:https?://[^/\s]+/)?([\w.-]+/[\w.-]+)?(?:#|!|/pull/|/-/merge_requests/)(\d+)`)

// addNamed adds to a thread the merged changes that a maintainer names as what solved it. separator stands between a
// project and a change's number.
func (t *Thread) addNamed(merged map[string]Change, separator string) {
	for _, comment := range t.Comments {
		if comment.Author.Role != Maintainer {
			continue
		}
		for _, found := range named.FindAllStringSubmatch(comment.Body, -1) {
			change, there := merged[cmp.Or(found[1], t.Project)+separator+found[2]]
			if there && !slices.ContainsFunc(t.Changes, func(held Change) bool { return held.Name == change.Name }) {
				t.Changes = append(slices.Clip(t.Changes), change)
			}
		}
	}
	slices.SortStableFunc(t.Changes, func(a, b Change) int { return a.MergedAt.Compare(b.MergedAt) })
}

// githubComments are the comments of issues, by the issue and their own ids. Of two states of one the later counts:
// files of several days may stand side by side.
type githubComments map[string]map[string]githubRecord

func (c githubComments) add(issue string, comment githubRecord) {
	if c[issue] == nil {
		c[issue] = map[string]githubRecord{}
	}
	id := string(comment.ID)
	if held, there := c[issue][id]; !there || comment.UpdatedAt.After(held.UpdatedAt) {
		c[issue][id] = comment
	}
}

// github reads the files twice, since they may come in any order: first comments and changes, which are kept, then
// issues.
func (l Listing) github(extent *Extent, visit func(Thread) error) error {
	comments, changes, latest := githubComments{}, map[string][]Change{}, map[string]time.Time{}
	merged := map[string]Change{}
	return readTwice(l.Files, extent, func(r githubRecord) {
		switch repository := cmp.Or(repositoryOf(r.address()), l.Project); {
		case r.IssueURL != "" && !r.isChange(): // a pull request is an issue too, and names that
			number, _ := strconv.Atoi(r.IssueURL[strings.LastIndexByte(r.IssueURL, '/')+1:])
			comments.add(threadKey(repositoryOf(r.IssueURL), number), r)
		case r.isChange() && !r.merged().IsZero():
			change := r.change(repository)
			merged[change.Name] = change
			for _, key := range closedBy(repository, r.Title+"\n"+r.Body) {
				if !slices.ContainsFunc(changes[key], func(held Change) bool { return held.Name == change.Name }) {
					changes[key] = append(changes[key], change)
				}
			}
		case r.Number > 0:
			key := threadKey(repository, r.Number)
			latest[key] = laterOf(latest[key], cmpTime(r.UpdatedAt, r.UpdatedOn))
		}
	}, func(r githubRecord) error {
		switch {
		case r.Number == 0 && r.IssueURL == "" && !r.Complete:
			extent.Skipped++
			return nil
		case r.Number == 0 || r.isChange():
			return nil
		}
		repository := cmp.Or(repositoryOf(r.address()), l.Project)
		key := threadKey(repository, r.Number)
		if newest, there := latest[key]; !there || cmpTime(r.UpdatedAt, r.UpdatedOn).Before(newest) {
			return nil // an earlier state of it, or the same once more
		}
		delete(latest, key)
		thread := r.thread(repository)
		for _, id := range slices.Sorted(maps.Keys(comments[key])) {
			thread.Comments = append(thread.Comments, comments[key][id].comment())
		}
		delete(comments, key)
		var count int
		thread.Partial = json.Unmarshal(r.Comments, &count, lenient) == nil && len(thread.Comments) < count
		thread.Changes = changes[key]
		thread.addNamed(merged, "#")
		return visit(thread)
	})
}

func (r githubRecord) thread(repository string) Thread {
	thread := Thread{
		Post: Post{Title: r.Title, Body: r.Body}, Address: r.address(), Project: repository, Asker: r.person(),
		CreatedAt: cmpTime(r.CreatedAt, r.CreatedOn), Closed: strings.EqualFold(r.State, "closed"),
		ClosedAt: cmpTime(r.ClosedAt, r.ClosedOn), Declined: declinedReason(cmp.Or(r.StateReason, r.ReasonOfState)),
	}
	for _, label := range r.Labels {
		thread.Labels = append(thread.Labels, label.Name)
	}
	if r.Milestone != nil {
		thread.Versions = append(thread.Versions, r.Milestone.Title)
	}
	var held []githubRecord
	if json.Unmarshal(r.Comments, &held, lenient) == nil {
		for _, comment := range held {
			if !comment.Hidden {
				thread.Comments = append(thread.Comments, comment.comment())
			}
		}
	}
	return thread
}

func (r githubRecord) comment() Comment {
	return Comment{Post: Post{Body: r.Body}, Author: r.person(), CreatedAt: cmpTime(r.CreatedAt, r.CreatedOn)}
}

func (r githubRecord) change(repository string) Change {
	return Change{
		Post: Post{
			Title: r.Title,
			Body:  r.Body,
		},
		Name:     threadKey(repository, r.Number),
		Author:   r.person(),
		MergedAt: r.merged(),
	}
}

// merged returns when a pull request was merged; zero: it wasn't.
func (r githubRecord) merged() time.Time {
	if r.PullRequest != nil && !r.PullRequest.MergedAt.IsZero() {
		return r.PullRequest.MergedAt
	}
	return cmpTime(r.MergedAt, r.MergedOn)
}

// declinedReason reports whether an issue was closed for a reason that is no solution.
func declinedReason(reason string) bool {
	return slices.Contains([]string{"not_planned", "duplicate"}, strings.ToLower(reason))
}

// laterOf returns the later of two times.
func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// cmpTime returns the first time that is one.
func cmpTime(times ...time.Time) time.Time {
	for _, at := range times {
		if !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}
