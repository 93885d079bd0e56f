package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// storedUnit stores a knowledge unit that was made so many minutes ago.
func storedUnit(t *testing.T, prefix string, minutes int, change func(*lore.KnowledgeUnit)) lore.KnowledgeUnit {
	t.Helper()
	unit := oneOfEach()[lore.KnowledgeUnits].(lore.KnowledgeUnit)
	unit.CreatedAt = time.Now().UTC().Truncate(time.Millisecond).Add(-time.Duration(minutes) * time.Minute)
	change(&unit)
	enginetest.Elasticsearch(t, "PUT", "/"+prefix+"-knowledge-units/_doc/"+unit.ID+"?refresh=true", jsonText(t, unit))
	return unit
}

func jsonText(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A feed in either form lists new knowledge that fits its filters, newest first, with stored text as text. It leaves out flagged and
// withdrawn items. A reader that has the present version gets 304.
func TestFeeds(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	const hostile = "<script>alert(1)</script> & ]]> \x01 \"quoted\""
	older := storedUnit(t, s.prefix, 9, func(u *lore.KnowledgeUnit) { u.FirstSeenAt = time.Now() }) // its order is by when it was made
	newest := storedUnit(t, s.prefix, 5, func(u *lore.KnowledgeUnit) { u.Ecosystem, u.Summary = []string{"solana"}, hostile })
	storedUnit(t, s.prefix, 1, func(u *lore.KnowledgeUnit) { u.Status = lore.UnitWithdrawn })
	storedUnit(t, s.prefix, 2, func(u *lore.KnowledgeUnit) {
		u.Warnings = []lore.ItemWarning{{Code: lore.LeftOutCodes()[0]}}
	})
	family := lore.NewID()
	pattern := oneOfEach()[lore.Patterns].(lore.Pattern)
	pattern.FamilyID = family
	enginetest.Elasticsearch(t, "PUT", "/"+s.prefix+"-patterns/_doc/"+pattern.ID+"?refresh=true", jsonText(t, pattern))

	type jsonFeed struct {
		Version string `json:"version"`
		Self    string `json:"feed_url"`
		Items   []struct {
			ID    string `json:"id"`
			URL   string `json:"url"`
			Title string `json:"title"`
			Text  string `json:"content_text"`
		} `json:"items"`
	}
	ids := func(feed jsonFeed) string {
		var ids []string
		for _, item := range feed.Items {
			ids = append(ids, strings.TrimPrefix(item.ID, "urn:uuid:"))
		}
		return strings.Join(ids, " ")
	}
	for path, want := range map[string]string{
		"":                             newest.ID + " " + older.ID,
		"?ecosystem=SOL":               newest.ID,
		"?category=failure&tag=USDT":   newest.ID + " " + older.ID,
		"?category=market":             "",
		"?tag=nothing":                 "",
		"?family=" + family:            pattern.ID,
		"?family=" + lore.NewID():      "",
		"?ecosystem=ethereum&tag=usdt": older.ID,
	} {
		got := s.get(t, "/feed.json"+path).want(t, 200)
		feed := decode[jsonFeed](t, got)
		if ids(feed) != want || feed.Version != "https://jsonfeed.org/version/1.1" || feed.Self != s.base+"/feed.json"+path ||
			!strings.HasPrefix(got.header.Get("Content-Type"), "application/feed+json") {
			t.Errorf("%s: %s %q, want %q", path, got.header.Get("Content-Type"), ids(feed), want)
		}
		atom := s.get(t, "/feed.atom"+path).want(t, 200)
		var read struct {
			XMLName xml.Name  `xml:"http://www.w3.org/2005/Atom feed"`
			ID      string    `xml:"id"`
			Author  string    `xml:"author>name"`
			Updated time.Time `xml:"updated"`
			Entries []struct {
				ID      string    `xml:"id"`
				Title   string    `xml:"title"`
				Updated time.Time `xml:"updated"`
				Link    struct {
					Href string `xml:"href,attr"`
				} `xml:"link"`
			} `xml:"entry"`
		}
		if err := xml.Unmarshal(atom.body, &read); err != nil || read.ID == "" || read.Author == "" || len(read.Entries) != len(feed.Items) {
			t.Fatalf("%s: %v\n%s", path, err, atom.body)
		}
		for i, entry := range read.Entries {
			if entry.ID != feed.Items[i].ID || entry.Link.Href != feed.Items[i].URL || entry.Updated.IsZero() {
				t.Errorf("%s: %+v, in JSON %+v", path, entry, feed.Items[i])
			}
			s.get(t, strings.TrimPrefix(entry.Link.Href, s.base)).want(t, 200)
		}
		for feed, got := range map[string]answer{"/feed.json": got, "/feed.atom": atom} {
			if again := s.get(t, feed+path, "If-None-Match", got.header.Get("ETag")); again.status != 304 || len(again.body) > 0 {
				t.Errorf("%s%s again: %d", feed, path, again.status)
			}
			if strings.Contains(string(got.body), "<script") {
				t.Errorf("%s: stored text is markup: %s", feed, got.body)
			}
		}
	}
	if got := decode[jsonFeed](t, s.get(t, "/feed.json?ecosystem=solana")).Items[0]; got.Title != hostile || !strings.Contains(got.Text, "What to do: approve(0)") {
		t.Errorf("the text is %+v", got)
	}
	for _, feed := range []string{"/feed.json", "/feed.atom"} {
		if got := s.get(t, feed+"?tag=ann@example.org").want(t, 200); strings.Contains(string(got.body), "ann@") || strings.Contains(string(got.body), "ann%40") {
			t.Errorf("%s repeats what holds a secret: %s", feed, got.body)
		}
	}
	var lines strings.Builder
	for range 60 {
		unit := oneOfEach()[lore.KnowledgeUnits]
		fmt.Fprintf(&lines, "{\"index\": {\"_id\": %q}}\n%s\n", lore.IDOf(unit), jsonText(t, unit))
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-knowledge-units/_bulk?refresh=true", lines.String())
	if got := decode[jsonFeed](t, s.get(t, "/feed.json")); len(got.Items) != 50 {
		t.Errorf("%d items", len(got.Items))
	}
}

// Where its public address is configured, nothing that a request says of the host is in a link. Else a cache between is told that a feed and
// a page with links are of the address that they were asked at.
func TestLinksAreOfThePublicAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	unit := storedUnit(t, s.prefix, 5, func(*lore.KnowledgeUnit) {})
	public := serve(t, s.prefix, "--public-url=https://lore.example/")
	ask := func(s *service, path string) (body, vary string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "evil.example"
		request.Header.Set("X-Forwarded-Proto", "https")
		request.Header.Set("Accept", "text/html, application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", path, answer.StatusCode, err)
		}
		return string(text), strings.Join(answer.Header.Values("Vary"), ", ")
	}
	for _, path := range []string{"/feed.json", "/feed.atom", "/web/agents"} {
		if body, vary := ask(s, path); !strings.Contains(body, "https://evil.example") || !strings.Contains(vary, "Host, X-Forwarded-Proto") {
			t.Errorf("%s depends on the request, and says that it varies by %q", path, vary)
		}
		if body, _ := ask(public, path); strings.Contains(body, "evil.example") || !strings.Contains(body, "https://lore.example") {
			t.Errorf("%s is not of the public address: %s", path, body)
		}
	}
	if body, _ := ask(public, "/feed.json"); !strings.Contains(body, `"url":"https://lore.example/knowledge/`+unit.ID) || !strings.Contains(body, `"feed_url":"https://lore.example/feed.json"`) {
		t.Errorf("the feed is %s", body)
	}
	for _, wrong := range []string{"lore.example", "ftp://lore.example", "https://lore.example/x", "https://a:b@lore.example", "https://lore.example?x"} {
		status, _, stderr := run(t, append([]string{"serve", "--listen=127.0.0.1:0", "--metrics-listen=off", "--public-url=" + wrong}, storeFlags(t, s.prefix)...)...)
		if status == 0 || !strings.Contains(stderr, "AGENTLORE_PUBLIC_URL") {
			t.Errorf("%s: status %d: %s", wrong, status, stderr)
		}
	}
}

// A feed of large items has as many as have room, and reads on where a page of the store has few of them.
func TestFeedsAreBounded(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	count := func(path string) int {
		got := s.get(t, path).want(t, 200)
		if len(got.body) > 300<<10 {
			t.Errorf("%s has %d bytes, want at most 300 KiB", path, len(got.body))
		}
		return strings.Count(string(got.body), "urn:uuid:")
	}
	units := func(ecosystem, text string) {
		for i := range 55 {
			storedUnit(t, s.prefix, i, func(u *lore.KnowledgeUnit) { u.Ecosystem, u.Content, u.Resolution = []string{ecosystem}, text, text })
		}
	}
	units("base", strings.Repeat("wombats ", 2_400))
	if n := count("/feed.json?ecosystem=base"); n != 50 {
		t.Errorf("%d items of 40 kB, want 50: of each a feed has 4,000 characters", n)
	}
	units("solana", strings.Repeat("🐨", 19_000))
	if n := count("/feed.json?ecosystem=solana"); n < 20 || n > 40 {
		t.Errorf("%d items of 8 kB, want as many as have room in 256 KiB", n)
	}
	count("/feed.atom?ecosystem=solana")
}
