package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index/curation"
)

// ownPrincipal is what GET /intake/principal answers.
type ownPrincipal struct {
	SourceID string    `json:"source_id"`
	Standing string    `json:"standing"`
	Since    time.Time `json:"since"`
	Week     struct {
		Begins                time.Time
		Made, Counting, Limit int
	} `json:"week"`
	Sources []ownSource `json:"sources"`
	Total   int         `json:"total"`
}

type ownSource struct {
	ID, Name, Type string
	RegisteredBy   string    `json:"registered_by"`
	RevokedAt      time.Time `json:"revoked_at"`
	EndedBy        string    `json:"ended_by"`
}

// principalOf asks for what a source is shown of its principal.
func (g gaming) principalOf(a agent) ownPrincipal {
	g.Helper()
	g.refresh()
	return decode[ownPrincipal](g.T, g.s.get(g.T, "/intake/principal", a.bearer()...).want(g.T, 200))
}

// source returns one of the sources that a principal is shown.
func (p ownPrincipal) source(id string) ownSource {
	i := slices.IndexFunc(p.Sources, func(s ownSource) bool { return s.ID == id })
	if i < 0 {
		return ownSource{}
	}
	return p.Sources[i]
}

// registerBy registers a source at a path with the token of another one, or with an invite, or both.
func (g gaming) registerBy(path, name, token, invite string) agent {
	g.Helper()
	body := map[string]any{"name": name, "type": "agent"}
	if path == "/intake/register" {
		body["owner"] = "acme"
	}
	if invite != "" {
		body["invite"] = invite
	}
	var headers []string
	if token != "" {
		headers = []string{"Authorization", "Bearer " + token}
	}
	got := decode[registered](g.T, g.s.send(g.T, "POST", path, body, headers...).want(g.T, 201))
	return agent{got.ID, got.Name, got.APIToken}
}

// code makes an invite.
func (g gaming) code(flags ...string) string {
	g.Helper()
	lines := strings.Split(g.operate(append([]string{"invite"}, flags...)...), "\n")
	return lines[len(lines)-1]
}

// end asks to end a source.
func (g gaming) end(by agent, id string) answer {
	g.Helper()
	return g.s.send(g.T, "POST", "/intake/end", map[string]any{"id": id}, by.bearer()...)
}

// refusedSoon fails unless tokens are refused within the second that a look-up is believed, stretched for a busy machine, and shown as
// revoked.
func (g gaming) refusedSoon(sources ...agent) {
	g.Helper()
	for _, one := range sources {
		enginetest.Within(g.T, 10*time.Second, one.name+" is refused", func() bool { return !g.s.accepts(g.T, one.token) })
		if source := g.item("/sources/" + one.id); source["revoked_at"] == nil {
			g.Errorf("%s is not shown as revoked: %v", one.name, source)
		}
	}
}

// A team of five, who all type the team's name and share an office, are five voices by one code, and nobody else is one.
func TestATeamByOneInviteForEach(t *testing.T) {
	t.Parallel()
	g := gaming{t, serve(t, enginetest.Prefix(t), "--registration=invite")}
	began, calls := time.Now(), 0
	code := g.code("--each", "--uses=5")
	var team []agent
	for i := range 5 {
		team = append(team, g.registerBy([]string{"/intake/register", "/intake/connect"}[i%2], fmt.Sprintf("acme-%d", i), "", code))
		calls++
	}
	joined := time.Since(began)
	wantProblem(t, g.s.send(t, "POST", "/intake/connect", map[string]any{"name": "acme-5", "type": "agent", "invite": code}), 422, "invalid_invite", "/invite")
	var reports []string
	for i, text := range trueReports {
		reports = append(reports, g.report(team[i], text[0], text[1], trueReports[0][2]))
		calls++
	}
	for _, member := range team[3:] {
		g.tell(member, "submissions", reports[0], "worked")
		calls++
	}
	g.curate()
	if units := g.units(); len(units) != 1 || units[0]["evidence"].(map[string]any)["owners"] != 3.0 || units[0]["outcomes"].(map[string]any)["worked"] != 2.0 {
		t.Errorf("three reports and two outcomes of a team of five make %v, want one unit of three owners that worked for two", units)
	}
	t.Logf("a team of five: 1 command and %d calls, %s to join, %s to a unit", calls, joined.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	for _, member := range team {
		if own := g.principalOf(member); own.Standing != "given" || own.Total != 1 || own.Sources[0].ID != member.id || own.Sources[0].Name != member.name {
			t.Errorf("%s is shown %+v, want itself alone, with given standing", member.name, own)
		}
	}
	decided := lever(t, g.s.prefix, "decisions", "--verdict=invite", "--json")
	if strings.Count(decided, "\n") != 1 || !strings.Contains(decided, `"who":"dana","why":"a test"`) {
		t.Errorf("decided was %s", decided)
	}

	// What happens to one of them happens to no other.
	g.operate("unvouch", team[0].id)
	g.operate("ban", "--whole", team[1].id)
	g.curate()
	for i, want := range []string{"none", "", "given"} {
		if i != 1 {
			if own := g.principalOf(team[i]); own.Standing != want {
				t.Errorf("%s has standing %s, want %s", team[i].name, own.Standing, want)
			}
		}
	}
}

// A registration that fails gives its principal back to the code; a code that is ended lets nobody in, and those who came stay.
func TestACodeForEachIsGivenBackAndEnded(t *testing.T) {
	t.Parallel()
	g := gaming{t, serve(t, enginetest.Prefix(t))}
	code := g.code("--each", "--uses=2")
	first := g.registerBy("/intake/connect", "first", "", code)
	for range 3 {
		wantProblem(t, g.s.send(t, "POST", "/intake/connect", map[string]any{"name": "FIRST", "type": "agent", "invite": code}), 409, "name_taken")
	}
	second := g.registerBy("/intake/connect", "second", "", code)
	other := g.code("--each", "--uses=3")
	third := g.registerBy("/intake/connect", "third", "", other)
	wantUntouched(t, g.s.prefix, []string{"invite", "--end=" + other, "--why=x"}, []string{"invite", "--each", "--uses=3", "--why=x"})
	g.operate("invite", "--end="+other)
	wantProblem(t, g.s.send(t, "POST", "/intake/connect", map[string]any{"name": "fourth", "type": "agent", "invite": other}), 422, "invalid_invite", "/invite")
	g.curate()
	for _, one := range []agent{first, second, third} {
		if own := g.principalOf(one); own.Standing != "given" || own.Total != 1 {
			t.Errorf("%s is shown %+v, want itself alone, with given standing", one.name, own)
		}
	}
	for _, wrong := range [][]string{{"--each", "--principal=" + first.id}, {"--each", "--uses=1001"}, {"--end=made-up"}} {
		if status, _, stderr := pull(t, g.s.prefix, append([]string{"invite", "--why=x"}, wrong...)...); status != 1 || stderr == "" {
			t.Errorf("invite %v: status %d, %q", wrong, status, stderr)
		}
	}
}

// A thief with a veteran's token for a minute registers sources in every way there is, ends the veteran's own, and withdraws a report.
// What the operator knows is the time: by it all comes to nothing.
func TestWhatAThiefRegisteredComesToNothing(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"revoke", "issue"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			b := besiege(t)
			victim := b.veterans[3]
			helper := b.registerBy("/intake/register", "helper", victim.token, "")
			grandchild := b.registerBy("/intake/connect", "grandchild", helper.token, "")
			kept := b.report(victim, "Kudu bridge loses a message after a fork", "The kudu bridge lost one message.", "Send it again.")
			gone := b.report(victim, "Oryx bridge loses a message after a fork", "The oryx bridge lost one message.", "Send it again.")
			b.s.send(t, "POST", "/intake/withdraw", map[string]any{"id": gone}, victim.bearer()...).want(t, 201) // the veteran's own will
			invite := b.code("--uses=1")
			b.curate()

			stolen := time.Now().UTC().Truncate(time.Millisecond)
			thieves := []agent{
				b.registerBy("/intake/register", "thief-register", victim.token, ""),
				b.registerBy("/intake/connect", "thief-connect", victim.token, ""),
				b.registerBy("/intake/connect", "thief-invite", victim.token, invite), // a code that was stolen too
			}
			for i := range 3 { // each of these registered the next
				thieves = append(thieves, b.registerBy("/intake/connect", fmt.Sprint("thief-line-", i), thieves[max(0, len(thieves)-1)].token, ""))
			}
			failed, told := callTool(t, mcpSessionWith(t, victim.token, b.s), "register", map[string]any{"name": "thief-mcp", "type": "agent", "owner": "x"})
			if failed {
				t.Fatalf("register over MCP: %v", told)
			}
			thieves = append(thieves, agent{told["id"].(string), "thief-mcp", told["api_token"].(string)})
			b.end(victim, helper.id).want(t, 201)
			b.s.send(t, "POST", "/intake/withdraw", map[string]any{"id": kept}, victim.bearer()...).want(t, 201)
			regretted := b.report(victim, "Eland bridge loses a message", "Hostile.", poison)
			b.s.send(t, "POST", "/intake/withdraw", map[string]any{"id": regretted}, victim.bearer()...).want(t, 201)
			for _, thief := range append([]agent{victim}, thieves...) {
				if thief != victim { // a source has one word on an item: the veteran's own is there no more once the thief gives another one
					b.tell(thief, "knowledge-units", b.unit, "unsafe")
				}
				b.tell(thief, "submissions", b.reports[1], "unsafe")
				b.report(thief, trueReports[0][0], trueReports[0][1]+" Seen by "+thief.name, poison)
			}
			b.curate()
			if b.state() == b.before {
				t.Fatal("what the thief said changed nothing, so that this test shows nothing")
			}

			since := "--since=" + stolen.Format(time.RFC3339Nano)
			wantUntouched(t, b.s.prefix, []string{"token", by, victim.name, since, "--why=x"})
			printed := b.operate("token", by, victim.name, since)
			for _, thief := range thieves {
				if !strings.Contains(printed, "revoke: sources "+thief.id+"  "+thief.name) {
					t.Errorf("it doesn't say that %s is revoked:\n%s", thief.name, printed)
				}
			}
			b.refusedSoon(thieves...)
			enginetest.Within(t, 10*time.Second, "the stolen token is refused", func() bool { return !b.s.accepts(t, victim.token) })
			for _, own := range []agent{helper, grandchild} {
				if source := b.item("/sources/" + own.id); !b.s.accepts(t, own.token) || source["revoked_at"] != nil {
					t.Errorf("%s, which the thief ended, is not accepted again: %v", own.name, source)
				}
			}
			for id, want := range map[string]any{kept: nil, gone: "withdrawn", regretted: "withdrawn"} {
				if status := b.item("/submissions/" + id)["status"]; status != want {
					t.Errorf("%v is %v, want %v", b.item("/submissions/" + id)["summary"], status, want)
				}
			}
			b.holds("a thief who registered sources")
			if by == "issue" {
				if fresh, _, _ := strings.Cut(printed, "\n"); !b.s.accepts(t, fresh) {
					t.Error("the veteran's new token is refused")
				}
			}
			b.operate("token", "revoke", victim.name, since) // as after one that was killed
			b.holds("a revocation that was done again")
		})
	}
}

// An owner sees in the list of its sources what a thief registered by its token, and ends that without an operator. Nobody ends what
// it did not register.
func TestATokenEndsWhatItRegistered(t *testing.T) {
	t.Parallel()
	g := gaming{t, serve(t, enginetest.Prefix(t))}
	parent, stranger := g.source("parent", "o1"), g.source("stranger", "o2")
	child := g.registerBy("/intake/register", "child", parent.token, "")
	line := []agent{child}
	for i := range 3 {
		line = append(line, g.registerBy("/intake/connect", fmt.Sprint("line-", i), line[i].token, ""))
	}
	other := g.registerBy("/intake/connect", "other", parent.token, "")
	sibling := g.registerBy("/intake/register", "sibling", "", g.code("--principal="+parent.id))

	own := g.principalOf(line[2])
	if own.SourceID != line[2].id || own.Total != 7 || own.Sources[0].Name != "sibling" || own.source(line[2].id).RegisteredBy != line[1].id ||
		own.source(parent.id).RegisteredBy != "" || own.source(sibling.id).RegisteredBy != "" || own.source(other.id).RegisteredBy != parent.id ||
		own.source(stranger.id).ID != "" || own.source(child.id).Type != "agent" {
		t.Errorf("a source is shown %+v", own)
	}
	if own := g.principalOf(stranger); own.Total != 1 || own.Standing != "none" || own.Week.Limit != 0 {
		t.Errorf("a stranger is shown %+v", own)
	}
	for what, by := range map[string]agent{"itself": child, "its child": line[1], "a child of the same token": other, "one that joined by an invite": sibling, "a stranger": stranger} {
		wantProblem(t, g.end(by, child.id), 403, "not_yours")
		if !g.s.accepts(t, child.token) {
			t.Fatalf("%s ended a source", what)
		}
	}
	wantProblem(t, g.end(child, parent.id), 403, "not_yours")
	wantProblem(t, g.end(parent, sibling.id), 403, "not_yours")
	wantProblem(t, g.end(parent, "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"), 404, "not_found")
	wantProblem(t, g.s.send(t, "POST", "/intake/end", map[string]any{"id": child.id}), 401, "missing_token")
	wantProblem(t, g.s.get(t, "/intake/principal"), 401, "missing_token")

	ended := decode[struct {
		ID        string
		Ended     []string
		Duplicate bool
	}](t, g.end(parent, line[1].id).want(t, 201)) // a grandchild, with what it registered
	if want := []string{line[1].id, line[2].id, line[3].id}; ended.ID != line[1].id || !slices.Equal(ended.Ended, want) || ended.Duplicate {
		t.Errorf("ended are %+v, want %v", ended, want)
	}
	g.refusedSoon(line[1:]...)
	if body := string(g.end(parent, line[1].id).want(t, 200).body); !strings.Contains(body, `"ended":[],"duplicate":true`) {
		t.Errorf("ended again: %s", body)
	}
	wantProblem(t, g.s.send(t, "POST", "/intake/token/rotate", nil, line[1].bearer()...), 401, "invalid_token")
	wantProblem(t, g.s.send(t, "POST", "/intake/connect", map[string]any{"name": "late", "type": "agent"}, line[1].bearer()...), 401, "invalid_token")
	for _, one := range []agent{parent, child, other, sibling} {
		if !g.s.accepts(t, one.token) {
			t.Errorf("%s was ended too", one.name)
		}
	}
	shown := g.principalOf(parent)
	if one := shown.source(line[2].id); one.EndedBy != parent.id || one.RevokedAt.IsZero() || shown.source(child.id).EndedBy != "" {
		t.Errorf("the parent is shown %+v", shown)
	}
	// An operator gives it a token again.
	fresh := g.operate("token", "issue", line[1].name)
	if !g.s.accepts(t, fresh) || g.item("/sources/" + line[1].id)["revoked_at"] != nil {
		t.Error("a source that was ended is refused with a token that an operator issued")
	}
	if got := g.principalOf(agent{token: fresh}).source(line[1].id); got.EndedBy != "" {
		t.Errorf("it is still shown as ended: %+v", got)
	}
}

// A principal is told what it gave in this week and how much of it counts; an operator, besides, who is behind it and what rests on it.
func TestAPrincipalIsSeenWhole(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	newcomer := b.strangers("newcomer", 1, func(int) string { return "a new owner" }, manyNetworks)[0]
	second := b.registerBy("/intake/connect", "newcomer-second", newcomer.token, "")
	for i, word := range []string{"Marmot", "Weasel", "Badger"} {
		id := b.report(newcomer, word+" gateway answers 502 after midnight", "The "+strings.ToLower(word)+" gateway answered 502.", "Ask the "+word+" mirror.")
		b.tell(b.veterans[i], "submissions", id, "worked")
		b.tell(b.veterans[i+1], "submissions", id, "worked")
	}
	b.tell(newcomer, "knowledge-units", b.unit, "worked")
	b.tell(second, "knowledge-units", b.unit, "worked")
	b.flag(second, "submissions", b.reports[0], "stale")
	monday := time.Now().UTC().Truncate(24 * time.Hour)
	for monday.Weekday() != time.Monday {
		monday = monday.Add(-24 * time.Hour)
	}
	if own := b.principalOf(newcomer); own.Standing != "none" || own.Week.Made != 3 || own.Week.Counting != 0 || !own.Week.Begins.Equal(monday) {
		t.Errorf("without standing it is shown %+v", own)
	}
	b.knownFor(week+time.Hour, newcomer)
	b.curate()
	b.curate()
	if own := b.principalOf(second); own.Standing != "earned" || own.Since.IsZero() || own.Week.Made != 3 || own.Week.Counting != 3 || own.Week.Limit != 30 {
		t.Errorf("with earned standing it is shown %+v", own)
	}
	if own := b.principalOf(b.veterans[3]); own.Standing != "given" || own.Week.Limit != 300 || own.Week.Made != own.Week.Counting || own.Week.Made == 0 {
		t.Errorf("a veteran is shown %+v", own)
	}

	review := lever(t, b.s.prefix, "review", "principal", newcomer.id)
	for _, want := range []string{
		": standing earned since ", "Confirmed reports of its own: 3\n", "Marmot gateway answers 502 after midnight\n    worked for veteran-0 of principal ",
		"\nOutcomes and flags by week, of which 30 count:\n  " + monday.Format(time.DateOnly) + "  3 made, 3 count\n", "Sources: 2\n",
		"newcomer-second  (registered by " + newcomer.id + ")\n", "\nIf it fell, these would be judged again: knowledge-units ", ", earned standing of principals 0\n",
		"knowledge-units " + b.unit + "  tier 3, active; of it 0 reports, 2 worked\n",
	} {
		if !strings.Contains(review, want) {
			t.Errorf("the review lacks %q:\n%s", want, review)
		}
	}
	var veteran principalReview
	text := lever(t, b.s.prefix, "review", "principal", b.veterans[1].id, "--json")
	if err := json.Unmarshal([]byte(text), &veteran); err != nil {
		t.Fatal(err)
	}
	if len(veteran.Lineage) != 1 || veteran.Lineage[0].Who != "dana" || veteran.Lineage[0].Verdict != "vouch" || len(veteran.Helped) != 1 ||
		!slices.ContainsFunc(veteran.Rests.Units, func(r curation.Resting) bool { return r.ID == b.unit && r.Reports == 1 }) {
		t.Errorf("a veteran's review is %s", text)
	}
	if status, _, stderr := pull(t, b.s.prefix, "review", "principal", "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"); status != 1 || !strings.Contains(stderr, "not") {
		t.Errorf("a review of nobody: status %d, %s", status, stderr)
	}
}
