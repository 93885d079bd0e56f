package lore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		ref                string
		tags               []string
		protocol, severity string
	}{
		{"c4/2022-10-holograph/95", []string{"audit-contest", "severity-medium"}, "holograph", "medium"},
		{"sherlock/2022-08-sentiment/002-H/002-m", nil, "sentiment", "high"},
		{"sherlock/2023-05-index-coop-judging/invalid/3", nil, "index-coop", ""},
		{"c4/2023-01-reserve-contest/12", []string{"severity-gas"}, "reserve", ""},
		{"solodit/0x52/2023-07-26-Buffer-v2.5/1", []string{"severity-high"}, "buffer", "high"},
		{"solodit/Cyfrin/2023-07-26-cyfrin-Narwhal Finance-v2/1", nil, "narwhal-finance", ""},
		{"commit/paradigmxyz/reth/d5dc0b27ebf2", nil, "reth", ""},
		{"docs/sigp/book/src/advanced-blobs.md#1", nil, "sigp", ""},
		{"aave-aip/20250930_Multi", nil, "aave", ""},
		{"inc-17", []string{"protocol:uniswap", "severity:low"}, "uniswap", "low"},
		{"2024-05-v2", nil, "v2", ""},
		{"", nil, "", ""},
	} {
		if protocol, severity := ProtocolOf(c.tags, c.ref), SeverityOf(c.tags, c.ref); protocol != c.protocol || severity != c.severity {
			t.Errorf("%s %v: %q, %q; want %q, %q", c.ref, c.tags, protocol, severity, c.protocol, c.severity)
		}
	}
}

func TestNamed(t *testing.T) {
	got := NamedIn("base", Entities("ERC-20 and eip 20 on eip155:8453 and eip155:1 revert with ERC20InsufficientBalance, error OwnableUnauthorizedAccount(address), "+
		"Panic(0x11), Vault__NotOwner; SWC-107, CVE-2024-1234, ethers@6.1.0 at 0x00000000219ab540356cBB839Cbe05303d7705Fa, "+
		"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA and rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"))
	want := Named{
		Errors: []string{"Vault__NotOwner", "OwnableUnauthorizedAccount", "Panic(0x11)"}, Standards: []string{"EIP-20"},
		Weaknesses: []string{"SWC-107", "CVE-2024-1234"}, Packages: []string{"ethers@6.1.0"}, Chains: []string{"base", "ethereum"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
