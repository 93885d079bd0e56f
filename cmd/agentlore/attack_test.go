package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// A stranger types a veteran's owner, or connects under it.
func TestTypingAVeteransOwnerGivesNothing(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	thieves := b.strangers("thief", 8, func(i int) string { return fmt.Sprintf([]string{"Veteran Owner %d", "vеteran owner %d"}[i%2], i%4) }, manyNetworks)
	for i := range 2 { // connect: the owner is the name
		got := decode[registered](t, b.s.send(t, "POST", "/intake/connect", map[string]any{"name": b.owners[i], "type": "agent"}).want(t, 201))
		thieves = append(thieves, agent{got.ID, got.Name, got.APIToken})
	}
	b.attack(thieves, "walrus")
	b.holds("typing a veteran's owner")
	// And it takes nothing from the veteran: his word on the thief's report counts.
	stolen := b.report(thieves[0], "Quokka relayer drops every second packet", "The quokka relayer dropped half of what we sent to it.", poison)
	b.tell(b.veterans[0], "submissions", stolen, "failed")
	b.curate()
	if item := b.item("/submissions/" + stolen); item["outcomes"] == nil || item["outcomes"].(map[string]any)["failed"] != 1.0 {
		t.Errorf("a veteran's word on the report of who typed its owner: %v", item["outcomes"])
	}
}

// attackers returns how many sources attack at once: the design's 500 with AGENTLORE_LONG=1, which make test-faults sets.
func attackers() int {
	if os.Getenv("AGENTLORE_LONG") == "1" {
		return 500
	}
	return 100
}

// Registrations with the owners of the veterans, from one network and from many.
func TestCrowdsOfVeteransOwners(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	owner := func(i int) string { return b.owners[i%len(b.owners)] }
	b.attack(b.strangers("near", attackers(), owner, oneNetwork), "walrus")
	b.holds("strangers of veterans' owners from one network")
	b.attack(b.strangers("far", attackers(), owner, manyNetworks), "lemur")
	b.holds("strangers of veterans' owners from many networks")
}

// As many sources as owners, from one network and from many; they are also a burst that could make a true pattern over-correlate.
func TestCrowdsOfNewOwners(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	owner := func(i int) string { return fmt.Sprintf("new owner %d", i) }
	near := b.strangers("near", attackers(), owner, oneNetwork)
	b.attack(near, "walrus")
	b.holds("strangers of as many owners from one network")
	alone := b.report(near[0], "Narwhal faucet refuses addresses with a checksum", "The narwhal faucet answered 400 to a checksummed address.", "")
	for _, other := range near[1:9] {
		b.report(other, "Narwhal faucet refuses addresses with a checksum", "The narwhal faucet answered 400 to a checksummed address.", "")
		b.tell(other, "submissions", alone, "worked")
	}
	b.curate()
	if item := b.item("/submissions/" + alone); item["tier"] != 1.0 || item["pattern_id"] != nil {
		t.Errorf("nine owners from one network corroborate each other: %v", item)
	}
	b.attack(b.strangers("far", attackers(), func(i int) string { return fmt.Sprintf("far owner %d", i) }, manyNetworks), "lemur")
	b.holds("strangers of as many owners from many networks")
}

// A ring waits for months, and then copies what is known, confirms itself and attacks.
func TestARingThatWaits(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	ring := b.strangers("ring", 8, func(i int) string { return fmt.Sprintf("ring owner %d", i) }, manyNetworks)
	for turn := range 4 {
		for i, source := range ring { // contributions that they confirm to each other
			id := b.report(source, fmt.Sprintf("%s sequencer skips a slot in round %d", []string{"Tapir", "Okapi", "Lynx", "Ibex"}[turn], i),
				fmt.Sprintf("Seen by %s at the %s sequencer.", source.name, []string{"amber", "birch", "cedar", "dune"}[turn]), "")
			for j := range ring {
				if j != i {
					b.tell(ring[j], "submissions", id, "worked")
				}
			}
		}
	}
	b.knownFor(120*24*time.Hour, ring...)
	b.curate()
	b.attack(ring, "walrus")
	b.holds("a ring that waited for months")
}

// Copying what veterans reported is no contribution, however often and for however long.
func TestCopyingGivesNoStanding(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	copiers := b.strangers("copier", 3, func(i int) string { return fmt.Sprintf("copying owner %d", i) }, manyNetworks)
	for _, word := range []string{"Marmot", "Weasel", "Badger", "Ferret"} {
		text := [2]string{word + " gateway answers 502 after midnight", "The " + strings.ToLower(word) + " gateway answered 502 to every call after midnight."}
		for _, veteran := range b.veterans[:2] {
			b.report(veteran, text[0], text[1], "")
		}
		for _, copier := range copiers {
			b.report(copier, text[0], text[1], "")
		}
	}
	b.knownFor(120*24*time.Hour, copiers...)
	b.curate()
	b.attack(copiers, "walrus")
	b.holds("copying what is known")
}

// What others with standing confirm afterwards is a contribution: that is how a newcomer comes to count.
func TestStandingIsEarned(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	newcomer := b.strangers("newcomer", 1, func(int) string { return "a new owner" }, manyNetworks)[0]
	for i, word := range []string{"Marmot", "Weasel", "Badger"} {
		id := b.report(newcomer, word+" gateway answers 502 after midnight", "The "+strings.ToLower(word)+" gateway answered 502 to every call.", "Restart the "+strings.ToLower(word)+" gateway.")
		b.tell(b.veterans[i], "submissions", id, "worked")
		b.tell(b.veterans[i+1], "submissions", id, "worked")
	}
	b.knownFor(week+time.Hour, newcomer)
	b.curate()
	b.curate()
	b.tell(newcomer, "knowledge-units", b.unit, "worked")
	b.curate()
	if confidence := b.item("/knowledge/" + b.unit)["confidence"]; fmt.Sprint(confidence) <= "0.75" || b.state() == b.before {
		t.Errorf("the word of a newcomer with three confirmed contributions doesn't count: confidence %v", confidence)
	}
}

// A name that looks like another's, or like the service's, is refused.
func TestNamesThatMislead(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	for name, want := range map[string]string{
		"VETERAN-0": "name_taken", "vеteran-0": "invalid_field", "ΥETERAN-0": "invalid_field", "veteran\u200b-0": "invalid_field", "veteran-O": "name_taken", "ｖeteran-0": "name_taken",
		"agentlore": "invalid_field", "Admin1": "invalid_field", "_operator_": "invalid_field", "0fficial": "invalid_field", "---": "invalid_field",
	} {
		got := b.s.send(t, "POST", "/intake/register", map[string]any{"name": name, "type": "agent", "owner": "x"})
		if code := decode[map[string]any](t, got)["code"]; code != want {
			t.Errorf("%q: status %d, code %v; want %s", name, got.status, code, want)
		}
	}
}

// Whatever one asks, the answer is the same whether a guess at an owner is right or wrong.
func TestOwnersCantBeConfirmed(t *testing.T) {
	t.Parallel()
	ask := func(owner func(*besieged) string) (answers []string) {
		b := besiege(t)
		a := b.strangers("guesser", 1, func(int) string { return owner(b) }, oneNetwork)[0]
		for _, body := range []map[string]any{
			{"target": map[string]any{"collection": "submissions", "id": b.reports[0]}, "outcome": "worked"},
			{"target": map[string]any{"collection": "knowledge-units", "id": b.unit}, "outcome": "worked"},
		} {
			answers = append(answers, b.shape("/intake/outcome", body, a))
		}
		answers = append(answers, b.shape("/intake/flag", map[string]any{"target": map[string]any{"collection": "submissions", "id": b.reports[0]}, "reason": "stale"}, a))
		answers = append(answers, b.shape("/intake/submit", map[string]any{"summary": trueReports[0][0], "category": "failure", "content": trueReports[0][1]}, a))
		b.holds("a guess at an owner")
		return answers
	}
	right := ask(func(b *besieged) string { return b.owners[0] })
	wrong := ask(func(*besieged) string { return "nobody's owner" })
	if !slices.Equal(right, wrong) {
		t.Errorf("who guesses an owner right is answered\n%s\nwho guesses wrong\n%s", strings.Join(right, "\n"), strings.Join(wrong, "\n"))
	}
}

// shape returns status and members of an answer, without ids and times, and without similar reports and the advice on them: whether there
// was time to look for those depends on the machine's load.
func (b *besieged) shape(path string, body any, a agent) string {
	b.Helper()
	got := b.s.send(b.T, "POST", path, body, a.bearer()...)
	members := decode[map[string]any](b.T, got)
	delete(members, "similar")
	delete(members, "advice")
	delete(members, "pattern")
	for name := range members {
		if name == "id" || name == "at" || name == "created_at" || name == "request_id" || name == "target" {
			members[name] = nil
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		b.Fatal(err)
	}
	return fmt.Sprint(got.status, " ", string(text))
}

// A ban holds within a second, and what was said before it counts for nothing.
func TestBanOverHTTP(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	b.operate("ban", b.veterans[3].id)
	refused := func(what string, status int, a agent) {
		enginetest.Within(t, 10*time.Second, what, func() bool { return b.s.send(t, "POST", "/intake/submit", `{}`, a.bearer()...).status == status })
	}
	refused("a banned source is refused", 403, b.veterans[3])
	b.curate()
	if outcomes := b.item("/submissions/" + b.reports[0])["outcomes"].(map[string]any); outcomes["worked"] != 2.0 {
		t.Errorf("of three owners for whom it worked one is banned, and there are %v", outcomes)
	}
	b.operate("unban", b.veterans[3].id)
	refused("a source whose ban was lifted is let in", 422, b.veterans[3])
	b.vouch(b.veterans[3]) // standing doesn't come back by itself
	b.holds("a ban that was lifted")
}

// With registration by invite, who has none is refused, and who has one counts from the first.
func TestRegistrationByInvite(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	g := gaming{t, serve(t, prefix, "--registration=invite")}
	body := func(name, invite string) map[string]any {
		return map[string]any{"name": name, "type": "agent", "owner": "team", "invite": invite}
	}
	wantProblem(t, g.s.send(t, "POST", "/intake/register", map[string]any{"name": "uninvited", "type": "agent", "owner": "x"}), 403, "invite_required", "/invite")
	wantProblem(t, g.s.send(t, "POST", "/intake/connect", map[string]any{"name": "uninvited", "type": "agent"}), 403, "invite_required", "/invite")
	wantProblem(t, g.s.send(t, "POST", "/intake/register", body("uninvited", "made-up")), 422, "invalid_invite", "/invite")
	lines := strings.Split(g.operate("invite", "--uses=1"), "\n")
	invite := lines[len(lines)-1]
	first := decode[registered](t, g.s.send(t, "POST", "/intake/register", body("invited", invite)).want(t, 201))
	wantProblem(t, g.s.send(t, "POST", "/intake/register", body("too-late", invite)), 422, "invalid_invite", "/invite")
	// Another source of the same principal needs no invite of its own.
	joined := decode[registered](t, g.s.send(t, "POST", "/intake/connect", map[string]any{"name": "joined", "type": "bot"}, "Authorization", "Bearer "+first.APIToken).want(t, 201))
	id := g.report(agent{first.ID, first.Name, first.APIToken}, "Gibbon indexer lags behind by an hour", "The gibbon indexer was an hour late.", "Ask another one.")
	if got := g.s.send(t, "POST", "/intake/outcome", map[string]any{"target": map[string]any{"collection": "submissions", "id": id}, "outcome": "worked"},
		"Authorization", "Bearer "+joined.APIToken); got.status != 422 {
		t.Errorf("an outcome on an item of one's own principal: status %d", got.status)
	}
	wantProblem(t, g.s.send(t, "POST", "/intake/register", body("wrong-token", ""), "Authorization", "Bearer agl-x"), 401, "invalid_token")
}

// Registrations at the same moment under one name, by agents that gave the veterans' owners: one gets it.
func TestOneNameForManyAtOnce(t *testing.T) {
	t.Parallel()
	first, second := sharedServices(t)
	name := "at-once-" + enginetest.NewPrefix()
	var mu sync.Mutex
	codes := map[int]int{}
	inParallel(16, 16, func(i int) {
		got, err := []*service{first, second}[i%2].try(t.Context(), "POST", "/intake/register", map[string]any{"name": name, "type": "agent", "owner": "x"})
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		codes[got.status]++
	})
	if codes[201] != 1 || codes[409] != 15 {
		t.Errorf("of 16 that register one name at once: %v", codes)
	}
}

// A veteran's token is stolen: its revocation takes back what it said since.
func TestAStolenTokenIsTakenBack(t *testing.T) {
	t.Parallel()
	b := besiege(t)
	stolen := time.Now().UTC().Truncate(time.Millisecond)
	thief := b.veterans[3]
	b.tell(thief, "knowledge-units", b.unit, "unsafe")
	b.flag(thief, "submissions", b.reports[1], "incorrect")
	for _, text := range trueReports {
		b.report(thief, text[0], text[1]+" Seen again.", poison)
	}
	b.curate()
	if b.state() == b.before {
		t.Fatal("what the thief said changed nothing, so that this test shows nothing")
	}
	b.operate("token", "revoke", thief.name, "--since="+stolen.Format(time.RFC3339Nano))
	b.curate()
	b.curate()
	unit := b.item("/knowledge/" + b.unit)
	if unit["resolution"] == poison || unit["status"] != "active" || unit["outcomes"].(map[string]any)["unsafe"] != 0.0 || unit["evidence"].(map[string]any)["submissions"] != 3.0 {
		t.Errorf("after the revocation the unit is %v", unit)
	}
	if first := b.item("/submissions/" + b.reports[1]); first["tier"] != 3.0 || first["status"] != nil {
		t.Errorf("after the revocation a report of it is %v", first)
	}
}
