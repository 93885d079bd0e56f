package curator

import (
	"cmp"
	"slices"
)

const (
	// tellingTerms is how many terms a report is found by: those that are rare among all reports and frequent in this one.
	tellingTerms = 40
	// maxCandidates is how many reports a new one is compared with first.
	maxCandidates = 50
)

// tellingTerm is a term and what it weighs in a report.
type tellingTerm struct {
	id     uint32
	weight float64
}

// telling returns the terms by which a report is found, weightiest first.
func (v *Vector) telling() []tellingTerm {
	found := make([]tellingTerm, 0, len(v.terms))
	for i, t := range v.terms {
		found = append(found, tellingTerm{t.id, weight(float64(v.rarity[i]), t.all)})
	}
	slices.SortFunc(found, func(a, b tellingTerm) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id)) })
	return found[:min(tellingTerms, len(found))]
}

// Telling returns the ids of the terms by which a report is found.
func (v *Vector) Telling() []uint32 {
	found := v.telling()
	ids := make([]uint32, len(found)) // kept for long: no larger than needed
	for i, t := range found {
		ids[i] = t.id
	}
	return ids
}

// Candidates returns the reports that share the most and weightiest of a report's telling terms, best first, of equals the one of
// lesser id, at most fifty. The report itself is left out. One without telling terms has none.
func (g *LinkGraph) Candidates(report int32, v *Vector) []int32 {
	if len(g.nodes[report].telling) == 0 {
		return nil
	}
	g.post()
	var touched []int32
	for _, t := range v.telling() {
		from, _ := slices.BinarySearch(g.postings, uint64(t.id)<<32)
		for _, posting := range g.postings[from:] {
			if uint32(posting>>32) != t.id {
				break
			}
			other := int32(uint32(posting))
			if g.weights[other] == 0 {
				touched = append(touched, other)
			}
			g.weights[other] += t.weight
		}
	}
	better := func(a, b int32) int {
		if g.weights[a] != g.weights[b] {
			return cmp.Compare(g.weights[b], g.weights[a])
		}
		return cmp.Compare(g.nodes[a].id, g.nodes[b].id)
	}
	best := make([]int32, 0, maxCandidates+1) // in order: hardly any of thousands gets in, and then for a place near the end
	for _, other := range touched {
		if other == report || len(best) == maxCandidates && better(other, best[maxCandidates-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, other, better)
		best = slices.Insert(best, at, other)
		best = best[:min(maxCandidates, len(best))]
	}
	for _, other := range touched {
		g.weights[other] = 0
	}
	return best
}

// post makes reports findable whose telling terms have changed.
func (g *LinkGraph) post() {
	if len(g.unposted) == 0 {
		return
	}
	g.postings = slices.DeleteFunc(g.postings, func(posting uint64) bool { return g.unposted[int32(uint32(posting))] })
	g.postings = slices.Grow(g.postings, len(g.unposted)*tellingTerms)
	for number := range g.unposted {
		for _, id := range g.nodes[number].telling {
			g.postings = append(g.postings, uint64(id)<<32|uint64(number))
		}
	}
	slices.Sort(g.postings)
	clear(g.unposted)
}

// commonEntities are in so many reports that they tie none together: empty addresses, wrapped coins, stablecoins and
// routers of the largest networks. They are known public addresses, in the form that lore.Entities gives.
var commonEntities = map[string]bool{
	"0x0000000000000000000000000000000000000000": true, // the zero address
	"0x0000000000000000000000000000000000000001": true, // ecrecover's precompile, and the second test address
	"0x000000000000000000000000000000000000dead": true, // burnt
	"0xdead000000000000000042069420694206942069": true, // burnt
	"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee": true, // stands for the native coin
	"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2": true, // WETH, Ethereum
	"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48": true, // USDC, Ethereum
	"0xdac17f958d2ee523a2206206994597c13d831ec7": true, // USDT, Ethereum
	"0x6b175474e89094c44da98b954eedeac495271d0f": true, // DAI, Ethereum
	"0x2260fac5e5542a773aa44fbcfedf7c193bc2c599": true, // WBTC, Ethereum
	"0x82af49447d8a07e3bd95bd0d56f35241523fbab1": true, // WETH, Arbitrum
	"0xaf88d065e77c8cc2239327c5edb3a432268e5831": true, // USDC, Arbitrum
	"0x4200000000000000000000000000000000000006": true, // WETH, OP Stack networks
	"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913": true, // USDC, Base
	"0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270": true, // WMATIC, Polygon
	"0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c": true, // WBNB, BNB Chain
	"0x7a250d5630b4cf539739df2c5dacb4c659f2488d": true, // Uniswap v2 router
	"0xe592427a0aece92de3edee1f18e0157c05861564": true, // Uniswap v3 router
	"0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45": true, // Uniswap v3 router 2
	"0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f": true, // SushiSwap router
	"0x10ed43c718714eb63d5aa57b78b54704e256024e": true, // PancakeSwap router
	"0x1111111254eeb25477b68fb85ed929f73a960582": true, // 1inch router 5
	"0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789": true, // ERC-4337 entry point 0.6
	"0xca11bde05977b3631167028862be2a173976ca11": true, // Multicall3
	"eip155:1":                         true, // Ethereum itself
	"EIP-20":                           true, // the token standard
	"ERC-20":                           true,
	"11111111111111111111111111111111": true, // Solana's system program
	"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA": true, // Solana's token program
	"So11111111111111111111111111111111111111112": true, // wrapped SOL
}

// CommonEntity reports whether an entity is in so many reports that it ties none together.
func CommonEntity(entity string) bool { return commonEntities[entity] }
