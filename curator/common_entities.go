package curator

// commonEntities are in so many reports that they tie none together: empty addresses, wrapped coins, stablecoins and
// routers of the largest networks. They are known public addresses, in the form that lore.Entities gives.
var commonEntities = map[string]bool{
	"0x0000000000000000000000000000000000000000": true, // nobody
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
