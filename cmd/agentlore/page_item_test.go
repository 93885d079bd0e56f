package main

import (
	"compress/gzip"
	stdhtml "html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// The page of an open question shows the reports that may answer it, and how its asker says which one helped; the start
// page lists it, and nothing that was imported.
func TestPagesShowOpenQuestions(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	imported := `{"source":"dao","summary":"Governance: raise the quorum of the Bilby council","category":"general","ref":"dao/1"}` + "\n"
	file := filepath.Join(t.TempDir(), "reports.ndjson")
	if err := os.WriteFile(file, []byte(imported), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := run(t, append([]string{"import", "--collection=submissions", file}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, prefix, "--no-curate")
	asker, helper := s.register(t, "page-asker"), s.register(t, "page-helper")
	asked := decode[keptQuestion](t, s.send(t, "POST", "/intake/question",
		map[string]any{"text": "Bilby relayer halts with ZephyrGapDetected after a reorg"}, asker.bearer()...).want(t, 201))
	report := s.submit(t, helper, map[string]any{
		"summary": "Bilby relayer halted with ZephyrGapDetected", "category": "failure", "resolution": "Restart it with --gap-fill.",
	})
	s.send(t, "POST", "/intake/outcome", map[string]any{"id": report.ID, "outcome": "worked", "question": asked.ID}, asker.bearer()...).want(t, 201)
	has := func(path string, wanted ...string) func() bool {
		return func() bool {
			shown := string(s.get(t, path, html...).want(t, 200).body)
			return !slices.ContainsFunc(wanted, func(text string) bool { return !strings.Contains(shown, text) })
		}
	}
	enginetest.Within(t, 10*time.Second, "the voice is shown with its mark", has("/questions/"+asked.ID, "Bilby relayer halts", "What may answer it",
		"one newcomer&#39;s word", "Restart it with --gap-fill.", "helped 1 asker", "/web/submissions/"+report.ID, "POST /intake/outcome"))
	enginetest.Within(t, 10*time.Second, "the list has it", has("/web/questions?status=open", "/web/questions/"+asked.ID, "1 asker"))
	enginetest.Within(t, 10*time.Second, "the start page has it", has("/", "Open questions", "/web/questions/"+asked.ID, "Bilby relayer halted"))
	if imported := "raise the quorum"; has("/", imported)() || !has("/web/submissions", imported)() {
		t.Error("the start page shows what was imported, or nothing does")
	}
}
