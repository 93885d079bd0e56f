package ask_test

import (
	"slices"
	"strings"
	"testing"

	"agentlore/ask"
	"agentlore/lore"
)

// A fix that is followed must be of the very problem: what many problems have in common, what one stranger wrote and what holds for
// another ecosystem is for the reader to judge.
func TestKnownIsWhatIsSurelyMeant(t *testing.T) {
	t.Parallel()
	corpus := ask.Corpus{Documents: 20_000, Frequencies: map[string]int64{
		"modulenotfounderror": 2, "module": 40, "named": 90, "error": 3000, "failed": 1500, "relay": 90, "nonce": 400, "desync": 2, "harbour": 3, "ledger": 60, "quota": 5, "quotadesync42": 1,
	}}
	unit := func(summary string) ask.Candidate {
		return ask.Candidate{SearchHit: lore.SearchHit{ID: "unit", Type: lore.TypeKnowledgeUnit, Summary: summary, Tier: lore.TierValidated, Score: 9}}
	}
	report := unit("Harbour relay quota desync")
	report.Type, report.Tier = lore.TypeSubmission, lore.TierRaw
	confirmed := report
	confirmed.FixEvidence = &lore.FixEvidence{ConfirmedBy: 1, Worked: 1}
	pattern := report
	pattern.Type, pattern.Tier, pattern.Owners = lore.TypePattern, lore.TierCorroborated, 40
	contested := unit("Harbour relay quota desync")
	contested.Disputed = true
	imported := unit("Harbour relay quota desync")
	imported.Ref, imported.FixFrom = "https://github.com/acme/harbour/issues/7", &lore.FixFrom{ID: "report"}
	importedAndConfirmed := imported
	importedAndConfirmed.FixEvidence = &lore.FixEvidence{ConfirmedBy: 2, Worked: 2}
	elsewhere := unit("Harbour relay quota desync")
	elsewhere.Elsewhere = true
	readOnce, readTwice, readOnceWorked := unit("Harbour relay quota desync"), unit("Harbour relay quota desync"), unit("Harbour relay quota desync")
	readOnce.Reference, readTwice.Reference, readOnceWorked.Reference = &lore.Reference{}, &lore.Reference{CheckedAgain: "2026-11-26"}, &lore.Reference{}
	readOnceWorked.Outcomes = &lore.Outcomes{Worked: 1}
	named := func(c ask.Candidate) ask.Candidate {
		c.Name, c.NameWeight = "harbour relay quota desync", 3
		return c
	}
	wrapper := named(unit("Harbour relay quota desync"))
	wrapper.Wraps = true
	for _, test := range []struct {
		name, text string
		candidate  ask.Candidate
		want       ask.Verdict
	}{
		{"the frame of any error of a language", "ModuleNotFoundError: No module named frobnicator", unit("ModuleNotFoundError: No module named harbour"), ask.Unknown},
		{"an entry of the library that one reader looked up", "harbour relay quota desync", named(readOnce), ask.Similar},
		{"one that two did", "harbour relay quota desync", named(readTwice), ask.Known},
		{"one that one did, and that worked for somebody", "harbour relay quota desync", named(readOnceWorked), ask.Known},
		{"everyday words", "Error: failed", unit("How to read an error that failed"), ask.Unknown},
		{"an everyday word", "nonce", unit("Nonce is too low"), ask.Unknown},
		{"a name", "harbour relay quota desync", named(unit("Harbour relay quota desync")), ask.Known},
		{"all words of an entry of the library, and no name of it", "harbour relay quota desync", readTwice, ask.Similar},
		{"all words of what agents earned", "harbour relay quota desync", unit("Harbour relay quota desync"), ask.Known},
		{"all words of what an operator alone approved, of a thread", "harbour relay quota desync", imported, ask.Similar},
		{"a name of it", "harbour relay quota desync", named(imported), ask.Known},
		{"all words of it, and two confirmed it", "harbour relay quota desync", importedAndConfirmed, ask.Known},
		{"what only passes on another error", "harbour relay quota desync", wrapper, ask.Similar},
		{
			"a cause that it says nothing of", "Error: harbour relay quota desync\nCaused by: ledger nonce failed",
			named(unit("Harbour relay quota desync")), ask.Similar,
		},
		{
			"a cause that it tells", "Error: harbour relay quota desync\nCaused by:\n    0: ledger nonce failed",
			named(unit("Harbour relay quota desync: the ledger failed on a nonce")), ask.Known,
		},
		{"one report", "harbour relay quota desync", named(report), ask.Similar},
		{"one report that worked for another", "harbour relay quota desync", named(confirmed), ask.Similar},
		{"a pattern of forty newcomers", "harbour relay quota desync", named(pattern), ask.Similar},
		{"knowledge that veterans dispute", "harbour relay quota desync", named(contested), ask.Similar},
		{"of another ecosystem", "harbour relay quota desync", named(elsewhere), ask.Similar},
		{"of no Web3 program", "FATAL: relay quota desync in harbour, psycopg2", unit("Harbour relay quota desync"), ask.Unknown},
	} {
		if got, _ := ask.Judge(ask.Read(test.text), corpus, []ask.Candidate{test.candidate}); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A refused connection is of what listens on its port: words that any such message has don't make it another service's.
func TestAPortNamesAService(t *testing.T) {
	t.Parallel()
	corpus := ask.Corpus{Documents: 20_000, Frequencies: map[string]int64{"connect": 9, "econnrefused": 1, "subscription": 9, "error": 3000}}
	solana := ask.Candidate{SearchHit: lore.SearchHit{
		ID: "solana", Type: lore.TypeKnowledgeUnit, Tier: lore.TierValidated, Score: 9, Summary: "Solana WebSocket subscription cannot connect",
		Names: []string{"ws error: connect ECONNREFUSED 127.0.0.1:8900"}, Resolution: "Open port 8900.", Reference: &lore.Reference{CheckedAgain: "2026-11-26"},
	}}
	for text, want := range map[string]ask.Verdict{
		"subscription: connect ECONNREFUSED 127.0.0.1:8900": ask.Known, "subscription: connect ECONNREFUSED ::1:8900": ask.Known,
		"subscription: connect ECONNREFUSED 127.0.0.1:8545": ask.Similar, "subscription: connect ECONNREFUSED localhost:5433": ask.Similar,
	} {
		solana.Name, solana.NameWeight = solana.Names[0], 6
		if got, _ := ask.Judge(ask.Read(text), corpus, []ask.Candidate{solana}); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A name that several programs print makes no problem known: the answer names each meaning, and what to look for.
func TestASharedNameIsSimilarAndEachMeaningIsNamed(t *testing.T) {
	t.Parallel()
	meaning := func(id, summary, program string) ask.Candidate {
		return ask.Candidate{Name: "custom program error: 0x4", NameWeight: 6, Ambiguous: true, Context: []string{program}, SearchHit: lore.SearchHit{
			ID: id, Type: lore.TypeKnowledgeUnit, Summary: summary, Names: []string{"custom program error: 0x4"}, Resolution: "Look.", Score: 9,
		}}
	}
	question := ask.Read("Error processing Instruction 2: custom program error: 0x4")
	corpus := ask.Corpus{Documents: 20_000, Frequencies: map[string]int64{"custom": 90, "program": 900, "instruction": 300, "0x4": 3}}
	verdict, judged := ask.Judge(question, corpus, []ask.Candidate{
		meaning("token", "Owner does not match", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
		meaning("system", "Seed is too long", "11111111111111111111111111111111"),
		meaning("stake", "Stake is active", "Stake11111111111111111111111111111111111111"),
		meaning("vote", "Vote is too old", "Vote111111111111111111111111111111111111111"),
	})
	answer := ask.NewAnswer(question, verdict, judged, lore.SearchResult{}, 0)
	if answer.Verdict != ask.Similar || len(answer.Also) != 3 {
		t.Fatalf("%s, and %d others are named", answer.Verdict, len(answer.Also))
	}
	if !strings.Contains(answer.Problem.When, judged[0].Context[0]) || !strings.Contains(answer.Also[2].When, judged[3].Context[0]) {
		t.Errorf("when it is meant: %q and %q", answer.Problem.When, answer.Also[2].When)
	}
	if why := strings.Join(answer.Why, " "); !strings.Contains(why, `"Program … failed"`) {
		t.Errorf("why doesn't say what to look for: %s", why)
	}
}

// A code that several programs print decides the answer, even if another entry fits the words around the code.
func TestTheFrameOfASharedCodeNamesNothing(t *testing.T) {
	t.Parallel()
	question := ask.Read(`{"InstructionError":[2,{"Custom":1}]}`)
	if !slices.Contains(question.Entities, "InstructionError") {
		t.Fatalf("the question names %q", question.Entities)
	}
	corpus := ask.Corpus{Documents: 20_000, Frequencies: map[string]int64{"instructionerror": 40, "custom": 90}}
	hit := func(id, summary string, entities, names []string) lore.SearchHit {
		return lore.SearchHit{ID: id, Type: lore.TypeKnowledgeUnit, Summary: summary, Entities: entities, Names: names, Resolution: "Look.", Score: 9}
	}
	frame := hit("frame", "insufficient funds for instruction", []string{"InstructionError"}, nil)
	code := hit("code", "insufficient funds", nil, []string{`"Custom":1`})
	verdict, judged := ask.Judge(question, corpus, []ask.Candidate{
		{SearchHit: frame}, {SearchHit: code, Name: `"Custom":1`, NameWeight: 2, Ambiguous: true, Context: []string{"spl-token"}},
	})
	if verdict != ask.Similar || judged[0].ID != "code" {
		t.Errorf("%s, and %s leads", verdict, judged[0].ID)
	}
}

// An answer says how many readers checked a library entry, and whether agents have used its fix.
func TestAnEntrySaysHowOftenItWasRead(t *testing.T) {
	t.Parallel()
	entry := func(again string, outcomes *lore.Outcomes) ask.Candidate {
		return ask.Candidate{Name: "AA25 invalid account nonce", NameWeight: 9, SearchHit: lore.SearchHit{
			ID: "one", Type: lore.TypeKnowledgeUnit, Summary: "AA25 invalid account nonce", Resolution: "Read the nonce again.", Score: 9,
			Reference: &lore.Reference{ID: "erc4337.aa25", Checked: "2026-11-24", CheckedAgain: again}, Outcomes: outcomes,
		}}
	}
	question := ask.Read("AA25 invalid account nonce")
	corpus := ask.Corpus{Documents: 20_000, Frequencies: map[string]int64{"aa25": 3, "invalid": 900, "account": 900, "nonce": 300}}
	for want, candidate := range map[string]ask.Candidate{
		"it is from the library, read once, no outcome yet":  entry("", nil),
		"it is from the library, read twice, no outcome yet": entry("2026-11-26", &lore.Outcomes{}),
		"it is from the library, read twice":                 entry("2026-11-26", &lore.Outcomes{Worked: 1}),
	} {
		verdict, judged := ask.Judge(question, corpus, []ask.Candidate{candidate})
		answer := ask.NewAnswer(question, verdict, judged, lore.SearchResult{}, 0)
		if !slices.Contains(answer.Why, want) {
			t.Errorf("why is %q, want %q", answer.Why, want)
		}
	}
}

// A code that says little is what was asked about: its meanings are similar, and never nothing.
func TestASharedCodeIsNeverUnknown(t *testing.T) {
	t.Parallel()
	code := ask.Candidate{Name: "-32005", NameWeight: 2, Ambiguous: true, Context: []string{"eth_*"}, SearchHit: lore.SearchHit{
		ID: "limit", Type: lore.TypeKnowledgeUnit, Summary: "Limit exceeded", Names: []string{"-32005"}, Resolution: "Ask less.",
	}}
	corpus := ask.Corpus{Documents: 20_000, Frequencies: map[string]int64{"code": 900, "message": 900}}
	if verdict, _ := ask.Judge(ask.Read(`{"code":-32005,"message":"no"}`), corpus, []ask.Candidate{code}); verdict != ask.Similar {
		t.Errorf("%s, want similar", verdict)
	}
}

// What stands around any error leads only where the text names nothing else.
func TestTheNamedErrorLeadsBeforeItsWrapper(t *testing.T) {
	t.Parallel()
	text := "VM Exception while processing transaction: reverted with custom error 'ERC20InsufficientAllowance(1)'"
	wrapper := ask.Candidate{Name: "reverted with custom error", NameWeight: 2, SearchHit: lore.SearchHit{
		ID: "wrapper", Summary: "VM Exception while processing transaction: reverted with custom error", Resolution: "Look it up.", Score: 90,
	}}
	named := ask.Candidate{Name: "ERC20InsufficientAllowance", NameWeight: 3, SearchHit: lore.SearchHit{
		ID: "named", Summary: "The spender may not spend so much", Names: []string{"ERC20InsufficientAllowance"}, Resolution: "Approve first.", Score: 40,
	}}
	corpus := ask.Corpus{Documents: 20_000, Frequencies: map[string]int64{"exception": 50, "processing": 90, "reverted": 900, "custom": 200,
		"erc20insufficientallowance": 5}}
	if _, judged := ask.Judge(ask.Read(text), corpus, []ask.Candidate{wrapper, named}); judged[0].ID != "named" {
		t.Errorf("%s leads", judged[0].ID)
	}
}
