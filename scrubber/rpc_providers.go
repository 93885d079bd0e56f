package scrubber

import (
	"maps"
	"slices"
	"strings"
)

// rpcProvider is what the URLs of a provider of nodes, of indexed data or of bundlers look like where they hold a key.
type rpcProvider struct {
	name    string
	host    string // the end of the host, or with a path: what stands before the key's segment or segments before it
	place   keyPlace
	min     int    // the shortest key; 0 is 20
	example string // for the tests: «» marks the key
	source  string // where the form was looked up, November 2026
}

// keyPlace says where in a URL a key stands.
type keyPlace uint8

const (
	inPath  keyPlace = iota // a segment of the path
	inHost                  // the first label of the host
	inQuery                 // a parameter, which the rule "key in a query" finds whatever the host
)

// rpcProviders lists the forms. Sources: "erpc" is erpc/erpc's thirdparty/*.go, "docs" the provider's own pages, "code" public
// code that uses it.
var rpcProviders = []rpcProvider{
	{"Infura", "infura.io/", inPath, 0, "https://mainnet.infura.io/v3/«<hex:32>»", "docs"},
	{"Infura, websocket", "infura.io/", inPath, 0, "wss://mainnet.infura.io/ws/v3/«<hex:32>»", "docs"},
	{"Alchemy", "alchemy.com/v2/", inPath, 0, "https://eth-mainnet.g.alchemy.com/v2/«<an:32>»", "docs"},
	{"Alchemy, NFT", "alchemy.com/nft/v", inPath, 0, "https://eth-mainnet.g.alchemy.com/nft/v3/«<an:32>»/getNFTs", "docs"},
	{"Alchemy, data", "g.alchemy.com/", inPath, 0, "https://api.g.alchemy.com/data/v1/«<an:32>»/assets", "docs"},
	{"Alchemy, Starknet", "alchemy.com/starknet/", inPath, 0,
		"https://starknet-mainnet.g.alchemy.com/starknet/version/rpc/v0_7/«<an:32>»", "code"},
	{"Alchemy, former host", "alchemyapi.io/v2/", inPath, 0, "wss://eth-mainnet.ws.alchemyapi.io/v2/«<an:32>»", "code"},
	{"Alchemy, Solana", "alchemy.com/solana/", inPath, 0, "https://api.alchemy.com/solana/«<an:32>»", "code"},
	{"Satsuma", "satsuma-prod.com/", inPath, 0,
		"https://subgraph.satsuma-prod.com/«<hex:32>»/team/graph/version/v1/api", "docs: Alchemy subgraphs"},
	{"QuickNode", "quiknode.pro/", inPath, 0, "https://a-b-c.solana-mainnet.quiknode.pro/«<hex:40>»/", "erpc"},
	{"QuickNode, site", "quicknode.com/", inPath, 0, "https://x.quicknode.com/«<hex:40>»", "code"},
	{"Ankr", "ankr.com/", inPath, 0, "https://rpc.ankr.com/eth/«<hex:64>»", "erpc"},
	{"Chainstack", "chainstack.com/", inPath, 0, "https://ethereum-mainnet.core.chainstack.com/«<hex:32>»", "erpc"},
	{"Chainstack, former host", "p2pify.com/", inPath, 0, "https://nd-123-456-789.p2pify.com/«<hex:32>»", "code"},
	{"dRPC", "drpc.org/", inQuery, 0, "https://lb.drpc.org/ogrpc?network=ethereum&dkey=«<an:8>4k2<an:44>»", "erpc"},
	{"dRPC, path", "drpc.live/", inPath, 0, "https://lb.drpc.live/celo/«<an:44>»", "code"},
	{"dRPC, path on its first host", "drpc.org/", inPath, 0, "https://lb.drpc.org/ethereum/«<an:44>»", "code"},
	{"Blast API", "blastapi.io/", inPath, 0, "https://eth-mainnet.blastapi.io/«<uuid>»", "erpc"},
	{"Moralis", "moralis-nodes.com/", inPath, 0, "https://site1.moralis-nodes.com/eth/«<hex:32>»", "code"},
	{"Moralis, speedy nodes", "moralis.io/", inPath, 0, "https://speedy-nodes-nyc.moralis.io/«<hex:24>»/eth/mainnet", "code"},
	{"GetBlock", "getblock.io/", inPath, 0, "https://go.getblock.io/«<hex:32>»", "code"},
	{"NOWNodes", "nownodes.io/", inPath, 0, "https://eth.nownodes.io/«<uuid>»", "code"},
	{"Tenderly", "tenderly.co/", inPath, 0, "https://mainnet.gateway.tenderly.co/«<an:22>»", "erpc"},
	{"Tenderly, virtual network", "tenderly.co/", inPath, 0, "https://virtual.mainnet.rpc.tenderly.co/«<uuid>»", "code"},
	{"Pocket", "pokt.network/v1/", inPath, 0, "https://eth-mainnet.gateway.pokt.network/v1/lb/«<hex:24>»", "code"},
	{"Grove", "grove.city/v1/", inPath, 8, "https://eth-mainnet.rpc.grove.city/v1/«<hex:8>»", "code"},
	{"Nodies", "nodies.app/", inPath, 0, "https://lb.nodies.app/v1/«<hex:32>»", "code"},
	{"Helius", "helius-rpc.com/", inQuery, 0, "https://mainnet.helius-rpc.com/?api-key=«<uuid>»", "docs"},
	{"Triton", "rpcpool.com/", inPath, 0, "https://x.mainnet.rpcpool.com/«<uuid>»/whirligig", "docs"},
	{"Syndica", "syndica.io/", inPath, 0, "https://solana-mainnet.api.syndica.io/api-key/«<b58:88>»", "code"},
	{"Shyft", "shyft.to", inQuery, 0, "https://rpc.shyft.to?api_key=«<an:6>7q3<an:7>»", "code"},
	{"Hello Moon", "hellomoon.io/", inPath, 0, "https://rpc.hellomoon.io/«<uuid>»", "code"},
	{"extrnode", "extrnode.com/", inPath, 0, "https://solana-mainnet.rpc.extrnode.com/«<uuid>»", "code"},
	{"Ironforge", "ironforge.network/", inQuery, 0, "https://rpc.ironforge.network/mainnet?apiKey=«<an:10>7q3<an:13>»", "code"},
	{"Covalent, GoldRush", "covalenthq.com/", inQuery, 0,
		"https://api.covalenthq.com/v1/1/address/0x<hex:40>/balances_v2/?key=«cqt_<an:28>»", "code"},
	{"The Graph", "thegraph.com/api/", inPath, 0, "https://gateway.thegraph.com/api/«<hex:32>»/subgraphs/id/<b58:44>", "docs"},
	{"The Graph, Arbitrum", "thegraph.com/api/", inPath, 0,
		"https://gateway-arbitrum.network.thegraph.com/api/«<hex:32>»/subgraphs/id/<b58:44>", "code"},
	{"Envio", "hypersync.xyz/", inPath, 0, "https://eth.rpc.hypersync.xyz/«<uuid>»", "erpc"},
	{"Subsquid", "sqd.dev/", inQuery, 0,
		"https://portal.sqd.dev/datasets/ethereum?api_key=«<an:8>4k2<an:32>»", "erpc: the key is a parameter or a header"},
	{"SubQuery", "subquery.network/", inQuery, 0, "https://gateway.subquery.network/rpc/eth?apikey=«<an:8>4k2<an:44>»", "code"},
	{"Bitquery", "bitquery.io/", inQuery, 0, "wss://streaming.bitquery.io/graphql?token=«ory_at_<an:43>»", "code"},
	{"Etherscan", "etherscan.io/", inQuery, 0, "https://api.etherscan.io/v2/api?chainid=1&module=account&apikey=«<UPD:34>»", "docs"},
	{"Etherscan's family", "scan.com/", inQuery, 0, "https://api.bscscan.com/api?module=account&apiKey=«<UPD:34>»", "docs"},
	{"BlockPI", "blockpi.network/", inPath, 0, "https://ethereum.blockpi.network/v1/rpc/«<hex:40>»", "erpc"},
	{"OnFinality", "onfinality.io/", inQuery, 0, "https://moonbeam.api.onfinality.io/rpc?apikey=«<uuid>»", "erpc"},
	{"OnFinality, path", "onfinality.io/", inPath, 0, "wss://node.api.onfinality.io/ws/apikey/«<uuid>»", "code"},
	{"NodeReal", "nodereal.io/", inPath, 0, "https://eth-mainnet.nodereal.io/v1/«<hex:32>»", "code"},
	{"Dwellir", "dwellir.com/", inPath, 0, "https://api-avalanche-mainnet-archive.n.dwellir.com/«<uuid>»/ext/bc/C/rpc", "erpc"},
	{"Validation Cloud", "validationcloud.io/", inPath, 0, "https://mainnet.stellar.validationcloud.io/v1/«<an:43>»", "code"},
	{"Chainnodes", "chainnodes.org/", inPath, 0, "https://mainnet.chainnodes.org/«<uuid>»", "code"},
	{"Blockdaemon", "blockdaemon.com/", inPath, 0, "https://svc.blockdaemon.com/ethereum/mainnet/native/«<an:43>»", "erpc"},
	{"thirdweb", "thirdweb.com/", inPath, 0, "https://8453.rpc.thirdweb.com/«<hex:32>»", "erpc"},
	{"Chainbase", "chainbase.online/", inPath, 0, "https://ethereum-mainnet.s.chainbase.online/v1/«<an:27>»", "code"},
	{"ZAN", "zan.top/", inPath, 0, "https://api.zan.top/node/v1/eth/mainnet/«<hex:32>»", "code"},
	{"Lava", "lavanet.xyz", inPath, 0, "https://g.w.lavanet.xyz:443/gateway/osmosis/rpc-http/«<hex:32>»", "code"},
	{"All That Node", "allthatnode.com/", inPath, 0, "https://near-testnet.g.allthatnode.com/archive/json_rpc/«<hex:32>»", "code"},
	{"Figment DataHub", "figment.io/", inPath, 0, "https://celo-alfajores--rpc.datahub.figment.io/apikey/«<hex:32>»", "code"},
	{"ZeroDev", "zerodev.app/", inPath, 0, "https://rpc.zerodev.app/api/v3/«<uuid>»/chain/8453", "code"},
	{"Stackup", "stackup.sh/", inPath, 0, "https://api.stackup.sh/v1/node/«<hex:64>»", "code"},
	{"Biconomy", "biconomy.io/", inPath, 0, "https://bundler.biconomy.io/api/v2/80001/«<an:9>.<uuid>»", "code"},
	{"Pimlico", "pimlico.io/", inQuery, 0, "https://api.pimlico.io/v2/1/rpc?apikey=«pim_<an:22>»", "erpc"},
	{"Conduit", "conduit.xyz/", inPath, 0, "https://rpc-x.t.conduit.xyz/«<an:32>»", "erpc"},
	{"Rivet", ".rpc.rivet.cloud", inHost, 0, "https://«<hex:32>».eth.rpc.rivet.cloud/", "code"},
}

// rpcRules makes one rule of the table's hosts, and its examples of the table's.
func rpcRules() []rule {
	r := rule{name: "node provider url", kind: KindRPCURL, find: findRPCURL, kept: []string{
		"https://mainnet.infura.io/v3/YOUR-PROJECT-ID", "https://eth-mainnet.g.alchemy.com/v2/",
		"https://eth-mainnet.g.alchemy.com/v2/demo", "https://www.alchemy.com/overviews/what-is-a-token-in-web3-2024",
		"https://rpc.ankr.com/eth",
		"https://docs.infura.io/networks/ethereum/how-to/secure-a-project", "https://gateway.thegraph.com/api/subgraphs/id/<b58:44>",
		"https://gateway.thegraph.com/api/[api-key]/subgraphs/id/<b58:44>", "https://ethereum.blockpi.network/v1/rpc/public",
		"https://eth.rpc.grove.city/v1/mainnet1", "https://dashboard.tenderly.co/tx/mainnet/0x<hex:40>", "https://eth.rpc.rivet.cloud/",
		"https://docs.chainstack.com/reference/getting-started-2024", "https://starknet-sepolia.public.blastapi.io/rpc/v0_7",
		"https://thegraph.com/explorer/subgraphs/<b58:44>", "https://thirdweb.com/0x<hex:40>",
	}}
	for _, p := range rpcProviders {
		r.removed = append(r.removed, p.example)
	}
	r.anchors = slices.Sorted(maps.Keys(rpcHosts))
	return []rule{r}
}

// rpcHosts finds the form of a host that holds a key itself or in its path.
var rpcHosts = func() map[string]rpcProvider {
	hosts := make(map[string]rpcProvider)
	for _, p := range rpcProviders {
		if _, ok := hosts[p.host]; !ok && p.place != inQuery {
			hosts[p.host] = p
		}
	}
	return hosts
}()

// findRPCURL: the first segment of the path that is long enough, looks random and is no word is the key; or the first label of the
// host.
func findRPCURL(sc *scan, lo, hi int) {
	text := sc.text
	form := rpcHosts[text[lo:hi]]
	if form.place == inHost {
		const longestHost = 80
		from := lo
		for from > max(0, lo-longestHost) && (is(text[from-1], clsURL64) || text[from-1] == '.') {
			from--
		}
		if end := forward(text, from, clsURL64); end < lo && end-from >= 20 && looksRandom(text[from:end]) {
			sc.emit(KindRPCURL, from, end)
		}
		return
	}
	at := strings.IndexByte(text[hi-1:min(len(text), hi+40)], '/') // an anchor may end before the slash
	if at < 0 {
		return
	}
	const mostSegments = 10
	at += hi - 1
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
		if pathKey(segment) || form.min > 0 && len(segment) >= form.min && all(segment, clsHex) && has(segment, clsDigit) {
			sc.emit(KindRPCURL, at+1, end)
			return
		}
		at = end
	}
}

// pathKey tells a key from the words of a path.
func pathKey(s string) bool {
	return len(s) >= 20 && !strings.HasPrefix(s, "0x") &&
		(looksRandom(s) || upperLower(s) && has(s, clsDigit) && !slug(s) && !placeholder(s))
}
