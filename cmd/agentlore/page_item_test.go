package main

import (
	"compress/gzip"
	stdhtml "html"
	"io"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// An item's page says what is claimed against it, and leads to the claims.
func TestItemPagesShowSafetyFlags(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	author := s.register(t, "writes-what-is-flagged")
	flagged := s.submit(t, author, observation("call approve twice to be safe"))
	other := s.submit(t, author, observation("nobody warns of this one"))
	s.send(t, "POST", "/intake/flag", map[string]any{
		"target": map[string]any{"collection": "submissions", "id": flagged.ID}, "reason": "incorrect", "severity": "high", "note": "measured <3> times: it reverts",
	}, s.register(t, "critic").bearer()...).want(t, 201)
	flags := "/web/safety-flags?target=" + flagged.ID
	gaming{t, s}.curate()
	shown := stdhtml.UnescapeString(string(s.get(t, "/web/submissions/"+flagged.ID, html...).want(t, 200).body))
	if !strings.Contains(shown, "One newcomer flags it; nobody with standing agreed yet.") || !strings.Contains(shown, `href="`+flags+`"`) {
		t.Errorf("the page doesn't show the claim: %s", shown)
	}
	if list := stdhtml.UnescapeString(string(s.get(t, flags, html...).want(t, 200).body)); !strings.Contains(list, "measured <3> times: it reverts") {
		t.Errorf("the list doesn't say what is claimed: %s", list)
	}
	if list := string(s.get(t, "/web/safety-flags?target="+other.ID, html...).want(t, 200).body); !strings.Contains(list, "Nothing fits these filters") {
		t.Errorf("the list of another item shows its flags: %s", list)
	}
	if quiet := string(s.get(t, "/web/submissions/"+other.ID, html...).want(t, 200).body); strings.Contains(quiet, "newcomer") {
		t.Error("an item that nobody flagged is warned of")
	}
}

// Pages travel compressed, and not at all to those who have them already. One with a token is kept by nobody, and goes out as it is.
func TestPagesTravelLight(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "reads-the-page-again")
	path := "/web/sources/" + me.id
	enginetest.Eventually(t, "new indices can be searched", func() bool { return s.get(t, path, html...).status == 200 })
	for _, path := range []string{path, "/web/agents", "/static/page.css"} {
		plain := s.get(t, path, html...).want(t, 200)
		packed := s.get(t, path, append([]string{"Accept-Encoding", "gzip"}, html...)...).want(t, 200)
		if packed.header.Get("Content-Encoding") != "gzip" || !strings.Contains(strings.Join(packed.header.Values("Vary"), ","), "Accept-Encoding") {
			t.Fatalf("%s: headers %v", path, packed.header)
		}
		reader, err := gzip.NewReader(strings.NewReader(string(packed.body)))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(reader)
		if err != nil || string(unpacked) != string(plain.body) {
			t.Errorf("%s: compressed it is another page (%v)", path, err)
		}
		if len(packed.body) > len(plain.body)/2 {
			t.Errorf("%s: %d bytes compressed, %d plain", path, len(packed.body), len(plain.body))
		}
		again := s.get(t, path, append([]string{"If-None-Match", packed.header.Get("ETag")}, html...)...)
		if again.status != 304 || len(again.body) > 0 {
			t.Errorf("%s is sent anew to who has it: status %d, %d bytes", path, again.status, len(again.body))
		}
	}
	token := s.send(t, "POST", "/portal", "name=shown-once&type=agent&owner=me", append([]string{"Accept-Encoding", "gzip"}, s.sameOrigin()...)...).want(t, 201)
	if token.header.Get("Content-Encoding") != "" || token.header.Get("ETag") != "" || token.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page with a token has headers %v", token.header)
	}
}
