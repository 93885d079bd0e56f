package curator

import (
	"testing"

	"agentlore/lore"
)

// audited is a report as auditors write them: headings, places in code, a block of code, amounts, links.
var audited = lore.Observation{
	Summary: "`PoolRouter.exitPool` pays out shares of a drained pool at the stale `rateCached`",
	Content: `## Summary
When a pool is drained through emergencyDrain(), the router goes on to pay out with the rate that it cached before. Whoever leaves first takes the share of all others.

## Vulnerability Detail
exitPool reads the rate from storage (PoolRouter.sol#L120-L134) and refreshes it only once in 3600 seconds:

` + "```solidity" + `
function exitPool(uint256 shares, address receiver) external returns (uint256 paid) {
    if (block.timestamp - rateUpdatedAt > RATE_INTERVAL) {
        _refreshRate(); // the only call
    }
    paid = shares * rateCached / 1e18;
    _burn(msg.sender, shares);
    asset.safeTransfer(receiver, paid);
}
` + "```" + `

emergencyDrain sends 100% of the assets to the treasury, but leaves ` + "`rateCached`" + ` and ` + "`rateUpdatedAt`" + ` as they are. See https://github.com/example/pool-router/blob/main/contracts/PoolRouter.sol#L120 and EmergencyModule.sol:88.

**Impact:**
- With 1,000,000 USDC of shares and 250_000 USDC left in the buffer, the first 25 % of the shares are paid in full and nobody else gets anything.
- A keeper that watches the mempool of 0x6B175474E89094C44Da98b954EedeAC495271d0F can always be first.

## Proof of Concept
1. Alice and Bob hold 500 shares each; rateCached is 1.04e18.
2. The guardian calls emergencyDrain(750_000e6) on v2.3.1.
3. Alice calls exitPool(500e18, alice) in the same block and receives 520 USDC; Bob's call reverts with InsufficientBuffer().

## Tool used
Manual review, forge 0.2.0`,
	Resolution: "Refresh the rate in emergencyDrain, or have exitPool compare the cached rate with `asset.balanceOf(address(this))` and pay the lesser of both (EmergencyModule.sol#L88, PoolRouter.sol#L126).",
}

func BenchmarkNewProfile(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(audited.Summary) + len(audited.Content) + len(audited.Resolution)))
	for b.Loop() {
		NewProfile(audited, "", "")
	}
}

func BenchmarkScore(b *testing.B) {
	b.ReportAllocs()
	rules := DefaultRules().Score
	for b.Loop() {
		rules.Score(audited, lore.NeutralReputation)
	}
}

func BenchmarkFingerprint(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Fingerprint(audited)
	}
}
