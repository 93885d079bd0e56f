// Package tracker makes reports of threads: issues, questions with their answers, topics of forums, pages of runbooks.
//
// A format's reader (github.go, gitlab.go, stackexchange.go, discourse.go, markdown.go) turns files into threads.
// Choose looks for what solved a thread, and rather finds nothing than something wrong: the accepted answer, what the
// asker then says worked, a maintainer's closing comment, or a merged change that says that it closes the issue
// (choose.go). Report makes an observation of both, in which people are keyed hashes (report.go, people.go).
//
// Readers return raw text. Who calls them scrubs each Post before anything else is done with it.
package tracker

import (
	"strconv"
	"time"
)

// Thread is an issue, a question, a topic or an entry of a runbook, with what was said in it.
type Thread struct {
	Post
	Address  string // where it is: what identifies it
	Project  string // what it is about, as in acme/qorvex
	Asker    Person
	Labels   []string
	Versions []string // that the tracker itself names, such as a milestone
	// Ecosystem is what a page says of itself; empty: it says nothing.
	Ecosystem string
	CreatedAt time.Time
	Closed    bool
	ClosedAt  time.Time // zero: it isn't known
	// Declined says that it was closed without being solved: as not planned, or as a duplicate.
	Declined bool
	Comments []Comment // in order of time
	Changes  []Change  // merged changes that say that they close it, in order of time
	// Partial says that comments are missing that the tracker has: what solved it can't be told from the rest.
	Partial bool
	// Page is what the resolution of an operator's own page says; only pages have it.
	Page string
	// Entry is the number of an entry that isn't its page's only or main one, and Heading what stands above it. Its
	// address lacks them until Anchor.
	Entry   int
	Heading string
}

// Anchor completes the address of an entry of a page, whose heading the caller has scrubbed: an anchor made of raw
// words would hide from the scrubber what is in them. Where something was removed, the entry's number stands for its heading.
func (t *Thread) Anchor(scrubbed string) {
	if t.Entry == 0 {
		return
	}
	anchor := slug(scrubbed)
	if scrubbed != t.Heading || isNumber(anchor) {
		anchor = strconv.Itoa(t.Entry)
	}
	t.Address += "#" + anchor
	t.Entry, t.Heading = 0, scrubbed
}

// Ref returns the address as a report has it.
func (t Thread) Ref() string { return cutRunes(t.Address, maxRef) }

// Post is the text of a thread or of a comment, in Markdown.
type Post struct{ Title, Body string }

// Comment is what somebody says in a thread.
type Comment struct {
	Post
	Author    Person
	CreatedAt time.Time
	// Accepted says that the asker accepted it as the answer.
	Accepted bool
}

// Change is a merged change of code.
type Change struct {
	Post
	Name     string // as in acme/qorvex#57
	Author   Person
	MergedAt time.Time
}

// Person is who wrote something.
type Person struct {
	Handle string
	Role   Role
	Bot    bool
}

// is reports whether two persons are one. Nobody is nobody else.
func (p Person) is(other Person) bool { return p.Handle != "" && p.Handle == other.Handle }

// Role is what somebody is in the project.
type Role int

// The roles.
const (
	Stranger   Role = iota
	Maintainer      // who may change the project: owners, members and collaborators
)

// Format names the form in which a tracker's threads are read.
type Format string

// The formats.
const (
	GitHub        Format = "github"
	GitLab        Format = "gitlab"
	StackExchange Format = "stackexchange"
	Discourse     Format = "discourse"
	Markdown      Format = "markdown"
)

// Formats returns all formats.
func Formats() []Format { return []Format{GitHub, GitLab, StackExchange, Discourse, Markdown} }

// Listing is what is to be read.
type Listing struct {
	Format Format
	Files  []string
	// Project is what the threads are about where they don't say it: acme/qorvex, or the name of a site.
	Project string
}

// Extent is what was read.
type Extent struct {
	Threads int
	// Skipped counts records that are no part of a thread, or whose thread isn't in the files.
	Skipped int
	// Private counts threads that only members see: they are left out.
	Private int
	// Complete says that the listing says of itself that it is whole: what isn't in it is there no more. A statement
	// speaks for one project.
	Complete bool
}

// Each reads the listing and hands each thread to visit, with its comments in order of time. It stops at visit's first
// error.
func (l Listing) Each(visit func(Thread) error) (Extent, error) {
	var extent Extent
	projects := map[string]bool{}
	hand := func(thread Thread) error {
		extent.Threads++
		projects[thread.Project] = true
		sortComments(thread.Comments)
		return visit(thread)
	}
	var err error
	switch l.Format {
	case GitHub:
		err = l.github(&extent, hand)
	case GitLab:
		err = l.gitlab(&extent, hand)
	case StackExchange:
		err = l.stackExchange(&extent, hand)
	case Discourse:
		err = l.discourse(&extent, hand)
	case Markdown:
		err = l.markdown(&extent, hand)
	}
	if len(projects) > 1 && l.Format != Markdown { // of pages, each folder is read whole
		extent.Complete = false
	}
	return extent, err
}
