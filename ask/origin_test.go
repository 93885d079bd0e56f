package ask_test

import (
	"testing"

	"agentlore/ask"
)

// Tools, packages, methods and addresses tell of which ecosystem a paste is; two that differ, and words that people write of anything, tell
// nothing.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Version: viem@2.31.3": "evm",
		"    at send (/srv/app/node_modules/@solana/web3.js/lib/index.cjs.js:10:1)": "solana",
		"Error: cannot find module '@mysten/sui/client'":                            "sui",
		`{"jsonrpc":"2.0","method":"eth_getLogs","params":[]}`:                      "evm",
		"agave-validator 2.1.9 started":                                             "solana",
		"server: Lighthouse/v8.0.1-ced49dd/x86_64-linux":                            "evm",
		"have 0 in 0x00000000219ab540356cBB839Cbe05303d7705Fa":                      "evm",
		"account cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh not found":           "cosmos",
		`"Account": "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"`:                           "xrpl",
		"Program Vote111111111111111111111111111111111111111 invoke [1]":            "solana",
		"codespace: sdk, code: 32":                                                  "cosmos",
		"account alice.near does not exist":                                         "near",
		"GET https://api.testnet.solana.org failed":                                 "",
		"receiver 0.0.48839 is frozen":                                              "hedera",
		"package leftover 0.0.315 not found":                                        "",
		"ContractError: AccountUnmapped from pallet-revive":                         "polkadot",
		"cannot send to EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N":           "ton",
		"tx_bad_auth for GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7":  "stellar",
		"error: the trait bound is not satisfied, near-sdk 5.0.0":                   "near",
		"bitcoin-cli: error code: -26":                                              "bitcoin",
		"my wallet and the engine say nothing":                                      "",
		"GET https://api.mainnet.aptoslabs.com/v1 failed with 429":                  "aptos",
		"panicked at /home/u/.cargo/registry/src/near-sdk-5.0.0-alpha.2/src/env.rs": "near",
		"bridging from viem to @solana/web3.js failed":                              "",
		"the anchor of the base near the forge is cast":                             "",
		"connect ECONNREFUSED 127.0.0.1:5432":                                       "",
	} {
		if got := ask.Origin(text); got != want {
			t.Errorf("%q is of %q, want %q", text, got, want)
		}
	}
}

// An item of one chain does not hold for another chain. An item of the EVM holds for each EVM chain, and for no other.
func TestHoldsFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of   []string
		asks string
		want bool
	}{
		{nil, "solana", true}, {[]string{"solana"}, "solana", true}, {[]string{"evm"}, "arbitrum", true}, {[]string{"base"}, "evm", true},
		{[]string{"evm"}, "solana", false}, {[]string{"base"}, "arbitrum", false}, {[]string{"cosmos"}, "osmosis", true}, {[]string{"polkadot"}, "kusama", true}, {[]string{"osmosis"}, "cosmos", false}, {[]string{"cross-chain"}, "sui", true}, {[]string{"xrpl"}, "evm", false},
	} {
		if got := ask.HoldsFor(test.of, test.asks); got != test.want {
			t.Errorf("what is of %v holds for %s: %v", test.of, test.asks, got)
		}
	}
}
