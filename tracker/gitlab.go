package tracker

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gitlabRecord is an issue, a note, a merge request or a member of a project, as GitLab's REST API answers.
type gitlabRecord struct {
	statement
	ID           int          `json:"id"`
	IID          int          `json:"iid"`
	Title        string       `json:"title"`
	Description  string       `json:"description"`
	State        string       `json:"state"`
	WebURL       string       `json:"web_url"`
	Author       gitlabUser   `json:"author"`
	Labels       []string     `json:"labels"`
	Milestone    *githubLabel `json:"milestone"`
	CreatedAt    time.Time    `json:"created_at"`
	ClosedAt     time.Time    `json:"closed_at"`
	MergedAt     time.Time    `json:"merged_at"`
	Notes        int          `json:"user_notes_count"`
	SourceBranch string       `json:"source_branch"` // only merge requests have one
	Confidential bool         `json:"confidential"`  // only members see it; so were notes until GitLab 15.4

	Body         string `json:"body"` // of a note
	System       bool   `json:"system"`
	Internal     bool   `json:"internal"` // only members see it
	NoteableType string `json:"noteable_type"`
	NoteableID   int    `json:"noteable_id"`

	Username    string `json:"username"` // of a member
	AccessLevel int    `json:"access_level"`
}

type gitlabUser struct {
	Username string `json:"username"`
	Bot      bool   `json:"bot"`
}

// developer is the access level from which on a member may change a project.
const developer = 30

var inProject = regexp.MustCompile(`^https?://[^/]+/(.+?)/-/(?:issues|merge_requests|work_items)/\d+`)

// gitlabProject returns the project in the address of an issue or merge request.
func gitlabProject(address string) string {
	if found := inProject.FindStringSubmatch(address); found != nil {
		return found[1]
	}
	return ""
}

// gitlab reads the files twice: first notes, merge requests and members, then issues. Whose word a maintainer's is, the
// project's members say (`/projects/:id/members/all`).
func (l Listing) gitlab(extent *Extent, visit func(Thread) error) error {
	merged := map[string]Change{}
	unseen := map[int]int{} // by issue: notes that only members see
	notes, changes, mayChange := map[int][]Comment{}, map[string][]Change{}, map[string]bool{}
	return readTwice(l.Files, extent, func(r gitlabRecord) {
		switch project := cmp.Or(gitlabProject(r.WebURL), l.Project); {
		case r.Username != "" && r.AccessLevel >= developer:
			mayChange[r.Username] = true
		case r.NoteableType == "Issue" && (r.Internal || r.Confidential):
			unseen[r.NoteableID]++
		case r.NoteableType == "Issue" && !r.System:
			notes[r.NoteableID] = append(notes[r.NoteableID], Comment{
				Post: Post{Body: r.Body}, Author: r.person(nil), CreatedAt: r.CreatedAt,
			})
		case r.SourceBranch != "" && r.State == "merged":
			change := Change{
				Post: Post{Title: r.Title, Body: r.Description}, Name: project + "!" + strconv.Itoa(r.IID),
				Author: r.person(nil), MergedAt: r.MergedAt,
			}
			merged[change.Name] = change
			for _, key := range closedBy(project, r.Title+"\n"+r.Description) {
				changes[key] = append(changes[key], change)
			}
		}
	}, func(r gitlabRecord) error {
		if r.IID == 0 || r.SourceBranch != "" || r.Title == "" {
			return nil
		}
		if r.Confidential {
			extent.Private++
			return nil
		}
		project := cmp.Or(gitlabProject(r.WebURL), l.Project)
		thread := Thread{
			Post: Post{
				Title: r.Title,
				Body:  r.Description,
			},
			Address:   r.WebURL,
			Project:   project,
			Asker:     r.person(mayChange),
			Labels:    r.Labels,
			CreatedAt: r.CreatedAt,
			Closed:    r.State == "closed",
			ClosedAt:  r.ClosedAt,
			Comments:  notes[r.ID],
			Changes:   changes[threadKey(project, r.IID)],
		}
		thread.Partial = len(thread.Comments)+unseen[r.ID] < r.Notes
		if r.Milestone != nil {
			thread.Versions = append(thread.Versions, r.Milestone.Title)
		}
		for i := range thread.Comments {
			thread.Comments[i].Author.Role = roleOf(mayChange, thread.Comments[i].Author.Handle)
		}
		thread.Changes = slices.Clone(thread.Changes)
		thread.addNamed(merged, "!")
		for i := range thread.Changes {
			thread.Changes[i].Author.Role = roleOf(mayChange, thread.Changes[i].Author.Handle)
		}
		return visit(thread)
	})
}

func (r gitlabRecord) person(mayChange map[string]bool) Person {
	name := r.Author.Username
	bot := r.Author.Bot || isBotName(name) || strings.HasPrefix(name, "project_") && strings.Contains(name, "_bot")
	return Person{Handle: name, Role: roleOf(mayChange, name), Bot: bot}
}

func roleOf(mayChange map[string]bool, name string) Role {
	if mayChange[name] {
		return Maintainer
	}
	return Stranger
}
