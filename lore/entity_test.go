package lore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// Parts of values, so that no whole one stands here that a secret scanner could mistake for a key.
var (
	address   = "0x" + strings.Repeat("Ab12", 10)
	digest    = strings.Repeat("0f1E", 16)
	selector  = "0xa9059cbb"
	xrpl      = "rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH" // a well-known test account: its checksum is right
	solana    = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	signature = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
)

func TestEntities(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"address", "sent to " + address + ".", []string{strings.ToLower(address)}},
		{"address in brackets and commas", "(" + address + "," + address + ")", []string{strings.ToLower(address)}},
		{"address with a capital X", "0X" + address[2:], []string{strings.ToLower(address)}},
		{"address in a CAIP-10 account", "eip155:1:" + address, []string{strings.ToLower(address), "eip155:1"}},
		{"address a digit short", address[:41], nil},
		{"address a digit long", address + "0", nil},
		{"address inside a word", "x" + address, nil},
		{"selector", "call " + selector + " reverts", []string{selector}},
		{"selector of nine digits", selector + "0", nil},
		{"hash", "tx " + digest + ",", []string{strings.ToLower(digest)}},
		{"hash of 63 digits", digest[1:], nil},
		{"chain", "on eip155:8453, and solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", []string{"eip155:8453", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"}},
		{"CAIP-19 asset", "(eip155:1/erc20:" + address + "/7), cosmos:cosmoshub-4/slip44:118.", []string{strings.ToLower(address), "eip155:1/erc20:" + strings.ToLower(address), "cosmos:cosmoshub-4/slip44:118"}},
		{"chains joined by a slash", "eip155:1/eip155:10", []string{"eip155:1", "eip155:10"}},
		{"chain of no namespace", "note:1 and http://near.org", nil},
		{"chain behind a word", "myeip155:1", nil},
		{"standards", "EIP-1559, erc 20, ERC4626 and swc-107", []string{"EIP-1559", "ERC-20", "ERC-4626", "SWC-107"}},
		{"standard before a colon", "EIP-155: replay", []string{"EIP-155"}},
		{"standard in a longer name", "ERC721A, PERC20, ERC-", nil},
		{"CVE", "cve-2024-27304 and CVE-2021-44228.", []string{"CVE-2024-27304", "CVE-2021-44228"}},
		{"CVE cut short", "CVE-2024-12", nil},
		{"GHSA", "see ghsa-c2qf-rxjj-qqgw", []string{"GHSA-C2QF-RXJJ-QQGW"}},
		{"GHSA of two groups", "GHSA-c2qf-rxjj", nil},
		{"error names", "Vault__NotOwner, InsufficientBalanceError and HTTPError", []string{"Vault__NotOwner", "InsufficientBalanceError", "HTTPError"}},
		{"error codes", "ERR_INSUFFICIENT_FUNDS or tecPATH_DRY", []string{"ERR_INSUFFICIENT_FUNDS", "tecPATH_DRY"}},
		{"plain words that end so", "Error, an error, Terror, terminal", nil},
		{"python's names are no errors of a contract", "__init__ and __name__", nil},
		{"declared errors", "error SlippageExceeded(uint256); revert PoolIsPaused()", []string{"SlippageExceeded", "PoolIsPaused"}},
		{"revert without a name", "revert Something, revert (x), error Foo", nil},
		{"panic", "reverts with Panic(0x11), not panic", []string{"Panic(0x11)"}},
		{"panic in small letters", "panic(0x12)", []string{"Panic(0x12)"}},
		{"panic of one digit", "Panic(0x1)", []string{"Panic(0x01)"}},
		{"packages", "viem@2.9.1, @openzeppelin/contracts@v4.9.3, @vechain/sdk@v2.0.1 and solc@0.8.20.", []string{"viem@2.9.1", "@openzeppelin/contracts@4.9.3", "@vechain/sdk@2.0.1", "solc@0.8.20"}},
		{"prerelease", "ethers@6.0.0-beta.7", []string{"ethers@6.0.0-beta.7"}},
		{"no package", "root@10.0.0.1 and me@example and a@b", nil},
		{"XRPL address", "from " + xrpl + " to", []string{xrpl}},
		{"XRPL address with a wrong letter", strings.Replace(xrpl, "FczF", "FczG", 1), nil},
		{"Solana address", "program " + solana + ":", []string{solana}},
		{"Solana signature", signature, []string{signature}},
		{"a long identifier", "getReservesAndUpdateCumulativePrices1", nil},
		{"prose", "The price of 1 ETH fell to 0x of what it was at 12:30.", nil},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := append([]string{}, test.want...)
			if diff := cmp.Diff(want, lore.Entities(test.text)); diff != "" {
				t.Errorf("Entities(%q) (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestEntitiesAreListedOnceOverAllTexts(t *testing.T) {
	got := lore.Entities("ERC-20 "+address, "erc20 "+strings.ToLower(address), "EIP-20")
	if diff := cmp.Diff([]string{strings.ToLower(address), "ERC-20", "EIP-20"}, got); diff != "" {
		t.Error(diff)
	}
}

// A pasted list of addresses must not make a document the answer to every address.
func TestEntitiesAreBounded(t *testing.T) {
	var list strings.Builder
	for i := range 300 {
		list.WriteString("0x" + strings.Repeat("0", 36) + string("0123456789abcdef"[i/256]) + "0" + string("0123456789abcdef"[i/16%16]) + string("0123456789abcdef"[i%16]) + " ")
	}
	if got := len(lore.Entities(list.String())); got != 200 {
		t.Errorf("%d entities are kept, want 200", got)
	}
}

func TestNormaliseEntity(t *testing.T) {
	for text, want := range map[string]string{
		" " + address + " ": strings.ToLower(address), "eip155:1/erc20:" + address: "eip155:1/erc20:" + strings.ToLower(address), "eip1559": "EIP-1559", "  something else ": "something else", "ERC-20 and ERC-721": "ERC-20 and ERC-721",
	} {
		if got := lore.NormaliseEntity(text); got != want {
			t.Errorf("NormaliseEntity(%q) = %q, want %q", text, got, want)
		}
	}
}

// What Entities makes of its own result is that result: a stored entity, typed into q, is found.
func FuzzEntitiesAreStable(f *testing.F) {
	for _, seed := range []string{address, "eip155:1:" + address, "erc 20: viem@v2.9.1 " + xrpl, "revert PoolIsPaused() Panic(0x1)", "\xff\x00 EIP-é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, entity := range lore.Entities(text) {
			again := lore.Entities("x " + entity + " y")
			if strings.Contains(text, entity+"(") || len(again) == 0 { // an error's name needs the word before it
				continue
			}
			if again[0] != entity && !strings.Contains(strings.Join(again, "\n"), entity) {
				t.Errorf("%q gives %q, which gives %q", text, entity, again)
			}
		}
	})
}
