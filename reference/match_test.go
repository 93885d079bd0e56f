package reference_test

import (
	"testing"

	"agentlore/reference"
)

// A name is found in a paste whatever stands around it and in its variable parts; words that happen to be there are none.
func TestNamesAreFoundInPastes(t *testing.T) {
	t.Parallel()
	library := reference.NewLibrary([]reference.Entry{
		{ID: "nonce", Names: []string{"nonce too low: next nonce {n}, tx nonce {n}", "nonce too low"}},
		{ID: "balance", Names: []string{"ERC20InsufficientBalance(address,uint256,uint256)", "0xe450d38c"}},
		{ID: "tf", Names: []string{"TF"}},
		{ID: "negative", Names: []string{`"engine_result_code":-190`}},
		{ID: "wrapper", Names: []string{"VM Exception while processing transaction: reverted with reason string '{reason}'"}},
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
		"the nonce was not too low": "",
		"out of gas in a location that nobody knows about and that has nothing to do with it; gas": "",
	} {
		got := ""
		if found := library.Find(text); len(found) > 0 {
			got = found[0].Entry.ID
		}
		if got != want {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	all, err := reference.Entries()
	if err != nil {
		b.Fatal(err)
	}
	library := reference.NewLibrary(all)
	text := ""
	for len(text) < 20_000 {
		text += "Error: execution reverted: insufficient funds for gas * price + value: address 0x00 have 1 want 2\n    at send (node_modules/ethers/src.ts/contract.ts:313:20)\n"
	}
	for b.Loop() {
		library.Find(text)
	}
}
