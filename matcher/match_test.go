package matcher_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/matcher"
	"agentlore/reference"
)

// A name is found in a paste whatever stands around it and in its variable parts; words that happen to be there are none.
func TestNamesAreFoundInPastes(t *testing.T) {
	t.Parallel()
	names := matcher.New([]lore.KnowledgeUnit{
		{ID: "nonce", Names: []string{"nonce too low: next nonce {n}, tx nonce {n}", "nonce too low"}},
		{ID: "balance", Names: []string{"ERC20InsufficientBalance(address,uint256,uint256)", "0xe450d38c"}},
		{ID: "tf", Names: []string{"TF"}},
		{ID: "negative", Names: []string{`"engine_result_code":-190`}},
		{ID: "wrapper", Names: []string{"VM Exception while processing transaction: reverted with reason string '{reason}'"}},
		{ID: "tip", Names: []string{"maxFeePerGas ({n}) < maxPriorityFeePerGas ({n})"}},
		{ID: "gas", Names: []string{"out of gas in location: {location}; gasWanted: {n}, gasUsed: {n}"}},
	})
	for text, want := range map[string]string{
		`{"code":-32000,"message":"Nonce too low: next nonce 482, tx nonce 479"}`: "nonce",
		"reverted with custom error 'ERC20InsufficientBalance(\"0xAb\", 1, 2)'":   "balance",
		"engine_result_code: -190": "negative", "engine_result_code: 190": "",
		"VM Exception while processing transaction: reverted with reason string 'TF'": "tf",
		"data: 0xE450D38C":         "balance",
		"execution reverted: TF":   "tf",
		"tf is short for transfer": "",
		"out of gas in location: WriteFlat; gasWanted: 90000, gasUsed: 91237: out of gas": "gas",
		"the nonce was not too low":                            "",
		"err: maxFeePerGas (100) < maxPriorityFeePerGas (200)": "tip", "{ maxFeePerGas: 100n, maxPriorityFeePerGas: 2n }": "",
		`{"message":"maxFeePerGas (100) \u003c maxPriorityFeePerGas (200)"}`:                       "tip",
		"out of gas in a location that nobody knows about and that has nothing to do with it; gas": "",
	} {
		got := ""
		if found := names.Find(text, matcher.Surroundings{Text: text}); len(found) > 0 {
			got = found[0].Unit.ID
		}
		if got != want {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}

// Pastes are cut: the first sentence of a message stands for all of it, unless other messages begin so, or it only passes on another error.
func TestTheBeginningOfAMessageNamesIt(t *testing.T) {
	t.Parallel()
	names := matcher.New([]lore.KnowledgeUnit{
		{ID: "range", Names: []string{"You can make eth_getLogs requests with up to a {n} block range. Based on your parameters, this block range should work: {range}"}},
		{ID: "cap", Names: []string{"All payment requirements were rejected by spendControls: the price is above the cap"}},
		{ID: "asset", Names: []string{"All payment requirements were rejected by spendControls: the asset is not listed"}},
		{ID: "wrapper", Names: []string{"VM Exception while processing this transaction: it failed with {reason}"}},
		{ID: "accepted", Names: []string{"cannot apply external message to current state : External message was not accepted"}},
	})
	for text, want := range map[string]string{
		"You can make eth_getLogs requests with up to a 10000 block range...":              "range",
		"All payment requirements were rejected by spendControls":                          "",
		"All payment requirements were rejected by spendControls: the asset is not listed": "asset",
		"VM Exception while processing this transaction: something else":                   "",
	} {
		got := ""
		if found := names.Find(text, matcher.Surroundings{Text: text}); len(found) > 0 {
			got = found[0].Unit.ID
		}
		if got != want {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}

// A name of everyday words tells much where it is a whole message, and little among other words.
func TestAWholeMessageTellsMuch(t *testing.T) {
	t.Parallel()
	names := matcher.New([]lore.KnowledgeUnit{
		{ID: "known", Names: []string{"already known"}}, {ID: "wrapper", Names: []string{"failed to send"}, Wraps: true}, {ID: "block", Names: []string{"block {n} not found"}},
	})
	for text, whole := range map[string]bool{
		"Caused by: java.io.IOException: already known": true, `{"code":-32000,"message":"already known"}`: true, "429; already known.": true,
		"already known": true, "the cause is already known to us": false, "failed to send": false, "err: block 77 not found": false,
	} {
		found := names.Find(text, matcher.Surroundings{Text: text})
		if len(found) != 1 || found[0].Weight >= 3 != whole {
			t.Errorf("%s: %+v, want a whole message: %v", text, found, whole)
		}
	}
}

// A name that several programs print means the one whose context is there; where none is, it may mean each of them.
func TestSharedNamesMeanWhatIsAroundThem(t *testing.T) {
	t.Parallel()
	const token, other = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "So1endDq2YkqhipRh3WViPa8hdiSpxWy6z3Z6tMCpAo"
	names := matcher.New([]lore.KnowledgeUnit{
		{ID: "token", Names: []string{"TokenError::OwnerMismatch"}, Shared: []string{"custom program error: 0x4", `"Custom":4`}, Context: []string{token}},
		{ID: "system", Shared: []string{"custom program error: 0x4", `"Custom":4`}, Context: []string{"11111111111111111111111111111111"}},
		{ID: "anchor", Shared: []string{"custom program error: 0x7d1"}, Context: []string{"AnchorError", "anchor"}},
		{ID: "evm", Shared: []string{"-32005"}, Context: []string{"eth_*", "ethereum"}},
		{ID: "solana", Shared: []string{"-32005"}, Context: []string{"solana"}},
	})
	for _, test := range []struct{ name, text, ecosystem, want string }{
		{"the program that failed", "Program " + token + " failed: custom program error: 0x4", "", "token"},
		{"another program failed", "Program " + token + " success\nProgram " + other + " failed: custom program error: 0x4", "", ""},
		{"no program", `{"InstructionError":[2,{"Custom":4}]}`, "", "system? token?"},
		{"a program that did not fail", "Program " + token + " success\ncustom program error: 0x4", "", "system? token?"},
		{"an account that is named", `"programId": "` + token + `", "err": {"Custom": 4}`, "", "token"},
		{"a name of its own beside it", "TokenError::OwnerMismatch, custom program error: 0x4", "", "token"},
		{"a framework's program", "Program log: AnchorError\nProgram " + other + " failed: custom program error: 0x7d1", "", "anchor"},
		{"a framework's code alone", "custom program error: 0x7d1", "", "anchor?"},
		{"a method", `eth_getLogs: {"code": -32005}`, "", "evm"},
		{"the ecosystem", `{"code": -32005}`, "solana", "solana"},
		{"neither", `{"code": -32005}`, "", "evm? solana?"},
	} {
		var got []string
		for _, match := range names.Find(test.text, matcher.Surroundings{Text: test.text, Ecosystem: test.ecosystem}) {
			id := match.Unit.ID
			if match.Ambiguous {
				id += "?"
			}
			got = append(got, id)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	names := matcher.New(libraryUnits(b))
	text := ""
	for len(text) < 20_000 {
		text += "Error: execution reverted: insufficient funds for gas * price + value: address 0x00 have 1 want 2\n    at send (node_modules/ethers/src.ts/contract.ts:313:20)\n"
	}
	for b.Loop() {
		names.Find(text, matcher.Surroundings{Text: text})
	}
}

// libraryUnits returns the reference library as it is stored.
func libraryUnits(tb testing.TB) []lore.KnowledgeUnit {
	tb.Helper()
	entries, err := reference.Entries()
	if err != nil {
		tb.Fatal(err)
	}
	units := make([]lore.KnowledgeUnit, len(entries))
	for i, entry := range entries {
		units[i] = entry.KnowledgeUnit(time.Time{})
	}
	return units
}

// Every name of the library is found where a program prints it, whatever stands in the parts that vary.
func TestEveryNameIsFoundInItsText(t *testing.T) {
	t.Parallel()
	units := libraryUnits(t)
	names := matcher.New(units)
	missed := 0
	for _, unit := range units {
		for _, name := range slices.Concat(unit.Names, unit.Shared) {
			for _, filled := range []string{"17", "0x71C7656EC7ab88b098defB751B7401B5f6d8976F", "raffle.address"} {
				text := "Error: " + variablePart.ReplaceAllString(name, filled)
				around := matcher.Surroundings{Text: text + "\n" + strings.Join(unit.Context, " ")}
				if !slices.ContainsFunc(names.Find(text, around), func(m matcher.Match) bool { return m.Unit.ID == unit.ID }) {
					if missed++; missed <= 20 {
						t.Errorf("%s: %q is not found in %q", unit.Reference.ID, name, text)
					}
				}
			}
		}
	}
	if missed > 20 {
		t.Errorf("%d texts in all", missed)
	}
}

// variablePart is a part of a name that varies.
var variablePart = regexp.MustCompile(`\{[a-z_]+\}`)
