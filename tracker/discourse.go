package tracker

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// discourseTopic is a topic as `/t/ID.json` answers, or further posts of one as `/t/ID/posts.json` does.
type discourseTopic struct {
	statement
	ID        int              `json:"id"`
	Archetype string           `json:"archetype"`
	Title     string           `json:"title"`
	Slug      string           `json:"slug"`
	Tags      []jsontext.Value `json:"tags"` // names, or objects that have one
	CreatedAt time.Time        `json:"created_at"`
	Closed    bool             `json:"closed"`
	Posts     int              `json:"posts_count"`
	Accepted  *struct {
		PostNumber int `json:"post_number"`
	} `json:"accepted_answer"`
	Stream struct {
		Posts []discoursePost `json:"posts"`
	} `json:"post_stream"`
}

type discoursePost struct {
	TopicID    int        `json:"topic_id"`
	Number     int        `json:"post_number"`
	Username   string     `json:"username"`
	Cooked     string     `json:"cooked"`
	Raw        string     `json:"raw"`
	CreatedAt  time.Time  `json:"created_at"`
	DeletedAt  *time.Time `json:"deleted_at"`
	Staff      bool       `json:"staff"`
	Admin      bool       `json:"admin"`
	Moderator  bool       `json:"moderator"`
	Accepted   bool       `json:"accepted_answer"`
	ActionCode string     `json:"action_code"` // of a line that Discourse itself writes
	Type       int        `json:"post_type"`
	Hidden     bool       `json:"hidden"` // as one that was flagged
}

// whisper is the type of posts that only staff see.
const whisper = 4

// private reports whether only members see the post.
func (p discoursePost) private() bool { return p.Hidden || p.Type == whisper }

// private reports whether only members see the topic: a message, or one whose first post is hidden.
func (t discourseTopic) private() bool {
	return t.Archetype == "private_message" ||
		slices.ContainsFunc(t.Stream.Posts, func(p discoursePost) bool { return p.Number == 1 && p.private() })
}

// discourse reads the files twice: first the posts that stand apart from their topic, then topics.
func (l Listing) discourse(extent *Extent, visit func(Thread) error) error {
	further := map[int][]discoursePost{}
	return readTwice(l.Files, extent, func(topic discourseTopic) {
		if topic.Title == "" {
			for _, post := range topic.Stream.Posts {
				further[post.TopicID] = append(further[post.TopicID], post)
			}
		}
	}, func(topic discourseTopic) error {
		if topic.Title == "" {
			return nil
		}
		if topic.private() {
			extent.Private++
			return nil
		}
		return visit(topic.thread(l.Project, append(topic.Stream.Posts, further[topic.ID]...)))
	})
}

// thread makes a thread of a topic. Its site is not in it, so the project names it: forum.acme.example.
func (t discourseTopic) thread(site string, posts []discoursePost) Thread {
	thread := Thread{
		Post: Post{Title: t.Title}, Address: siteAddress(site, "/t/", t.ID), Project: siteOf(site),
		CreatedAt: t.CreatedAt, Closed: t.Closed,
	}
	for _, tag := range t.Tags {
		var named struct {
			Name string `json:"name"`
		}
		var name string
		if json.Unmarshal(tag, &name) == nil || json.Unmarshal(tag, &named) == nil {
			thread.Labels = append(thread.Labels, cmp.Or(name, named.Name))
		}
	}
	seen := map[int]bool{}
	for _, post := range posts {
		if seen[post.Number] {
			continue
		}
		if seen[post.Number] = true; post.DeletedAt != nil || post.ActionCode != "" || post.private() {
			continue
		}
		text := post.Raw
		if text == "" {
			text = fromHTML(post.Cooked)
		}
		person := Person{
			Handle: post.Username,
			Bot:    isBotName(post.Username) || post.Username == "system" || post.Username == "discobot",
		}
		if post.Staff || post.Admin || post.Moderator {
			person.Role = Maintainer
		}
		if post.Number == 1 {
			thread.Body, thread.Asker = text, person
			continue
		}
		accepted := post.Accepted || t.Accepted != nil && t.Accepted.PostNumber == post.Number
		thread.Closed = thread.Closed || accepted
		thread.Comments = append(thread.Comments, Comment{
			Post: Post{Body: text}, Author: person, CreatedAt: post.CreatedAt, Accepted: accepted,
		})
	}
	thread.Partial = len(seen) < t.Posts
	return thread
}

// siteOf returns a site's host, of its address or its name.
func siteOf(site string) string {
	_, host, found := strings.Cut(site, "://")
	if !found {
		host = site
	}
	return strings.TrimSuffix(host, "/")
}

// siteAddress returns the address of a numbered page of a site.
func siteAddress(site, path string, number int) string {
	return "https://" + siteOf(site) + path + strconv.Itoa(number)
}
