package scrubber

import "strings"

// rpcHosts are the hosts of providers of nodes, indexed data and bundlers whose URLs hold a key in the path or before the host; a key in
// the query goes whatever the host. They were looked up in November 2026: in erpc/erpc's thirdparty/*.go, the providers' own
// pages, and public code that uses them.
var rpcHosts = strings.Fields(`infura.io alchemy.com alchemyapi.io satsuma-prod.com quiknode.pro quicknode.com ankr.com chainstack.com
	p2pify.com drpc.org drpc.live blastapi.io moralis-nodes.com moralis.io getblock.io nownodes.io tenderly.co pokt.network grove.city
	nodies.app rpcpool.com syndica.io hellomoon.io extrnode.com thegraph.com hypersync.xyz blockpi.network onfinality.io nodereal.io
	dwellir.com validationcloud.io chainnodes.org blockdaemon.com thirdweb.com chainbase.online zan.top lavanet.xyz allthatnode.com
	figment.io zerodev.app stackup.sh biconomy.io conduit.xyz rivet.cloud`)

func rpcRules() []rule {
	r := rule{
		name: "node provider url", kind: KindRPCURL, anchors: rpcHosts, find: findRPCURL,
		removed: []string{
			"https://api.g.alchemy.com/data/v1/«<an:32>»/assets", "wss://mainnet.infura.io/ws/v3/«<hex:32>»",
			"https://subgraph.satsuma-prod.com/«<hex:32>»/team/graph/version/v1/api", "https://eth-mainnet.blastapi.io/«<uuid>»",
			"https://solana-mainnet.api.syndica.io/api-key/«<b58:88>»", "https://mainnet.gateway.tenderly.co/«<an:22>»",
			"https://gateway.thegraph.com/api/«<hex:32>»/subgraphs/id/<b58:44>", "https://eth.rpc.grove.city/v1/«<hex:7>9»",
			"https://g.w.lavanet.xyz:443/gateway/osmosis/rpc-http/«<hex:32>»", "https://svc.blockdaemon.com/ethereum/native/«<an:43>»",
			"https://bundler.biconomy.io/api/v2/80001/«<an:9>.<uuid>»", "https://«<hex:32>».eth.rpc.rivet.cloud/",
		},
		kept: []string{
			"https://mainnet.infura.io/v3/YOUR-PROJECT-ID", "https://eth-mainnet.g.alchemy.com/v2/",
			"https://eth-mainnet.g.alchemy.com/v2/demo", "https://www.alchemy.com/overviews/what-is-a-token-in-web3-2024",
			"https://rpc.ankr.com/eth",
			"https://docs.infura.io/networks/ethereum/how-to/secure-a-project", "https://gateway.thegraph.com/api/subgraphs/id/<b58:44>",
			"https://gateway.thegraph.com/api/[api-key]/subgraphs/id/<b58:44>", "https://ethereum.blockpi.network/v1/rpc/public",
			"https://eth.rpc.grove.city/v1/mainnet1", "https://dashboard.tenderly.co/tx/mainnet/0x<hex:40>", "https://eth.rpc.rivet.cloud/",
			"https://docs.chainstack.com/reference/getting-started-2024", "https://starknet-sepolia.public.blastapi.io/rpc/v0_7",
			"https://thegraph.com/explorer/subgraphs/<b58:44>", "https://thirdweb.com/0x<hex:40>",
		},
	}
	for _, host := range rpcHosts {
		r.removed = append(r.removed, "https://eth."+host+"/v1/«<hex:32>»")
	}
	return []rule{r}
}

// findRPCURL: the first label of the host, or the first segment of the path, that looks random and is no word.
func findRPCURL(sc *scan, lo, hi int) {
	const longestHost, mostSegments, grove = 80, 10, 8
	text := sc.text
	from := lo
	for from > max(0, lo-longestHost) && (is(text[from-1], clsURL64) || text[from-1] == '.') {
		from--
	}
	if end := forward(text, from, clsURL64); end < lo && pathKey(text[from:end]) && !strings.Contains(text[from:end], "-") {
		sc.emit(KindRPCURL, from, end)
	}
	at := hi
	if at < len(text) && text[at] == ':' {
		at = forward(text, at+1, clsDigit)
	}
	for n := 0; n < mostSegments && at < len(text) && text[at] == '/'; n++ {
		end := forward(text, at+1, clsURL64)
		for end+1 < len(text) && text[end] == '.' && is(text[end+1], clsURL64) { // a key of two parts
			end = forward(text, end+1, clsURL64)
		}
		segment := text[at+1 : end]
		switch segment {
		case "subgraphs", "deployments", "tx", "address": // public names follow
			return
		}
		if pathKey(segment) || len(segment) == grove && text[lo:hi] == "grove.city" && all(segment, clsHex) && has(segment, clsDigit) {
			sc.emit(KindRPCURL, at+1, end)
			return
		}
		at = end
	}
}

// pathKey tells a key from the words of a path.
func pathKey(s string) bool {
	return len(s) >= 20 && !strings.HasPrefix(s, "0x") && !slug(s) &&
		(looksRandom(s) || upperLower(s) && has(s, clsDigit) && !placeholder(s))
}
