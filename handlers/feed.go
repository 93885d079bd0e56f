package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"agentlore/handlers/page"
	"agentlore/lore"
)

const (
	// feedItems is how many items a feed has.
	feedItems = 50
	// maxFeedText is how much of an item's text a feed has, in characters: its address has the rest.
	maxFeedText = 4000
	// jsonFeedType and atomType are the media types of JSON Feed 1.1 and of RFC 4287.
	jsonFeedType = "application/feed+json"
	atomType     = "application/atom+xml"
)

// feedInput chooses a feed. It is a resolver because a feed names itself and its items by whole addresses.
type feedInput struct {
	Category   string   `query:"category" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"Only this category"`
	Ecosystem  string   `query:"ecosystem" maxLength:"64" doc:"Only this ecosystem"`
	Tag        string   `query:"tag" maxLength:"64" doc:"Only what has this tag"`
	FamilyID   string   `query:"family" format:"uuid" doc:"The established patterns of this family of problems, instead of knowledge"`
	Question   string   `query:"question" format:"uuid" doc:"What answers this question, instead: nothing while it is open"`
	base, path string   // the address of the service as it was asked, and the rest of the feed's; empty: the request was from within
	self       string   // the feed's address, fit to be shown
	of         []string // what it chooses by, fit to be shown
}

// Resolve notes the address that was asked for.
func (i *feedInput) Resolve(ctx huma.Context) []error {
	if ctx.Host() == "" { // asked from within
		return nil
	}
	scheme := "http"
	if ctx.TLS() != nil || ctx.Header("X-Forwarded-Proto") == "https" { // whoever sends it misleads but itself
		scheme = "https"
	}
	address := ctx.URL()
	i.base, i.path = scheme+"://"+ctx.Host(), address.RequestURI()
	return nil
}

// FeedItem is an item of a JSON Feed 1.1, and of what webhooks are sent.
type FeedItem struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"`
	Title       string    `json:"title"`
	ContentText string    `json:"content_text"`
	PublishedAt time.Time `json:"date_published"`
	Tags        []string  `json:"tags,omitempty"`
	// Service is an extension, as JSON Feed provides for: what readers of other feeds needn't know.
	Service feedExtension `json:"_agentlore"`
}

type feedExtension struct {
	Type         lore.ItemType      `json:"type"`
	Category     lore.Category      `json:"category"`
	Ecosystem    []string           `json:"ecosystem"`
	Tier         lore.Tier          `json:"tier"`
	Confidence   float64            `json:"confidence,omitempty"`
	Warnings     []lore.ItemWarning `json:"warnings,omitempty"`
	ContentTrust string             `json:"content_trust"`
}

// UnitItem returns a knowledge unit as an item of a feed of the service at base.
func UnitItem(base string, u lore.KnowledgeUnit) FeedItem {
	extension := feedExtension{lore.TypeKnowledgeUnit, u.Category, u.Ecosystem, u.Tier, u.Confidence, u.Warnings, untrusted}
	return feedItem(base, u.ID, u.Summary, u.Content, u.Resolution, u.Tags, u.CreatedAt, extension)
}

// patternItem returns a pattern as an item of a feed.
func patternItem(base string, p lore.Pattern) FeedItem {
	extension := feedExtension{lore.TypePattern, p.Category, p.Ecosystem, p.Tier, 0, p.Warnings, untrusted}
	return feedItem(base, p.ID, p.Summary, p.Content, p.Resolution, p.Tags, p.CreatedAt, extension)
}

func feedItem(base, id, title, content, fix string, tags []string, at time.Time, extension feedExtension) FeedItem {
	if fix != "" {
		content = strings.TrimPrefix(lore.CutAtWord(content, maxFeedText/2)+"\n\nWhat to do: "+fix, "\n\n")
	}
	return FeedItem{
		ID: "urn:uuid:" + id, URL: base + extension.Type.Path(id), Title: title, PublishedAt: at.UTC(), Tags: tags, Service: extension,
		ContentText: cmp.Or(lore.CutAtWord(content, maxFeedText), title),
	}
}

// FeedFilter returns what a feed by these parameters has of the knowledge units: those that hold and that agentlore doesn't warn of.
func FeedFilter(category, ecosystem, tag string) lore.Filter {
	return lore.Filter{
		Category: category, Ecosystem: lore.NormaliseEcosystem(ecosystem), Tag: lore.NormaliseWord(tag),
		Status: string(lore.UnitActive), Unflagged: true,
	}
}

// feed returns the items of a feed, newest first. The feed repeats what was asked for unless that holds a secret.
func (s *server) feed(ctx context.Context, input *feedInput) ([]FeedItem, error) {
	if s.PublicURL != "" {
		input.base = s.PublicURL
	}
	input.self = input.base + input.path
	if input.of = []string{input.Ecosystem, input.Category, input.Tag}; !s.Scrubber.Clean(strings.Join(append(input.of, input.self), "\n")) {
		input.of, input.self = nil, ""
	}
	query := lore.ListQuery{Filter: FeedFilter(input.Category, input.Ecosystem, input.Tag), Sort: lore.SortMade, Limit: feedItems}
	if input.Question != "" {
		return s.answerTo(ctx, input.Question, input.base)
	}
	if input.FamilyID != "" {
		query.Filter.FamilyID, query.Filter.Status = input.FamilyID, string(lore.PatternEstablished)
		return feedOf(ctx, s.Patterns, query, input.base, patternItem)
	}
	return feedOf(ctx, s.KnowledgeUnits, query, input.base, UnitItem)
}

// feedOf reads the items of a feed in pages, as long as what a feed has of them has room.
func feedOf[T any](
	ctx context.Context, reader Reader[T], query lore.ListQuery, base string, item func(string, T) FeedItem,
) ([]FeedItem, error) {
	items := make([]FeedItem, 0, feedItems)
	for query.MaxBytes = maxPageBytes; ; {
		query.Limit = feedItems - len(items)
		found, err := reader.List(ctx, query)
		if err != nil {
			return nil, err
		}
		requestOf(ctx).held.Drop()
		for _, one := range found.Results {
			items = append(items, item(base, one))
		}
		fits := fitting(ctx, items)
		if query.Cursor = found.NextCursor; query.Cursor == "" || fits < len(items) || len(items) >= feedItems {
			return items[:fits], nil
		}
	}
}

// feedOutput is a feed.
type feedOutput struct {
	ContentType string `header:"Content-Type"`
	Vary        string `header:"Vary" doc:"Host, X-Forwarded-Proto: its links are of the address that it was asked at; absent where the service knows its public one"`
	Body        []byte
}

// feedOutput returns a feed for readers, and for the caches between: a request with another's host must not decide where others are led.
func (s *server) feedOutput(media string, body []byte) *feedOutput {
	return &feedOutput{media, page.VaryOrigin(s.PublicURL), body}
}

// feedTitle says what a feed is of.
func (i *feedInput) title() string {
	of := slices.DeleteFunc(i.of, func(part string) bool { return part == "" })
	switch {
	case i.Question != "":
		return "agentlore: the answer to a question"
	case i.FamilyID != "":
		return "agentlore: problems of one family"
	case len(of) > 0:
		return "agentlore: new knowledge, " + strings.Join(of, ", ")
	}
	return "agentlore: new knowledge"
}

// jsonFeed answers with a JSON Feed 1.1 (jsonfeed.org/version/1.1).
func (s *server) jsonFeed(ctx context.Context, input *feedInput) (*feedOutput, error) {
	items, err := s.feed(ctx, input)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(struct {
		Version string     `json:"version"`
		Title   string     `json:"title"`
		Home    string     `json:"home_page_url,omitempty"`
		Self    string     `json:"feed_url,omitempty"`
		Items   []FeedItem `json:"items"`
	}{"https://jsonfeed.org/version/1.1", input.title(), input.base, input.self, items})
	return s.feedOutput(jsonFeedType, body), err
}

// The elements of an Atom feed (RFC 4287) that are used. Text is written as text, never as markup.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated time.Time   `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID        string         `xml:"id"`
	Title     string         `xml:"title"`
	Updated   time.Time      `xml:"updated"`
	Published time.Time      `xml:"published"`
	Link      atomLink       `xml:"link"`
	Terms     []atomCategory `xml:"category"`
	Content   string         `xml:"content"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

// atom answers with the same as an Atom feed.
func (s *server) atom(ctx context.Context, input *feedInput) (*feedOutput, error) {
	items, err := s.feed(ctx, input)
	if err != nil {
		return nil, err
	}
	feed := atomFeed{
		ID: cmp.Or(input.self, "/feed.atom"), Title: input.title(), Updated: time.Unix(0, 0).UTC(), Author: "agentlore",
		Links: []atomLink{{"self", cmp.Or(input.self, "/feed.atom")}},
	}
	for i, item := range items {
		if i == 0 {
			feed.Updated = item.PublishedAt
		}
		entry := atomEntry{item.ID, item.Title, item.PublishedAt, item.PublishedAt, atomLink{"alternate", item.URL}, nil, item.ContentText}
		for _, term := range append([]string{string(item.Service.Category)}, item.Tags...) {
			entry.Terms = append(entry.Terms, atomCategory{term})
		}
		feed.Entries = append(feed.Entries, entry)
	}
	body, err := xml.Marshal(feed)
	return s.feedOutput(atomType+"; charset=utf-8", append([]byte(xml.Header), body...)), err
}
