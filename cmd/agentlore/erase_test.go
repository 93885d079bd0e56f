package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// says returns a report of one thing in words of its own: all such reports are of one pattern.
func says(word string, status int) map[string]any {
	return map[string]any{
		"summary": fmt.Sprintf("`relaySigned` answers status %d to every signed request (%s)", status, word), "category": "failure", "tags": []string{word + "tag"},
		"content": fmt.Sprintf("See Relayer.sol#L40-L60: after %d minutes the queue of `relaySigned` is full and nothing is relayed, says %s.\n"+
			"```\nuint256 owed = pendingRelay[msg.sender];\nupdateRelayIndex();\nrelaySigned(owed);\n```", status, word),
		"resolution": "Call updateRelayIndex() before reading pendingRelay.",
	}
}

// told is a store in which four agents report one thing, an operator stands for them, and others speak of the first report.
type told struct {
	*service
	agents []agent
	items  []submitted
	flag   string // of the last agent on the first item
}

func tell(t *testing.T) told {
	t.Helper()
	s := told{service: serve(t, enginetest.Prefix(t))}
	for i, word := range []string{"wombatking", "quokkaking", "numbatking", "bilbyking"} {
		a := s.register(t, fmt.Sprint("agent ", i))
		item := decode[submitted](t, s.send(t, "POST", "/intake/submit", says(word, 500+i), append(a.bearer(), "Idempotency-Key", "key-"+word)...).want(t, 201))
		s.agents, s.items = append(s.agents, a), append(s.items, item)
		lever(t, s.prefix, "vouch", a.id, "--why=known")
	}
	about := map[string]any{"collection": "submissions", "id": s.items[0].ID}
	last := s.agents[3]
	s.flag = decode[proposed](t, s.send(t, "POST", "/intake/flag", map[string]any{"target": about, "reason": "stale", "note": "wombatking is wrong"}, last.bearer()...).want(t, 201)).ID
	s.send(t, "POST", "/intake/suggest", map[string]any{"kind": "correction", "summary": "wombatking says it badly", "target": about}, last.bearer()...).want(t, 201)
	s.send(t, "POST", "/intake/outcome", map[string]any{"target": about, "outcome": "worked", "note": "as wombatking did"}, last.bearer()...).want(t, 201)
	curateOnce(t, s.prefix)
	return s
}

// ids returns the ids of a collection.
func (s told) ids(t *testing.T, path string) []string {
	t.Helper()
	return decode[page](t, s.get(t, path+"?limit=100").want(t, 200)).ids()
}

// What is erased is in no index, search or export when a pass has ended, and neither is what was derived from it or said about it; the
// other reports are knowledge without it. A tombstone tells readers and consumers.
func TestErasedIsGone(t *testing.T) {
	t.Parallel()
	s := tell(t)
	item := s.items[0]
	patterns, units := s.ids(t, "/patterns"), s.ids(t, "/knowledge")
	if len(patterns) != 1 || len(units) != 1 {
		t.Fatalf("there are %d patterns and %d units to begin with", len(patterns), len(units))
	}
	erase := []string{"erase", item.ID, "--who=dana", "--why=asked by its author"}
	wantUntouched(t, s.prefix, erase)
	printed := lever(t, s.prefix, erase...)
	for _, part := range []string{"submissions 1", "suggestions 1", "safety-flags 1", "outcomes 1", "patterns 1", "knowledge-units 1"} {
		if !strings.Contains(printed, part) {
			t.Errorf("the erasure says %q, want %s", printed, part)
		}
	}
	wantNowhere(t, s.prefix, "wombatking", item.ID) // before any pass
	curateOnce(t, s.prefix)
	wantNowhere(t, s.prefix, "wombatking", item.ID)
	for _, path := range []string{"/patterns", "/knowledge"} {
		made := decode[page](t, s.get(t, path).want(t, 200)).Results
		if len(made) != 1 || !strings.Contains(fmt.Sprint(made[0]), s.items[1].ID) {
			t.Errorf("of the other reports %s has %v", path, made)
		}
	}
	if hits := decode[page](t, s.get(t, "/search/all?q=wombatking")); len(hits.Results) != 0 {
		t.Errorf("it is found: %v", hits.Results)
	}
	if found := s.get(t, "/search/all?q=wombatkinh").want(t, 200); strings.Contains(string(found.body), "wombatking") {
		t.Errorf("a search gives its words back: %s", found.body) // as a likelier spelling: its terms are on disk until a merge
	}
	wantProblem(t, s.get(t, "/submissions/"+item.ID), 410, "erased")
	wantProblem(t, s.get(t, "/items/"+item.ID), 410, "erased")
	wantProblem(t, s.get(t, "/safety-flags/"+s.flag), 410, "erased")
	wantProblem(t, s.get(t, "/submissions/"+lore.NewID()), 404, "not_found")
	wantProblem(t, s.get(t, "/submissions/"+s.flag), 404, "not_found")

	// An erasure that is run again says so and records nothing more.
	if printed := lever(t, s.prefix, erase...); !strings.Contains(printed, "nothing that is left") {
		t.Errorf("erased again: %s", printed)
	}
	if listed := lever(t, s.prefix, "decisions", "--verdict=erase", "--subject="+item.ID); strings.Count(listed, "\n") != 2 || !strings.Contains(listed, "dana: asked by its author") {
		t.Errorf("the record is %q", listed)
	}
	if status, _, _ := pull(t, s.prefix, "erase", lore.NewID(), "--why=x"); status == 0 {
		t.Error("an id of nothing is erased")
	}
	// The same request, sent again, is a new one: neither its key nor its text is known. Its tombstone goes, for it is there.
	again := s.send(t, "POST", "/intake/submit", says("wombatking", 500), append(s.agents[0].bearer(), "Idempotency-Key", "key-wombatking")...)
	if again.status != 201 || strings.Contains(string(again.body), "duplicate") {
		t.Errorf("said again: %d %s", again.status, again.body)
	}
	s.get(t, "/submissions/"+item.ID).want(t, 200)
	enginetest.Eventually(t, "no tombstone of what is there", func() bool { return !strings.Contains(s.exported(t, lore.Submissions, ""), "erased_at") })
}

// A source goes with all that it said, and nothing that others said of others' items.
func TestErasedSourceIsGone(t *testing.T) {
	t.Parallel()
	s := tell(t)
	gone, other := s.agents[0], s.agents[1]
	var mine []string
	for i := range 250 { // more than are erased at once
		mine = append(mine, s.submit(t, gone, observation(fmt.Sprintf("wombatking report number %d", i))).ID)
	}
	about := map[string]any{"collection": "submissions", "id": s.items[1].ID}
	flag := decode[proposed](t, s.send(t, "POST", "/intake/flag", map[string]any{"target": about, "reason": "stale", "note": "says wombatking"}, gone.bearer()...).want(t, 201)).ID
	s.send(t, "POST", "/intake/suggest", map[string]any{"kind": "feature", "summary": "wombatking wants charts"}, gone.bearer()...).want(t, 201)
	lone := s.submit(t, other, map[string]any{"summary": "Marsupial bonds mature on the last day of a month", "category": "market"}).ID
	tried := map[string]any{"collection": "submissions", "id": lone}
	s.send(t, "POST", "/intake/outcome", map[string]any{"target": tried, "outcome": "unsafe", "note": "says wombatking"}, gone.bearer()...).want(t, 201)
	kept := decode[proposed](t, s.send(t, "POST", "/intake/flag", map[string]any{"target": about, "reason": "spam"}, s.agents[2].bearer()...).want(t, 201)).ID
	curateOnce(t, s.prefix)
	if shown := fmt.Sprint(decode[map[string]any](t, s.get(t, "/submissions/"+lone))["outcomes"]); !strings.Contains(shown, "unsafe:1") {
		t.Fatalf("its outcome isn't counted to begin with: %s", shown)
	}
	erase := []string{"erase", gone.id, "--who=dana", "--why=spam"}
	dry := lever(t, s.prefix, append(erase, "--dry-run")...)
	wantUntouched(t, s.prefix, erase)
	done := lever(t, s.prefix, erase...)
	if !strings.HasPrefix(done, "erased: sources 1, submissions 251, ") || strings.TrimPrefix(dry, "would erase") != strings.TrimPrefix(done, "erased") {
		t.Errorf("the dry run says %qdone %q", dry, done)
	}
	curateOnce(t, s.prefix)
	for _, document := range storedDocuments(t, s.prefix, "decisions", "accounts") {
		if text := document.ID + string(document.Source); strings.Contains(text, "wombatking") || strings.Contains(text, gone.id) {
			t.Errorf("%s/%s is left: %.300s", document.Index, document.ID, text)
		}
	}
	if shown := fmt.Sprint(decode[map[string]any](t, s.get(t, "/submissions/"+lone).want(t, 200))["outcomes"]); strings.Contains(shown, "unsafe:1") {
		t.Errorf("its outcome on another's item still counts: %s", shown)
	}
	s.get(t, "/safety-flags/"+kept).want(t, 200)
	s.get(t, "/sources/"+other.id).want(t, 200)
	wantProblem(t, s.get(t, "/sources/"+gone.id), 410, "erased")
	wantProblem(t, s.get(t, "/safety-flags/"+flag), 410, "erased")
	if got := s.exported(t, lore.Submissions, ""); strings.Count(got, "erased_at") != 251 || !strings.Contains(got, mine[249]) {
		t.Errorf("the export has %d erasures", strings.Count(got, "erased_at"))
	}
	if got := s.exported(t, lore.Sources, ""); strings.Count(got, "erased_at") != 1 {
		t.Errorf("the export of sources is %s", got)
	}
	if printed := lever(t, s.prefix, erase...); !strings.Contains(printed, "nothing that is left") {
		t.Errorf("again: %s", printed)
	}
}

// An item of each of the other collections goes with what was said about it: a pattern and a unit with the reports that they are made of.
func TestErasedOfEveryCollection(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/patterns", "/knowledge"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := tell(t)
			single := s.submit(t, s.agents[0], observation("Something else entirely, of elsewhere")).ID
			ids := s.ids(t, path)
			erase := []string{"erase", ids[0], "--why=x"}
			wantUntouched(t, s.prefix, erase)
			if printed := lever(t, s.prefix, erase...); !strings.Contains(printed, "submissions 4") {
				t.Errorf("it goes with %s", printed)
			}
			curateOnce(t, s.prefix)
			wantNowhere(t, s.prefix, "wombatking", "quokkaking", "numbatking", "bilbyking", ids[0])
			if left := s.ids(t, "/submissions"); !slices.Equal(left, []string{single}) {
				t.Errorf("left are %v", left)
			}
			wantProblem(t, s.get(t, path+"/"+ids[0]), 410, "erased")
		})
	}
	t.Run("the others", func(t *testing.T) {
		t.Parallel()
		s := serve(t, enginetest.Prefix(t))
		me := s.register(t, "author")
		suggestion := decode[proposed](t, s.send(t, "POST", "/intake/suggest", map[string]any{"kind": "asset", "summary": "Add wombatking", "content": "Type tool, ecosystem Ethereum"}, me.bearer()...).want(t, 201)).ID
		lever(t, s.prefix, "review", "accept", suggestion, "--name=wombatking", "--type=tool", "--why=x")
		asset := decode[page](t, s.get(t, "/assets").want(t, 200)).ids()[0]
		flagged := func(collection, id string) string {
			return decode[proposed](t, s.send(t, "POST", "/intake/flag", map[string]any{
				"target": map[string]any{"collection": collection, "id": id}, "reason": "spam", "note": "quokkaking",
			}, me.bearer()...).want(t, 201)).ID
		}
		first := flagged("assets", asset)
		second := flagged("safety-flags", first)
		lever(t, s.prefix, "erase", second, "--why=x")
		wantProblem(t, s.get(t, "/safety-flags/"+second), 410, "erased")
		s.get(t, "/safety-flags/"+first).want(t, 200)
		if printed := lever(t, s.prefix, "erase", suggestion, "--why=x"); !strings.Contains(printed, "assets 1, suggestions 1, safety-flags 1") {
			t.Errorf("a suggestion that was followed goes with %s", printed)
		}
		wantNowhere(t, s.prefix, "wombatking", "quokkaking")
	})
}

// An erasure that was killed half-way is recorded, and run again it ends as an undisturbed one does.
func TestErasureGoesOnWhereItWasKilled(t *testing.T) {
	t.Parallel()
	s := tell(t)
	for i := range 400 {
		s.submit(t, s.agents[0], observation(fmt.Sprintf("wombatking report number %d", i)))
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	killed := program(t, s.prefix, "erase", s.agents[0].id, "--why=spam")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	left := func() float64 {
		enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-submissions/_refresh", "")
		return float64(len(s.ids(t, "/submissions")))
	}
	enginetest.Within(t, 2*time.Minute, "something is erased", func() bool { return s.get(t, "/submissions/"+s.items[0].ID).status == 410 || left() < 100 })
	end(killed)
	if listed := lever(t, s.prefix, "decisions", "--verdict=erase", "--subject="+s.agents[0].id); listed == "" {
		t.Error("no record of it")
	}
	lever(t, s.prefix, "erase", s.agents[0].id, "--why=spam")
	curateOnce(t, s.prefix)
	for _, document := range storedDocuments(t, s.prefix, "decisions", "accounts") {
		if text := document.ID + string(document.Source); strings.Contains(text, "wombatking") || strings.Contains(text, s.agents[0].id) {
			t.Errorf("%s/%s is left: %.300s", document.Index, document.ID, text)
		}
	}
	if got := strings.Count(s.exported(t, lore.Submissions, ""), "erased_at"); got != 401 {
		t.Errorf("%d erasures are exported, want 401", got)
	}
}
